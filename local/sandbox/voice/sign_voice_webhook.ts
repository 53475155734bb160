import { createHmac } from "node:crypto";

/** The value of `ElevenLabs-Signature` for these exact bytes; `seconds` is the unix time it is signed at. */
export function signVoiceWebhook(secret: string, body: Uint8Array, seconds: number): string {
  return `t=${seconds},v0=${createHmac("sha256", secret).update(`${seconds}.`).update(body).digest("hex")}`;
}
