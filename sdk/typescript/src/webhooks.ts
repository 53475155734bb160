/**
 * Receiving the service's webhooks. An entry of its own, because the library that checks signatures does not belong in
 * browsers.
 *
 * @module
 */
import { Webhook } from "standardwebhooks";
import { OutboundError } from "./outbound_error.ts";
import type { WebhookEvent } from "./generated/index.ts";

export type { WebhookEvent } from "./generated/index.ts";
export { OutboundError } from "./outbound_error.ts";

/** The data of each event, by its type. */
export type WebhookEventData = { [Event in WebhookEvent as Event["type"]]: Event["data"] };

/** The headers of a request, as `fetch` or as Node has them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Checks the signature and the age of a webhook request and returns its event. An event may come twice: keep the
 * `webhook-id` headers that you handled.
 *
 * @param body exactly as it came
 * @param secret the webhook's, with its `whsec_`
 * @throws {OutboundError} `invalid_signature`
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
): WebhookEvent {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  try {
    return new Webhook(secret).verify(text, plainHeaders(headers)) as WebhookEvent;
  } catch (cause) {
    const message = `The request is not a webhook signed with this secret: ${(cause as Error).message}`;
    throw new OutboundError({ status: 0, code: "invalid_signature", message, cause });
  }
}

function plainHeaders(headers: WebhookHeaders): Record<string, string> {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value ?? "")]));
}
