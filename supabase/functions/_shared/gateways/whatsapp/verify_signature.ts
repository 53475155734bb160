import { hmacMatches } from "../../crypto/digests.ts";

const HEADER = /^sha256=([0-9a-f]{64})$/i;

/** The hexadecimal HMAC in `X-Hub-Signature-256`; null when the header has not its form. */
export function readSignature(header: string | undefined): string | null {
  return HEADER.exec(header ?? "")?.[1] ?? null;
}

/**
 * True when `signature` is the HMAC-SHA256 of exactly these bytes under the app's secret. Source: WhatsApp Cloud API,
 * webhooks.
 */
export async function verifySignature(
  rawBody: Uint8Array,
  signature: string,
  appSecret: string,
): Promise<boolean> {
  return await hmacMatches(rawBody, signature, appSecret);
}
