import { z } from "@hono/zod-openapi";
import { LOOKUP_S } from "../../access/key_lookups.ts";
import { type Effect, mayHappen } from "../../access/effects.ts";
import { apiAccessOff, invalidKey, keyRefusal, RATE_WINDOW_S } from "../../access/key_refusal.ts";
import type { PresentedKey, RememberedRefusal } from "../../access/refused_keys.ts";
import { checkQuery } from "../../check_fields.ts";
import { type KeyState, readKeyState } from "../../db/queue/send_context.ts";
import { AppError, resultOf } from "../../errors.ts";
import type { AppContext } from "../app/context.ts";
import { clientAddress } from "../app/request_context.ts";
import { declaredBytes } from "../body/read_body.ts";
import { tooManyRefusals } from "./limits.ts";

/** The parameter of every route that takes a company's key. */
export const accessKeyParam = z.string().optional().openapi({
  description: "The company's key. Better send it as `Authorization: Bearer <key>`: URLs end up in logs",
  example: "outbound_q3V1c2sGmXbY0a7dKfPz4tRw8hLjN6yE5uQ9oIiTnBk",
});

/** The form of access keys and publishable keys, which no other token has. */
const BEARER_KEY = /^Bearer +((?:outbound|pk)_\S+)$/i;

/** Returns the key in `Authorization: Bearer`; undefined without the header, or for a token that is no key. */
export function bearerKey(c: AppContext): string | undefined {
  return BEARER_KEY.exec(c.req.header("Authorization") ?? "")?.[1];
}

/**
 * Returns the kind of credential that a request presents: a key, or a token of a user or a visitor. `Authorization`
 * counts before a key in the query.
 */
export function credentialOf(c: AppContext): "key" | "token" | "none" {
  if (c.req.header("Authorization") !== undefined) return bearerKey(c) === undefined ? "token" : "key";
  return c.req.query("access_key") ? "key" : "none";
}

/** Returns the key that a request presents, in the query (`access_key`) or as `Authorization: Bearer`; else undefined. */
export function givenKey(c: AppContext): string | undefined {
  return c.req.query("access_key") || bearerKey(c);
}

/**
 * Returns the hash of the company's key that a request presents. A publishable key opens widgets only.
 *
 * Throws `unauthorized` without a key, and what `presentKey` throws.
 */
export function presentedKeyHash(c: AppContext): string {
  const key = givenKey(c);
  if (key !== undefined) return presentKey(c, key);
  throw new AppError(
    "unauthorized",
    c.req.header("Authorization") === undefined
      ? "Missing access_key: send Authorization: Bearer <your company's key>, or add ?access_key=<it> to the URL"
      : "Malformed access key: Authorization must be Bearer outbound_…, your company's key",
  );
}

/**
 * Records the key that a request presents, and returns its hash. Refuses without a query: a key that was unknown a
 * moment ago, and from an address that presents too many unknown ones any key that was not looked up yet.
 *
 * Throws `unauthorized` and `rate_limit_exceeded`.
 */
export function presentKey(c: AppContext, key: string, opens: "company" | "widget" = "company"): string {
  const { keyLookups, knownKeys, refusedAddresses } = c.get("services");
  const keyHash = knownKeys.hash(key);
  // A publishable key is good for widgets and for nothing else.
  const presented = `${opens} ${keyHash}`;
  c.set("presentedKey", presented);
  c.set("isKnown", knownKeys.isGood(presented));
  const waitS = knownKeys.wasGood(presented) ? 0 : refusedAddresses.waitS(clientAddress(c));
  if (waitS > 0) {
    if (knownKeys.isUnknown(presented)) throw tooManyRefusals(c, waitS);
    keyLookups.request(presented, { hash: keyHash, text: key });
    throw tooManyRefusals(c, Math.min(waitS, LOOKUP_S));
  }
  const isPublishable = opens === "company" && key.startsWith("pk_");
  if (!isPublishable && !knownKeys.isUnknown(presented)) return keyHash;
  refusedAddresses.count(clientAddress(c));
  if (!isPublishable) throw AppError.from(invalidKey());
  throw new AppError("unauthorized", "A publishable key opens widgets only: use the company's access key");
}

/**
 * Returns the key that a request presents, as far as it is known without its request being counted: a key that was
 * refused within the last second, and one that must not send a large body, is refused here.
 *
 * Throws what {@link presentedKeyHash}, {@link refuseFromMemory} and {@link requireKeyForLargeBody} throw, in this
 * order.
 */
export async function identifyKey(c: AppContext, permission: string): Promise<PresentedKey> {
  const key = { keyHash: presentedKeyHash(c), permission, checksSender: true };
  refuseFromMemory(c, key);
  await requireKeyForLargeBody(c, key);
  return key;
}

/**
 * Refuses a key that the database refused within the last second, without a query. A request with an `Idempotency-Key`
 * passes, because it may have a first response. Throws the refusal.
 */
export function refuseFromMemory(c: AppContext, key: PresentedKey): void {
  if (c.req.header("Idempotency-Key") !== undefined) return;
  const { refusedKeys, now } = c.get("services");
  const known = refusedKeys.find(key, now());
  if (known === undefined) return;
  if (known.refusal.code === "api_access_off" && mayHappen(c.get("effect"), { api_access: false })) return;
  recordKey(c, known.key);
  throw AppError.from(known.refusal);
}

/** A larger body, or one of unknown length, is read for the holder of a good key only. */
const MAX_UNKNOWN_CALLER_BYTES = 8 * 1024;

/**
 * Looks the key up before a large body is read, unless it was good a moment ago. Does not count against the key's rate.
 *
 * Throws `unauthorized` and the refusals of a key that may not call.
 */
async function requireKeyForLargeBody(
  c: AppContext,
  { keyHash, ...needs }: PresentedKey,
): Promise<void> {
  if (c.get("isKnown") || !mayBeLarge(c)) return;
  requireGoodKey(c, await readKeyState(c.get("services").sql, keyHash, 0), needs);
}

function mayBeLarge(c: AppContext): boolean {
  const declared = declaredBytes(c);
  return declared === undefined ? c.req.raw.body !== null : declared > MAX_UNKNOWN_CALLER_BYTES;
}

/**
 * Returns what `reading` a request brings. A request that cannot be read counts too: throws what {@link countFault}
 * returns.
 */
export async function countingFault<Input>(
  c: AppContext,
  key: PresentedKey,
  reading: Promise<Input>,
): Promise<Input> {
  try {
    return await reading;
  } catch (error) {
    throw await countFault(c, key, error);
  }
}

/**
 * Counts a request that could not be read against the rate of its key. Returns what to throw: the refusal of the key,
 * if it has one, because only a caller with a good key may see the fault of a request, ours included; otherwise
 * `error`.
 */
async function countFault(
  c: AppContext,
  key: PresentedKey,
  error: unknown,
): Promise<unknown> {
  const used = await resultOf(useKey(c, key));
  return used.ok ? error : used.error;
}

/**
 * Counts a request against the rate of its key, and returns the key. Throws the refusal of the key, if it has one; the
 * next second refuses it from memory.
 */
export async function useKey(c: AppContext, presented: PresentedKey): Promise<KeyState> {
  const { keyHash, ...needs } = presented;
  const { sql, now } = c.get("services");
  const key = await readKeyState(sql, keyHash, 1);
  recordKey(c, key);
  const refusal = keyRefusal(key, { ...needs, now: now(), effect: c.get("effect") });
  if (refusal !== null) throw rememberRefusal(c, presented, { refusal, key });
  return key;
}

/** Returns the error for a refused request. Where the key itself is refused, the next second refuses it from memory. */
export function rememberRefusal(c: AppContext, presented: PresentedKey, known: RememberedRefusal): AppError {
  c.get("services").refusedKeys.record(presented, known);
  return AppError.from(known.refusal);
}

/**
 * Returns the query, checked against the schema that documents it. A query that does not fit counts as a refused
 * request: see {@link countFault}. Throws the refusal of the key, or `validation_failed`.
 */
export async function requireQuery<Schema extends z.ZodObject>(
  c: AppContext,
  key: PresentedKey,
  schema: Schema,
): Promise<z.infer<Schema>> {
  try {
    return checkQuery(schema, c.req.query());
  } catch (error) {
    throw await countFault(c, key, error);
  }
}

/** Records the key like `recordKey`. Throws its refusal, if it has one: see {@link keyRefusal}. */
export function requireGoodKey(
  c: AppContext,
  key: KeyState,
  needs: Omit<PresentedKey, "keyHash"> = {},
): void {
  recordKey(c, key);
  const refusal = keyRefusal(key, { ...needs, now: c.get("services").now(), effect: c.get("effect") });
  if (refusal) throw AppError.from(refusal);
}

/** Records the caller, and reports the rest of the key's rate to the client (`RateLimit`, `RateLimit-Policy`). */
export function recordKey(c: AppContext, key: KeyState): void {
  if (key.outcome === "unauthorized") return recordUnknownKey(c);
  recordGoodKey(c);
  c.set("companyId", key.company_id);
  c.set("keyId", key.api_key_id);
  // The header fields of the IETF draft "RateLimit header fields for HTTP".
  c.header("RateLimit-Policy", `"requests";q=${key.rate_limit};w=${RATE_WINDOW_S}`);
  c.header("RateLimit", `"requests";r=${key.remaining};t=${key.reset_s}`);
}

/** Remembers that the presented key is good, and that the caller is known by it. */
export function recordGoodKey(c: AppContext): void {
  const presentedKey = c.get("presentedKey");
  const { knownKeys } = c.get("services");
  c.set("isKnown", true);
  if (presentedKey && !knownKeys.isGood(presentedKey)) knownKeys.record(presentedKey, "good");
}

/**
 * Remembers that the database does not know the presented key, and counts that against the caller's address. Removes
 * the `RateLimit` headers of an earlier check, when the key was still good.
 */
export function recordUnknownKey(c: AppContext): void {
  const { knownKeys, refusedAddresses } = c.get("services");
  const presentedKey = c.get("presentedKey");
  if (presentedKey) knownKeys.record(presentedKey, "unknown");
  refusedAddresses.count(clientAddress(c));
  c.header("RateLimit-Policy", undefined);
  c.header("RateLimit", undefined);
}

/** Throws `api_access_off` for what a company may not do: see {@link mayHappen}. */
export function requireApiAccess(company: { api_access: boolean }, effect: Effect): void {
  if (!mayHappen(effect, company)) throw AppError.from(apiAccessOff());
}
