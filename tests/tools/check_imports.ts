/**
 * `deno run -A tests/tools/check_imports.ts [root]` fails when a file imports in a direction the house does not allow
 * (docs: the rules in `import_rules.ts` and `io_rules.ts`), or when imports form a loop. One line a violation:
 * `file → file: rule`.
 *
 * @module
 */
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readImportGraph } from "./import_graph.ts";
import { findImportLoops } from "./import_loops.ts";
import { brokenRule } from "./import_rules.ts";

const FOLDERS = ["supabase", "widget", "console", "sdk", "local", "cli", "bench", "tests"];
const CHECKED_FOR_IO = ["supabase", "local", "cli", "tests"];

/** Checks the tree under `root` and returns one line for each violation, sorted; an empty list means all is well. */
export async function checkImports(root: string): Promise<string[]> {
  const graph = await readImportGraph(root, FOLDERS);
  const directions = graph.edges.flatMap((edge) => {
    const rule = brokenRule(edge);
    return rule === undefined ? [] : [`${edge.from} → ${edge.to}: ${rule}`];
  });
  const loops = findImportLoops(graph).map((loop) => `${loop.join(" → ")} → ${loop[0]}: import loop`);
  const broken = graph.broken.map(({ file, reason }) => `${file}: ${reason}`);
  const files = graph.files.filter((file) => CHECKED_FOR_IO.some((folder) => file.startsWith(`${folder}/`)));
  return [...new Set([...broken, ...loops, ...directions, ...await checkGlobals(root, files)])].sort();
}

interface LintReport {
  diagnostics: { filename: string; range: { start: { line: number } }; message: string }[];
}

/** Runs `io_rules.ts` alone over the files, with a throw-away configuration. */
async function checkGlobals(root: string, files: string[]): Promise<string[]> {
  if (files.length === 0) return [];
  const folder = await Deno.makeTempDir();
  try {
    const plugin = new URL("./io_rules.ts", import.meta.url).href;
    const config = { lint: { plugins: [plugin], rules: { tags: [], include: ["outbound/io"] } } };
    await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify(config));
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "lint",
        "--json",
        "--config",
        `${folder}/deno.json`,
        ...files.map((file) => resolve(root, file)),
      ],
      stdin: "null",
      env: { NO_COLOR: "1" },
    }).output();
    const text = new TextDecoder().decode(stdout);
    if (!text.startsWith("{")) throw new Error(`deno lint failed: ${new TextDecoder().decode(stderr)}`);
    return (JSON.parse(text) as LintReport).diagnostics.map(({ filename, range, message }) => {
      const file = relative(root, fileURLToPath(filename)).replaceAll("\\", "/");
      return `${file}:${range.start.line} → ${message}`;
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

if (import.meta.main) {
  const root = resolve(Deno.args[0] ?? resolve(dirname(fileURLToPath(import.meta.url)), "../.."));
  const violations = await checkImports(root);
  for (const violation of violations) print(violation);
  print(violations.length === 0 ? "Imports: ok" : `Imports: ${violations.length} violations`);
  if (violations.length > 0) Deno.exitCode = 1;
}
