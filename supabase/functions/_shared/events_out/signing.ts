import { Webhook } from "standardwebhooks";
import { Buffer } from "node:buffer";

/** An event on its way to an endpoint. */
export interface SignableEvent {
  id: string;
  /** When it is sent, not when it happened: receivers refuse what is minutes old. */
  at: Date;
  payload: string;
}

/**
 * Returns the headers of Standard Webhooks: id, time and one signature per secret, so that during a rotation a receiver
 * with the old secret finds its own.
 *
 * @param secrets `whsec_…`
 */
export function signEvent(secrets: string[], { id, at, payload }: SignableEvent): Record<string, string> {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, at, payload)).join(" "),
  };
}

const SECRET_BYTES = 32;

/** Makes a secret to sign events with, in the form of Standard Webhooks: `whsec_` and base64. */
export function newSigningSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${Buffer.from(bytes).toString("base64")}`;
}
