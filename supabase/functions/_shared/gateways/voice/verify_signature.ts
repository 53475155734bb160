import { hmacMatches } from "../../crypto/digests.ts";

const MAX_AGE_S = 30 * 60;

/** The parts of `ElevenLabs-Signature`. */
export interface VoiceSignature {
  /** Unix seconds. */
  time: string;
  /** The hexadecimal HMAC. */
  hex: string;
}

/**
 * Reads `ElevenLabs-Signature` (`t=<unix seconds>,v0=<hex>`). Returns null when it has another form, or was not made
 * within 30 minutes of `now`: neither a replayed request nor one signed for a future time passes.
 */
export function readSignature(header: string | undefined, now: Date): VoiceSignature | null {
  const parts = (header ?? "").split(",").map((part) => part.trim());
  const time = /^t=(\d{1,11})$/.exec(parts.find((part) => part.startsWith("t=")) ?? "")?.[1];
  const hex = /^v0=([0-9a-f]{64})$/.exec(parts.find((part) => part.startsWith("v0=")) ?? "")?.[1];
  if (time === undefined || hex === undefined) return null;
  return Math.abs(now.getTime() / 1000 - Number(time)) > MAX_AGE_S ? null : { time, hex };
}

/**
 * Returns whether the signature is the HMAC-SHA256 of `<t>.<raw body>` under the webhook's secret, or under one of
 * several separated by commas: every workspace of the platform has its own, and one that is being replaced has two. Source: Agents API,
 * post-call webhooks.
 */
export async function verifySignature(
  rawBody: Uint8Array,
  { time, hex }: VoiceSignature,
  secret: string,
): Promise<boolean> {
  const prefix = new TextEncoder().encode(`${time}.`);
  const signed = new Uint8Array(prefix.length + rawBody.length);
  signed.set(prefix);
  signed.set(rawBody, prefix.length);
  const matches = await Promise.all(secret.split(",").map((one) => hmacMatches(signed, hex, one.trim())));
  return matches.includes(true);
}
