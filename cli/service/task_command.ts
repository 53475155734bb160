import { fileURLToPath } from "node:url";
import { z } from "zod";

/** The tasks that run with permissions of deno.json. */
export const TASKS = ["serve", "dispatch", "dispatch:workers", "migrate", "doctor"] as const;

export type Task = typeof TASKS[number];

const CONFIG = new URL("../../deno.json", import.meta.url);

const configSchema = z.object({ tasks: z.record(z.string(), z.object({ command: z.string() })) });

/**
 * Returns the program and arguments of a task as deno.json has them, so that its permissions are written there alone.
 * The process keeps its working folder: the script is given by its full path, which also leads Deno to deno.json.
 *
 * @param flags further flags of `deno run`
 */
export function taskCommand(task: Task, { flags = [] }: { flags?: string[] } = {}): string[] {
  const { tasks } = configSchema.parse(JSON.parse(Deno.readTextFileSync(CONFIG)));
  const [, run, ...rest] = tasks[task]!.command.split(" ");
  const script = rest.pop()!;
  return [Deno.execPath(), run!, ...rest, ...flags, fileURLToPath(new URL(script, CONFIG))];
}
