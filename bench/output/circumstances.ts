import os from "node:os";
import { rootFolder } from "../setup/processes.ts";
import type { MeasureResult } from "./results.ts";

/** Where a run takes place, and what of. */
export async function readCircumstances(
  { postgres }: { postgres: string },
): Promise<Pick<MeasureResult, "commit" | "machine">> {
  return {
    commit: await readCommit(),
    machine: {
      cpu: os.cpus()[0]?.model.trim() ?? "unknown",
      cores: os.availableParallelism(),
      memory_gb: Math.round(os.totalmem() / 1e9),
      deno: Deno.version.deno,
      postgres,
    },
  };
}

/** The results themselves and their page do not count as changed files: a run writes them. */
const WRITTEN = ["bench/results.json", "docs/performance.md"];

async function readCommit(): Promise<string> {
  const commit = await git("rev-parse", "--short=12", "HEAD");
  const exclude = WRITTEN.map((file) => `:(exclude)${file}`);
  const changes = await git("status", "--porcelain", "--", ".", ...exclude);
  return commit === undefined ? "unknown" : `${commit}${changes === "" ? "" : "+"}`;
}

async function git(...args: string[]): Promise<string | undefined> {
  try {
    const { success, stdout } = await new Deno.Command("git", { args, cwd: rootFolder() }).output();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
