import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runDevProgram } from "../../cli/dev_program.ts";
import { listSourceFiles } from "../tools/import_graph.ts";
import type { Expression, ReadSource } from "../../dev/expression.ts";

const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");
const PRODUCT = ["supabase", "cli", "console", "widget", "local", "sdk"];

/** Returns every regular expression of the product, written as one or made of text while its module loads. */
export async function productExpressions(): Promise<Expression[]> {
  const found: Expression[] = [];
  const sources = await Promise.all((await listSourceFiles(ROOT, PRODUCT)).map(readText));
  // One after the other: `madeBy` watches a global.
  for (const { file, written, makers } of await readSources(sources)) {
    found.push(...written, ...makers.length > 0 ? await madeBy(file, makers) : []);
  }
  return found;
}

/** Returns what source files write. */
function readSources(sources: { file: string; text: string }[]): Promise<ReadSource[]> {
  return runDevProgram("read_expressions.ts", sources);
}

/** Returns why expressions may take more than linear time on some text; null for one that never does. */
export function slownessOf(expressions: Expression[]): Promise<(string | null)[]> {
  return runDevProgram("find_slow_expressions.ts", expressions);
}

async function readText(file: string): Promise<{ file: string; text: string }> {
  return { file, text: await Deno.readTextFile(resolve(ROOT, file)) };
}

/**
 * Loads a module once more and returns what it hands to `RegExp`.
 *
 * @throws {Error} for an expression that is made later, of a text that is not known before
 */
async function madeBy(file: string, makers: string[]): Promise<Expression[]> {
  const made: Expression[] = [];
  const url = pathToFileURL(resolve(ROOT, file)).href;
  // Its imports are loaded before, so that only its own expressions are seen.
  await import(url);
  const { RegExp } = globalThis;
  globalThis.RegExp = new Proxy(RegExp, {
    construct(target, [source, flags]) {
      made.push({ at: makers[made.length] ?? file, source: String(source), flags: flags ?? "" });
      return new target(source, flags);
    },
  });
  try {
    await import(`${url}?again`);
  } finally {
    globalThis.RegExp = RegExp;
  }
  if (made.length === makers.length) return made;
  throw new Error(`${makers.join(", ")}: an expression must be made while its module loads`);
}
