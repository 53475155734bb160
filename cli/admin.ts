import { CommanderError } from "commander";
import { type AdminSettings, findSettings } from "./admin_settings.ts";
import { describeFailure } from "./errors/failures.ts";
import { readHistory, refuseOtherLineage } from "./migrations/history.ts";
import { readMigrations } from "./migrations/read.ts";
import { print, printError, printJson } from "./print.ts";
import { createProgram } from "./program.ts";
import { type CommandResult, openSession, type Session } from "./session.ts";

/** Runs the command `deno task admin` and returns its exit code. */
export async function admin(args: string[], environment: Record<string, string>): Promise<number> {
  const json = args.includes("--json");
  let settings: AdminSettings | undefined;
  let exitCode = 0;
  const program = createProgram(async (action) => {
    settings = await findSettings(environment);
    const result = await withSession(settings, action);
    if (json) printJson(result.json);
    else print(result.text);
    if (result.problem) printError(result.problem);
    exitCode = result.problem ? 1 : 0;
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

async function withSession(
  settings: AdminSettings,
  action: (session: Session) => Promise<CommandResult>,
): Promise<CommandResult> {
  const session = openSession(settings);
  try {
    refuseOtherLineage(await readMigrations(), await readHistory(session.sql));
    return await action(session);
  } finally {
    await session.close();
  }
}

if (import.meta.main) Deno.exit(await admin(Deno.args, Deno.env.toObject()));
