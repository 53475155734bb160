import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import {
  replayFailedDeliveries,
  replayFurtherWebhook,
  rotateFurtherWebhookSecret,
  rotateWebhookSecret,
  stopFurtherWebhook,
  stopWebhook,
  testFurtherWebhook,
  testWebhook,
  type WebhookTest,
  type WebhookTestRequest,
} from "../../data/sdk.ts";

/** A webhook in the API: the id of a further one, or undefined for the company's own. */
export type Target = string | undefined;

/** Returns the path of its screen below the company. */
export function pathOf(of: Target): string[] {
  return of === undefined ? ["webhooks"] : ["webhooks", of];
}

/** Returns what a request about its deliveries names it by. */
export function queryOf(of: Target): { endpoint_id?: string } {
  return of === undefined ? {} : { endpoint_id: of };
}

function request() {
  return { client: api(), path: { company_id: companyId() } };
}

function requestOf(endpoint_id: string) {
  return { client: api(), path: { company_id: companyId(), endpoint_id } };
}

/** Gives it a new secret, beside which the old one signs for a day. */
export function rotateSecret(of: Target): Promise<{ secret: string; old_secret_until: string }> {
  return of === undefined
    ? ask(rotateWebhookSecret(request()))
    : ask(rotateFurtherWebhookSecret(requestOf(of)));
}

/** Switches it off. */
export function stop(of: Target): Promise<unknown> {
  return of === undefined ? ask(stopWebhook(request())) : ask(stopFurtherWebhook(requestOf(of)));
}

/** Sends an event of a type now. */
export function sendTest(of: Target, body: WebhookTestRequest): Promise<WebhookTest> {
  return of === undefined
    ? ask(testWebhook({ ...request(), body }))
    : ask(testFurtherWebhook({ ...requestOf(of), body }));
}

/** Delivers again what failed since a moment; returns how many events that are. */
export async function replayFailed(of: Target, since: string): Promise<number> {
  const body = { since };
  const { replayed } = of === undefined
    ? await ask(replayFailedDeliveries({ ...request(), body }))
    : await ask(replayFurtherWebhook({ ...requestOf(of), body }));
  return replayed;
}
