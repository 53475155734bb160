/**
 * `deno run -A tests/tools/import_loops.ts` fails when imports form a loop, or a file cannot be loaded. One line each.
 *
 * @module
 */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type ImportGraph, readImportGraph } from "./import_graph.ts";
import { printLine } from "./run_report.ts";

const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");
const FOLDERS = ["supabase", "widget", "console", "sdk", "local", "cli", "bench", "tests"];

/**
 * Finds the import loops of a graph, type-only imports included: each result is one group of files that all reach
 * each other, sorted by name. A file that imports itself is a group of one.
 */
export function findImportLoops(graph: ImportGraph): string[][] {
  const targets = new Map<string, string[]>();
  for (const edge of graph.edges) {
    targets.set(edge.from, [...targets.get(edge.from) ?? [], edge.to]);
  }
  return strongComponents(targets)
    .filter((group) => group.length > 1 || targets.get(group[0] ?? "")?.includes(group[0] ?? ""))
    .map((group) => group.sort());
}

/** Tarjan's algorithm: files that reach each other end up in the same group. */
function strongComponents(targets: Map<string, string[]>): string[][] {
  const order = new Map<string, number>();
  const open: string[] = [];
  const groups: string[][] = [];

  function visit(file: string): number {
    let low = order.size;
    order.set(file, low);
    open.push(file);
    for (const next of targets.get(file) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (open.includes(next)) low = Math.min(low, order.get(next) ?? low);
    }
    if (low === order.get(file)) groups.push(open.splice(open.indexOf(file)));
    return low;
  }

  for (const file of targets.keys()) {
    if (!order.has(file)) visit(file);
  }
  return groups;
}

if (import.meta.main) {
  const graph = await readImportGraph(ROOT, FOLDERS);
  const faults = [
    ...graph.broken.map(({ file, reason }) => `${file}: ${reason}`),
    ...findImportLoops(graph).map((loop) => `${loop.join(" → ")} → ${loop[0]}: import loop`),
  ];
  faults.forEach(printLine);
  printLine(faults.length === 0 ? "Imports: ok" : `Imports: ${faults.length} faults`);
  if (faults.length > 0) Deno.exitCode = 1;
}
