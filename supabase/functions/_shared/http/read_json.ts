import { AppError, badFormat } from "../errors.ts";
import { PROTOTYPE_KEYS } from "../prototype_keys.ts";
import type { AppContext } from "./app.ts";
import { readBytes } from "./read_bytes.ts";

const MOST_BYTES = 1024 * 1024;
const MOST_LEVELS = 16;

export interface JsonBody {
  value: Record<string, unknown>;
  /** The body as it came, for fingerprints. */
  text: string;
}

/**
 * Reads a JSON object: `Content-Type: application/json`, at most 1 MiB, UTF-8.
 *
 * Throws `validation_failed`, or `payload_too_large`. Text the database could not hold (NUL, half a surrogate pair),
 * keys that would reach an object's prototype and nesting deeper than 16 levels are refused here, once, for all routes.
 */
export async function readJson(c: AppContext): Promise<JsonBody> {
  const type = c.req.header("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") throw badFormat("Content-Type", type ?? "", "application/json");
  const text = decode(await readBytes(c.req.raw, MOST_BYTES));
  const value = parse(text);
  checkTree(value);
  return { value, text };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError("validation_failed", "The request body is not valid UTF-8", { cause });
  }
}

function parse(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AppError("validation_failed", "The request body is not valid JSON", { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("validation_failed", "The request body must be a JSON object");
  }
  return value as Record<string, unknown>;
}

/** Level by level instead of by recursion: a megabyte of `[` must not exhaust the stack. */
function checkTree(root: unknown): void {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MOST_LEVELS) {
      throw new AppError("validation_failed", `The request body is nested deeper than ${MOST_LEVELS} levels`);
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
