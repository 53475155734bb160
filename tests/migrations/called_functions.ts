import { fileURLToPath } from "node:url";
import { listSourceFiles } from "../tools/import_graph.ts";

/**
 * Returns the SQL functions that the code of this version calls, by name. At a release, this list is recorded for the
 * migrations that follow it: `deno run -A tests/migrations/called_functions.ts > tests/migrations/released_calls.json`.
 */
export async function calledFunctions(): Promise<string[]> {
  const root = new URL("../../", import.meta.url);
  const files = await listSourceFiles(fileURLToPath(root), ["supabase", "cli"]);
  const texts = await Promise.all(files.map((file) => Deno.readTextFile(new URL(file, root))));
  const names = texts.flatMap((text) => [...text.matchAll(/\boutbound\.(\w+)\(/g)].map(([, name]) => name!));
  return [...new Set(names)].sort();
}

if (import.meta.main) {
  Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(await calledFunctions(), null, 2)}\n`));
}
