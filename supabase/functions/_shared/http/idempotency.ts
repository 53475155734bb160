import { sha256Hex } from "../crypto/sha256_hex.ts";
import { readFirstAnswer } from "../db/first_answer.ts";
import { AppError, badFormat, keyReused } from "../errors.ts";
import type { AppContext } from "./app.ts";

/** A request that must not be carried out twice. */
export interface IdempotentRequest {
  /** Which endpoint the key belongs to. */
  endpoint: string;
  key: string;
  /** Fingerprint of everything the answer depends on. */
  requestHash: string;
}

/** The `Idempotency-Key` header with a fingerprint of the request, or null when there is none. */
export function readIdempotencyKey(
  c: AppContext,
  endpoint: string,
  bodyText: string,
): IdempotentRequest | null {
  const key = c.req.header("Idempotency-Key");
  if (key === undefined) return null;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw badFormat("Idempotency-Key", key, "1 to 255 printable ASCII characters without spaces");
  }
  return { endpoint, key, requestHash: sha256Hex(`${c.req.query("unflatten") ?? ""}\n${bodyText}`) };
}

/**
 * Runs `carryOut`; when it refuses what an earlier request with the same key was granted (its time has passed, its
 * template was stopped since), the earlier answer counts.
 */
export async function orFirstAnswer(
  c: AppContext,
  { keyHash, request }: { keyHash: string; request: IdempotentRequest | null },
  carryOut: () => Promise<Response>,
): Promise<Response> {
  try {
    return await carryOut();
  } catch (error) {
    if (!request || !(error instanceof AppError) || error.status >= 500) throw error;
    const first = await readFirstAnswer(c.var.services.sql, { keyHash, ...request });
    if (first === undefined) throw error;
    if (first.request_hash !== request.requestHash) throw keyReused();
    return replay(c, first.answer);
  }
}

/** The first answer once more. */
export function replay(c: AppContext, answer: unknown): Response {
  c.header("Idempotent-Replayed", "true");
  return c.json(answer as Record<string, unknown>);
}
