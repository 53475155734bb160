import { CommanderError } from "commander";
import { type AdminSettings, findSettings } from "./admin_settings.ts";
import { describeFailure } from "./errors/failures.ts";
import { readHistory, refuseOtherLineage } from "./migrations/history.ts";
import { readMigrations } from "./migrations/read.ts";
import { print, printError, printJson } from "./terminal/print.ts";
import { createProgram } from "./terminal/program.ts";
import { type CommandOutput, openSession, type Session } from "./session.ts";

/** Runs the command `deno task admin` and returns its exit code. */
export async function admin(args: string[], environment: Record<string, string>): Promise<number> {
  const json = args.includes("--json");
  let settings: AdminSettings | undefined;
  let exitCode = 0;
  const program = createProgram(async (action) => {
    settings = await findSettings(environment);
    const { cell } = program.opts<{ cell?: number }>();
    const problem = await withSession(settings, cell, async (session) => show(await action(session), json));
    if (problem) printError(problem);
    exitCode = problem ? 1 : 0;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const failure = describeFailure(error, settings);
    if (json) printJson({ error: failure });
    printError(failure.message);
    return 1;
  }
}

/** Prints a result, and returns the problem that the command found. */
function show({ json, text, problem }: CommandOutput, asJson: boolean): string | undefined {
  if (asJson) printJson(json);
  else print(text);
  return problem;
}

async function withSession<Value>(
  settings: AdminSettings,
  cell: number | undefined,
  action: (session: Session) => Promise<Value>,
): Promise<Value> {
  const session = openSession(settings, cell);
  try {
    refuseOtherLineage(await readMigrations(), await readHistory(session.sql));
    return await action(session);
  } finally {
    await session.close();
  }
}

if (import.meta.main) Deno.exit(await admin(Deno.args, Deno.env.toObject()));
