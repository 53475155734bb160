import { z } from "zod";

const OBJECT = "outbound_probe";

const probeSchema = z.object({ object: z.literal(OBJECT), nonce: z.guid() });

/** The body of a probe, in the form of the platform's events, so that it goes through the same door. */
export function writeProbe(nonce: string): string {
  return JSON.stringify({ object: OBJECT, nonce });
}

/** The nonce of a parsed body that is a probe; null for any other. */
export function readProbe(body: unknown): string | null {
  return probeSchema.safeParse(body).data?.nonce ?? null;
}
