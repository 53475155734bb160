import assert from "node:assert/strict";
import type { JsonObject } from "../setup/http/http.ts";
import { cutOff, type SeenRequest, type Step, withScriptedService } from "./scripted_service.ts";
import { type Clients, contacts, withClients } from "./with_clients.ts";

/**
 * The program of one client: `<program> <behaviour>`, with OUTBOUND_BASE_URL, OUTBOUND_API_KEY and INPUT, as JSON, in its
 * environment. It does what the behaviour says and prints one line of JSON.
 */
export interface ClientProgram {
  /** The class of the error of a 400. */
  validationError: string;
  /** The class of the error of a 401. */
  unauthorizedError: string;
  run(behaviour: string, env: Record<string, string>): Promise<JsonObject>;
}

/** A notification and a contact to send it to. */
export function one({ notification }: Clients) {
  return { notification, contact: contacts(1)[0]! };
}

/** The environment of a program that asks the running service. */
export function envOf({ baseUrl, key }: Clients, input: object): Record<string, string> {
  return { OUTBOUND_BASE_URL: baseUrl, OUTBOUND_API_KEY: key.key, INPUT: JSON.stringify(input) };
}

/** The environment of a program that asks a scripted service. */
export function scriptedEnv(baseUrl: string, input: object): Record<string, string> {
  return { OUTBOUND_BASE_URL: baseUrl, OUTBOUND_API_KEY: "outbound_scripted", INPUT: JSON.stringify(input) };
}

/** Asks the running service. */
export function forward({ baseUrl }: Clients): Step {
  return async ({ method, path, headers, body }) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers,
      ...body !== "" && { body },
    });
    const { status } = response;
    const kept = new Headers(response.headers);
    kept.delete("Content-Encoding");
    return new Response(await response.arrayBuffer(), { status, headers: kept });
  };
}

/** Takes a step, and loses its response. */
export function lose(step: Step): Step {
  return async (request) => {
    if (typeof step === "function") await step(request);
    return cutOff();
  };
}

/** Sends one notification through a service that takes these steps: each has the same key, and one message is stored. */
export async function sendThrough(
  program: ClientProgram,
  behaviour: string,
  stepsOf: (step: Step) => Step[],
): Promise<SeenRequest[]> {
  const requests: SeenRequest[] = [];
  await withClients(async (t) => {
    const steps = stepsOf(forward(t));
    await withScriptedService(steps, async ({ baseUrl, seen }) => {
      const env = { ...envOf(t, one(t)), OUTBOUND_BASE_URL: baseUrl };

      const { campaign_id } = await program.run(behaviour, env);

      assert.equal(seen.length, steps.length);
      const keys = new Set(seen.map(({ headers }) => headers.get("Idempotency-Key")));
      assert.deepEqual([keys.size, keys.has(null)], [1, false]);
      await assertStored(t, campaign_id, 1);
      requests.push(...seen);
    });
  });
  return requests;
}

/** The company has this campaign alone, with so many messages. */
export async function assertStored(
  { sql, company }: Clients,
  campaignId: string,
  count: number,
): Promise<void> {
  const stored = await sql`
    select campaign_id, count(*)::int as count from outbound.notifications
    where company_id = ${company.id} group by campaign_id`;
  assert.deepEqual([...stored], [{ campaign_id: campaignId, count }]);
}
