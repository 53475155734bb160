/**
 * `deno run -A tests/rules/import_loops.ts` fails when imports form a loop, or a file cannot be loaded. One line each.
 *
 * @module
 */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type ImportGraph, readImportGraph } from "../tools/import_graph.ts";
import { printLine } from "../tools/run_report.ts";

const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");
const FOLDERS = ["supabase", "widget", "console", "sdk", "local", "cli", "bench", "tests"];

/**
 * Returns the files on import loops, and between two loops, sorted; type-only imports count. What imports none of the rest,
 * or is imported by none of it, is on no loop.
 */
function filesOnLoops({ edges }: ImportGraph): string[] {
  let rest = edges;
  for (;;) {
    const [from, to] = [new Set(rest.map((edge) => edge.from)), new Set(rest.map((edge) => edge.to))];
    const next = rest.filter((edge) => to.has(edge.from) && from.has(edge.to));
    if (next.length === rest.length) return [...from].sort();
    rest = next;
  }
}

if (import.meta.main) {
  const graph = await readImportGraph(ROOT, FOLDERS);
  const faults = [
    ...graph.broken.map(({ file, reason }) => `${file}: ${reason}`),
    ...filesOnLoops(graph).map((file) => `${file}: on an import loop`),
  ];
  faults.forEach(printLine);
  printLine(faults.length === 0 ? "Imports: ok" : `Imports: ${faults.length} faults`);
  if (faults.length > 0) Deno.exitCode = 1;
}
