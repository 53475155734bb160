import { hmacMatches } from "../hmac_matches.ts";

const HEADER = /^sha256=([0-9a-f]{64})$/i;

/**
 * True when `X-Hub-Signature-256` is the HMAC-SHA256 of exactly these bytes under the app's secret. Source: WhatsApp
 * Cloud API, webhooks.
 */
export async function verifySignature(
  rawBody: Uint8Array,
  header: string | null,
  appSecret: string,
): Promise<boolean> {
  const hex = HEADER.exec(header ?? "")?.[1];
  return hex !== undefined && await hmacMatches(rawBody, hex, appSecret);
}
