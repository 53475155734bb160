import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { CONTENT_TYPES } from "./content_types.ts";
import type { Operation } from "./operation.ts";
import type { Program } from "./program.ts";
import type { ReadArguments } from "./read_request.ts";
import { UsageError } from "./usage_error.ts";

/** The body and its media type, as the client takes them. */
export interface RequestBody {
  body?: unknown;
  bodySerializer?: null;
  headers: Record<string, string>;
}

/** Reads the body from --body and the flags, whose fields win. */
export async function readBody(
  { terminal }: Program,
  { body: types }: Operation,
  { parts, own }: ReadArguments,
): Promise<RequestBody> {
  if (types === undefined) {
    if (own.body !== undefined) throw new UsageError("This command takes no --body");
    return { headers: parts.headers };
  }
  const headers = { ...parts.headers };
  if (types[0] === "application/json") {
    const given = own.body === undefined ? {} : parseJson(await readInput(terminal, own.body));
    headers["Content-Type"] = "application/json";
    return { body: merge(given ?? {}, parts.body ?? {}), headers };
  }
  if (own.body === undefined) throw new UsageError("Give the file with --body; - is standard input");
  headers["Content-Type"] = own["content-type"] ?? CONTENT_TYPES[extname(own.body).toLowerCase()] ??
    types[0]!;
  return { body: await readInput(terminal, own.body), bodySerializer: null, headers };
}

/** Fields of `others` win, also inside of fields. */
function merge(base: unknown, others: Record<string, unknown>): unknown {
  if (!isFields(base)) return Object.keys(others).length > 0 ? others : base;
  const merged = Object.entries(others).map(([name, value]) =>
    [name, isFields(value) && Object.hasOwn(base, name) ? merge(base[name], value) : value] as const
  );
  return { ...base, ...Object.fromEntries(merged) };
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function readInput(terminal: Program["terminal"], path: string): Promise<Uint8Array<ArrayBuffer>> {
  if (path === "-") return await terminal.readInput();
  try {
    return new Uint8Array(await readFile(path));
  } catch {
    throw new UsageError(`The file ${path} cannot be read`);
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new UsageError("--body: this is not valid JSON");
  }
}
