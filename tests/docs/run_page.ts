import { join } from "node:path";
import { blocksOf } from "./read_page.ts";

/** Long enough for the slowest page on a busy machine. */
const TIMEOUT_MS = 400_000;

export interface PageRun {
  page: string;
  text: string;
  /** Where the commands run: a copy of the project. */
  folder: string;
  env: Record<string, string>;
}

export interface PageOutcome {
  code: number;
  /** Everything the commands printed, with a line before each block that names the page and its line. */
  output: string;
}

/** Runs the `sh` blocks of a page in order in one bash. Stops at the first failure. */
export async function runPage({ page, text, folder, env }: PageRun): Promise<PageOutcome> {
  const script = join(folder, `${page.replaceAll("/", "_")}.sh`);
  await Deno.writeTextFile(script, scriptOf(page, text));
  const { code, stdout } = await new Deno.Command("bash", {
    args: ["-c", `exec bash ${script} 2>&1`],
    cwd: folder,
    clearEnv: true,
    env,
    stdin: "null",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).output();
  return { code, output: new TextDecoder().decode(stdout) };
}

/** Each command keeps the line it has in the page, so that what bash says about a line holds for the page. */
function scriptOf(page: string, text: string): string {
  const lines = text.split("\n").map(() => "");
  lines[0] = `set -Eeuo pipefail; trap 'echo "== failed: ${page}:$LINENO"' ERR; ` +
    `trap 'kill $(jobs -p) 2>/dev/null || true' EXIT`;
  for (const block of blocksOf(text).filter(({ language }) => language === "sh")) {
    lines[block.line - 1] = `echo "== ${page}:${block.line}"`;
    lines.splice(block.line, block.lines.length, ...block.lines);
  }
  return lines.join("\n");
}

/** Returns how many commands a page's blocks of a language hold: lines, without comments and continued lines. */
export function countCommands(text: string, wanted: "sh" | "bash"): number {
  const script = blocksOf(text).filter(({ language }) => language === wanted).flatMap(({ lines }) => lines);
  const joined = script.filter((line) => !/^\s*#/.test(line)).join("\n").replaceAll(/(\\|\|)\n/g, " ")
    .replaceAll(/'[^']*'/g, "''");
  return joined.split("\n").filter((line) => /^\s*[^#\s}]/.test(line)).length;
}
