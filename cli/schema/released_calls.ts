import { z } from "zod";
import type { Catalogue } from "./catalogue.ts";

/**
 * The objects of schema `outbound` that the last release uses, in its code and in its functions in the database: its
 * processes, and calls that are under way, run beside the next migrations.
 */
export interface ReleasedCalls {
  /** By name, without arguments. */
  functions: string[];
  /** Tables and views. */
  tables: string[];
  /** As `table.column`. */
  columns: string[];
}

/** The record of the last release, which `tests/migrations/upgrade/record_release.ts` writes. */
export const RELEASED_CALLS = new URL("../../supabase/released_calls.json", import.meta.url);

const schema = z.object({
  functions: z.array(z.string()),
  tables: z.array(z.string()),
  columns: z.array(z.string()),
});

/** Reads what the last release uses; undefined before the first. */
export async function readReleasedCalls(file: URL = RELEASED_CALLS): Promise<ReleasedCalls | undefined> {
  try {
    return schema.parse(JSON.parse(await Deno.readTextFile(file)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * Returns what code uses of a schema. A column counts as used where the code names its table anywhere, and its name
 * anywhere: too many rather than too few.
 */
export function callsIn(texts: string[], catalogue: Catalogue): ReleasedCalls {
  const named = new Set<string>();
  const words = new Set<string>();
  for (const text of texts) {
    for (const [, name] of text.matchAll(/\boutbound\.(\w+)/g)) named.add(name!);
    for (const [word] of text.matchAll(/\w+/g)) words.add(word);
  }
  const calls: ReleasedCalls = { functions: [], tables: [], columns: [] };
  for (const { kind, table, name } of catalogue.values()) {
    if (kind === "function" && named.has(bareName(name))) calls.functions.push(bareName(name));
    if ((kind === "table" || kind === "view") && named.has(name)) calls.tables.push(name);
    if (kind === "column" && named.has(table!) && words.has(name)) calls.columns.push(`${table}.${name}`);
  }
  return {
    functions: [...new Set(calls.functions)].sort(),
    tables: calls.tables.sort(),
    columns: calls.columns.sort(),
  };
}

/** Returns whether a release uses an object of the schema, named by its key in the catalogue. */
export function isUsed({ functions, tables, columns }: ReleasedCalls, key: string): boolean {
  const name = key.slice(key.indexOf(" ") + 1);
  if (key.startsWith("function ")) return functions.includes(bareName(name));
  return key.startsWith("column ") ? columns.includes(name) : tables.includes(name);
}

/** The name of a function without its arguments. */
function bareName(name: string): string {
  return name.replace(/\(.*/s, "");
}
