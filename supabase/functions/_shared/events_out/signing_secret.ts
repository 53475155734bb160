import { Buffer } from "node:buffer";

const SECRET_BYTES = 32;

/** A new secret to sign events with, in the form Standard Webhooks gives it: `whsec_` and base64. */
export function newSigningSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${Buffer.from(bytes).toString("base64")}`;
}
