import { AppError, badFormat } from "../errors.ts";
import { PROTOTYPE_KEYS } from "../prototype_keys.ts";
import type { AppContext } from "./app.ts";
import { readBytes } from "./read_bytes.ts";

/** Room for the longest text a visitor may write, in escapes. */
const DEFAULT_MAX_BYTES = 32 * 1024;
const MAX_LEVELS = 16;
/** A full request of 100 contacts with a hundred fields each has half as many. */
const MAX_VALUES = 20_000;

export interface JsonBody {
  value: Record<string, unknown>;
  /** The body as it came, for fingerprints. */
  text: string;
}

/**
 * Reads a JSON object: `Content-Type: application/json`, UTF-8, at most `maxBytes`.
 *
 * Throws `validation_failed`, and what `readBytes` throws. Text the database could not hold (NUL, half a surrogate pair),
 * keys that would reach an object's prototype, more than 16 levels and more than 20,000 values are refused here, once, for
 * all routes.
 *
 * @param options `maxBytes`. @default 32 KiB
 */
export async function readJson(
  c: AppContext,
  { maxBytes = DEFAULT_MAX_BYTES }: { maxBytes?: number } = {},
): Promise<JsonBody> {
  const type = c.req.header("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") throw badFormat("Content-Type", type ?? "", "application/json");
  const text = decode(await readBytes(c, maxBytes));
  const value = parse(text);
  checkTree(value);
  return { value, text };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw badBody("is not valid UTF-8", "bytes that are not UTF-8", cause);
  }
}

function parse(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw badBody("is not valid JSON", "text that is not JSON", cause);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badBody("must be a JSON object", value);
  }
  return value as Record<string, unknown>;
}

/** Does not repeat the text: it may hold a password. */
function badBody(problem: string, provided: unknown, cause?: unknown): AppError {
  const { details } = badFormat("body", provided, "a JSON object");
  return new AppError("validation_failed", `The request body ${problem}`, { details: details!, cause });
}

/** Level by level instead of by recursion: a megabyte of `[` must not exhaust the stack. */
function checkTree(root: unknown): void {
  let level: unknown[] = [root];
  let values = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_LEVELS) {
      throw badBody(`is nested deeper than ${MAX_LEVELS} levels`, root);
    }
    values += level.length;
    if (values > MAX_VALUES) {
      throw badBody(`holds more than ${MAX_VALUES} values`, root);
    }
    level = level.flatMap(children);
  }
}

function children(value: unknown): unknown[] {
  if (typeof value === "string") checkText(value);
  if (typeof value !== "object" || value === null) return [];
  for (const key of Array.isArray(value) ? [] : Object.keys(value)) {
    checkText(key);
    if (PROTOTYPE_KEYS.has(key)) throw badFormat(key, "", "another field name");
  }
  return Object.values(value);
}

function checkText(text: string): void {
  if (text.includes("\0") || !text.isWellFormed()) {
    throw new AppError(
      "validation_failed",
      "The request body holds text that is not valid Unicode, or a NUL character",
    );
  }
}
