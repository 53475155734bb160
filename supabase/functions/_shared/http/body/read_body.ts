import { z } from "@hono/zod-openapi";
import type { IdempotentRequest } from "../../campaigns/plan_campaign.ts";
import { sha256Hex } from "../../crypto/digests.ts";
import { AppError, badFormat } from "../../errors.ts";
import { countValues, MAX_VALUES } from "../../values/count_values.ts";
import { isStorable, STORABLE } from "../../values/storable_text.ts";
import type { AppContext } from "../app/context.ts";
import { clientAddress } from "../app/request_context.ts";
import {
  collect,
  CollectedBytes,
  endedEarly,
  PART_BYTES,
  startBodyDeadline,
  tooLarge,
  tooSlow,
} from "./collect_bytes.ts";

/** Enough for the longest text a visitor may write, in escapes. */
const DEFAULT_MAX_BYTES = 32 * 1024;
const MAX_LEVELS = 16;

export interface ReadJson {
  value: Record<string, unknown>;
  /** The body as it was sent, for fingerprints. */
  text: string;
}

/**
 * Reads a JSON object: `Content-Type: application/json`, UTF-8, at most `maxBytes`.
 *
 * Throws `validation_failed`, and what `readBytes` throws. Text the database could not hold (NUL, half a surrogate pair),
 * more than 16 levels and more than 20,000 values are refused here, once, for all routes.
 *
 * @param options `maxBytes`. @default 32 KiB; `unchecked`: a field that the caller checks with `countValues` and `isStorable`
 */
export async function readJson(
  c: AppContext,
  { maxBytes = DEFAULT_MAX_BYTES, unchecked }: { maxBytes?: number; unchecked?: string } = {},
): Promise<ReadJson> {
  requireJsonType(c);
  return checkJson(c, await readBytes(c, maxBytes), unchecked);
}

/** Reads a JSON object like {@link readJson}, or returns an empty one for a request without a body. */
export async function readOptionalJson(c: AppContext): Promise<ReadJson> {
  const bytes = await readBytes(c, DEFAULT_MAX_BYTES);
  // Many clients name the type of a body that they do not send.
  if (bytes.length === 0) return { value: {}, text: "" };
  requireJsonType(c);
  return checkJson(c, bytes);
}

function requireJsonType(c: AppContext): void {
  const type = bodyType(c);
  if (type !== "application/json") throw badFormat("Content-Type", type, "application/json");
}

function checkJson(c: AppContext, bytes: Uint8Array, unchecked?: string): ReadJson {
  const text = decode(bytes);
  c.set("bodyText", text);
  const value = parse(text);
  // Only an escape can make a NUL or half a surrogate pair: JSON refuses the one bare, UTF-8 the other.
  checkTree(value, { hasEscapes: text.includes("\\u"), unchecked });
  return { value, text };
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw badBody("is not valid UTF-8", "bytes that are not UTF-8", { cause });
  }
}

function parse(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw badBody("is not valid JSON", "text that is not JSON", { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badBody("must be a JSON object", value);
  }
  return value as Record<string, unknown>;
}

/** Does not repeat the text: it may hold a password. */
function badBody(
  problem: string,
  provided: unknown,
  { expected = "a JSON object", field = "body", cause }: BadBodyOptions = {},
): AppError {
  const { details } = badFormat(field, provided, expected);
  return new AppError("validation_failed", `The request body ${problem}`, { details, cause });
}

interface BadBodyOptions {
  expected?: string;
  field?: string;
  cause?: unknown;
}

function checkTree(
  root: Record<string, unknown>,
  { hasEscapes, unchecked }: { hasEscapes: boolean; unchecked: string | undefined },
): void {
  let values = 1;
  for (const [name, value] of Object.entries(root)) {
    if (name !== unchecked) values += countValues(value, MAX_LEVELS - 1);
    if (values === Infinity) throw tooMuch("is nested deeper than", `${MAX_LEVELS} levels`);
    if (values > MAX_VALUES) throw tooMuch("holds more than", `${MAX_VALUES} values`);
  }
  if (!hasEscapes) return;
  for (const [name, value] of Object.entries(root)) {
    if (!isStorable(name)) throw notStorable("body");
    if (name !== unchecked && !isStorable(value)) throw notStorable(name);
  }
}

function tooMuch(problem: string, limit: string): AppError {
  return badBody(`${problem} ${limit}`, {}, { expected: `a JSON object of at most ${limit}` });
}

function notStorable(field: string): AppError {
  const problem = "holds text that is not valid Unicode, or a NUL character";
  return badBody(problem, "", { expected: STORABLE, field });
}

/**
 * Reads a body of at most `maxBytes`. A declared length reserves no memory: it is taken as bytes arrive, and counts in
 * `services.bodies` until the response is made. Hono's `bodyLimit` limits each body by itself, and so not their sum.
 *
 * Throws `payload_too_large`, `request_timeout` after 15 s, `rate_limit_exceeded` when all requests together hold too
 * much, and `validation_failed` when the client ends the body early.
 */
export async function readBytes(c: AppContext, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const declared = declaredBytes(c);
  if (declared !== undefined && declared > maxBytes) throw tooLarge(maxBytes);
  const collected = new CollectedBytes(c, maxBytes);
  const deadline = startBodyDeadline();
  // Not when the body is read: deadlines that overlap share a timer, which costs more than the rest of reading.
  c.get("onResponse").push(() => deadline.end());
  try {
    // At once, because the stream of a body costs a tenth of a request. CollectedBytes has counted this much already.
    if (declared !== undefined && declared <= PART_BYTES) {
      return new Uint8Array(await Promise.race([c.req.raw.arrayBuffer(), deadline.passed]));
    }
    const { body } = c.req.raw;
    if (body !== null) await collect(body, collected, deadline);
    return collected.bytes();
  } catch (error) {
    if (error instanceof AppError && !deadline.isOver()) throw error;
    // A late or interrupted body of an unknown caller counts as a wrong credential.
    if (!c.get("isKnown")) c.get("services").refusedAddresses.count(clientAddress(c), collected.size);
    throw deadline.isOver() ? tooSlow() : endedEarly(error);
  }
}

/** Returns the media type that a request declares for its body, in lower case without parameters; empty when it declares none. */
export function bodyType(c: AppContext): string {
  return c.req.header("Content-Type")?.split(";")[0]?.trim().toLowerCase() ?? "";
}

/** Returns the length that a request declares for its body, or undefined when it declares none or not a number. */
export function declaredBytes(c: AppContext): number | undefined {
  const declared = c.req.header("Content-Length");
  return declared !== undefined && /^\d+$/.test(declared) ? Number(declared) : undefined;
}

/** The form of a key that makes a request safe to repeat. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
export const IDEMPOTENCY_KEY_FORMAT = "1 to 255 printable ASCII characters without spaces";

/** The header that makes a repeated request safe, for the API document. */
export const idempotencyHeaders = z.object({
  "Idempotency-Key": z.string().regex(IDEMPOTENCY_KEY).optional().openapi({
    description: "The same for a repeated request: it then gets the first response again",
    example: "order-A-1001",
  }),
});

/**
 * Returns the `Idempotency-Key` header with a fingerprint of the request, or null when there is none. Throws
 * `validation_failed`.
 */
export function readIdempotencyKey(
  c: AppContext,
  endpoint: string,
  bodyText: string,
): IdempotentRequest | null {
  const key = c.req.header("Idempotency-Key");
  if (key === undefined) return null;
  if (!IDEMPOTENCY_KEY.test(key)) throw badFormat("Idempotency-Key", key, IDEMPOTENCY_KEY_FORMAT);
  return { endpoint, key, requestHash: sha256Hex(`${readParameters(c)}\n${bodyText}`) };
}

/** Parameters of the URL that change what a request means. */
const PARAMETERS = ["unflatten", "campaign_id", "more"];

function readParameters(c: AppContext): string {
  const given = PARAMETERS.filter((name) => c.req.query(name) !== undefined);
  return given.map((name) => `${name}=${c.req.query(name)}`).join("&");
}
