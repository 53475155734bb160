import { z } from "zod";
import { startDeadline } from "../concurrency/deadline.ts";

/** A request to our own webhook that shows whether it can be reached. */
export interface Probe {
  /** Our own, for the messaging platform's events. */
  webhookUrl: string;
  appSecret: string;
  nonce: string;
}

/**
 * Posts a probe to our own webhook, signed as the platform signs its events. Never throws for what the network or the
 * webhook does, and follows no redirect, since the platform follows none.
 *
 * @returns null when it was accepted, otherwise what failed
 */
export async function postProbe(
  { webhookUrl, appSecret, nonce }: Probe,
  { timeoutMs }: { timeoutMs: number },
): Promise<string | null> {
  const body = new TextEncoder().encode(writeProbe(nonce));
  const deadline = startDeadline(timeoutMs);
  try {
    const response = await fetch(webhookUrl, {
      method: "POST",
      headers: { "content-type": "application/json", "x-hub-signature-256": await sign(body, appSecret) },
      body,
      redirect: "manual",
      signal: deadline.signal,
    });
    await response.body?.cancel();
    return response.status === 200 ? null : `It responded ${response.status}`;
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return isLate
      ? `It did not respond within ${timeoutMs} ms`
      : "No connection to it could be made, or it broke";
  } finally {
    deadline.clear();
  }
}

/** Returns the value of `X-Hub-Signature-256`. Source: WhatsApp Cloud API, webhooks. */
async function sign(body: BufferSource, secret: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), algorithm, false, [
    "sign",
  ]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, body));
  return `sha256=${[...signature].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

const OBJECT = "outbound_probe";

const probeSchema = z.object({ object: z.literal(OBJECT), nonce: z.guid() });

/** Returns the body of a probe, in the form of the platform's events, so that it takes the same way. */
function writeProbe(nonce: string): string {
  return JSON.stringify({ object: OBJECT, nonce });
}

/** Returns the nonce of a parsed body that is a probe; null for any other. */
export function readProbe(body: unknown): string | null {
  return probeSchema.safeParse(body).data?.nonce ?? null;
}
