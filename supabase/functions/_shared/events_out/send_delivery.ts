import type { Sealer } from "../crypto/seal.ts";
import { webhookSecretOf } from "../crypto/secret_owner.ts";
import type { ClaimedDelivery, FinishedDelivery } from "../db/webhook_deliveries.ts";
import { type EndpointAnswer, postToEndpoint } from "../gateways/webhook_endpoint/post_to_endpoint.ts";
import { VERSION } from "../version.ts";
import { nextTryInS } from "./next_try.ts";
import { signEvent } from "./sign_event.ts";

export interface DeliveryContext {
  sealer: Sealer;
  now(): Date;
  /** Evenly spread over 0 ≤ x < 1. */
  random(): number;
  allowPrivate: boolean;
}

const TIMEOUT_MS = 10_000;
const GONE = 410;

/** Offers one event to its endpoint and says how that went. Any 2xx is success; never throws. */
export async function sendDelivery(
  context: DeliveryContext,
  delivery: ClaimedDelivery,
): Promise<FinishedDelivery> {
  const started = performance.now();
  const answer = await offer(context, delivery);
  const { company_id, event_id, attempt } = delivery;
  const succeeded = answer.kind === "answered" && answer.status >= 200 && answer.status < 300;
  const gone = answer.kind === "answered" && answer.status === GONE;
  return {
    company_id,
    event_id,
    attempt,
    outcome: succeeded ? "succeeded" : "failed",
    response_status: answer.kind === "answered" ? answer.status : null,
    response_body: answer.kind === "answered" ? answer.body : null,
    error: succeeded ? null : errorOf(answer),
    duration_ms: Math.round(performance.now() - started),
    retry_in_s: succeeded || gone ? null : nextTryInS(delivery.try, context.random()),
    gone,
  };
}

async function offer(context: DeliveryContext, delivery: ClaimedDelivery): Promise<EndpointAnswer> {
  const { event_id: id, payload, url } = delivery;
  const secrets = await openSecrets(context.sealer, delivery);
  if (!Array.isArray(secrets)) {
    return { kind: "failed", reason: secrets.unreadable };
  }
  const headers = {
    "content-type": "application/json",
    "user-agent": `outbound/${VERSION}`,
    ...signEvent(secrets, { id, at: context.now(), payload }),
  };
  const { allowPrivate } = context;
  return await postToEndpoint(url, { headers, body: payload }, { timeoutMs: TIMEOUT_MS, allowPrivate });
}

async function openSecrets(
  sealer: Sealer,
  { company_id, secret_sealed, old_secret_sealed }: ClaimedDelivery,
): Promise<string[] | { unreadable: string }> {
  const sealed = old_secret_sealed === null ? [secret_sealed] : [secret_sealed, old_secret_sealed];
  const owner = webhookSecretOf(company_id);
  return await Promise.all(sealed.map((text) => sealer.open(text, owner))).catch((error: Error) => ({
    unreadable: `The webhook's secret cannot be opened: ${error.message}`,
  }));
}

function errorOf(answer: EndpointAnswer): string {
  if (answer.kind === "failed") return answer.reason;
  const redirected = answer.status >= 300 && answer.status < 400 ? "; redirects are not followed" : "";
  return `The endpoint answered HTTP ${answer.status}${redirected}`;
}
