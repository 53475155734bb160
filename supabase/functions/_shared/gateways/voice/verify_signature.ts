import { hmacMatches } from "../hmac_matches.ts";

const LONGEST_AGE_S = 30 * 60;

/**
 * True when `ElevenLabs-Signature` (`t=<unix seconds>,v0=<hex>`) is the HMAC-SHA256 of `<t>.<raw body>` under the
 * webhook's secret, or one of several with commas between them (every workspace of the platform has its own, and one
 * that is being replaced has two), and was made within 30 minutes of now: an old call played back, or one signed for a time to come,
 * does not pass. Source: Agents API, post-call webhooks.
 */
export async function verifySignature(
  rawBody: Uint8Array,
  header: string | null,
  { secret, now }: { secret: string; now: Date },
): Promise<boolean> {
  const parts = (header ?? "").split(",").map((part) => part.trim());
  const time = /^t=(\d{1,11})$/.exec(parts.find((part) => part.startsWith("t=")) ?? "")?.[1];
  const hex = /^v0=([0-9a-f]{64})$/.exec(parts.find((part) => part.startsWith("v0=")) ?? "")?.[1];
  if (time === undefined || hex === undefined) return false;
  if (Math.abs(now.getTime() / 1000 - Number(time)) > LONGEST_AGE_S) return false;
  const prefix = new TextEncoder().encode(`${time}.`);
  const signed = new Uint8Array(prefix.length + rawBody.length);
  signed.set(prefix);
  signed.set(rawBody, prefix.length);
  const matches = await Promise.all(secret.split(",").map((one) => hmacMatches(signed, hex, one.trim())));
  return matches.includes(true);
}
