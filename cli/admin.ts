import { CommanderError } from "commander";
import type { Answer } from "./commands/answer.ts";
import { createProgram } from "./commands/create_program.ts";
import { describeFailure } from "./commands/describe_failure.ts";
import { type AdminSettings, findSettings } from "./connection/find_settings.ts";
import { openSession, type Session } from "./connection/session.ts";
import { readHistory, refuseOtherLineage } from "./migrations/history.ts";
import { readMigrations } from "./migrations/read.ts";
import { print, printError, printJson } from "./print.ts";

/** The command `deno task admin`. Answers the exit code. */
async function admin(args: string[], environment: Record<string, string>): Promise<number> {
  const json = args.includes("--json");
  let settings: AdminSettings | undefined;
  let exitCode = 0;
  const program = createProgram(async (action) => {
    settings = await findSettings(environment);
    const answer = await withSession(settings, action);
    if (json) printJson(answer.json);
    else print(answer.text);
    if (answer.problem) printError(answer.problem);
    exitCode = answer.problem ? 1 : 0;
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
  action: (session: Session) => Promise<Answer>,
): Promise<Answer> {
  const session = openSession(settings);
  try {
    refuseOtherLineage(await readMigrations(), await readHistory(session.sql));
    return await action(session);
  } finally {
    await session.close();
  }
}

if (import.meta.main) Deno.exit(await admin(Deno.args, Deno.env.toObject()));
