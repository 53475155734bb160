import { createHmac } from "node:crypto";

/** The value of `X-Hub-Signature-256` for these exact bytes: "sha256=" and the HMAC in lower-case hex. */
export function signWebhook(appSecret: string, body: Uint8Array): string {
  return `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}`;
}
