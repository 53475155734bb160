import { HOME_CELL } from "../supabase/functions/_shared/cells.ts";
import { connect } from "../supabase/functions/_shared/db/driver/connect.ts";
import type { Env } from "../supabase/functions/_shared/env.ts";
import { type AdminSettings, findSettings } from "./admin_settings.ts";
import { exitCodeOf, readFlags } from "./terminal/command_line.ts";
import { checkAddresses } from "./doctor/check_addresses.ts";
import { checkDatabase } from "./doctor/check_database.ts";
import { checkSenders } from "./doctor/check_senders.ts";
import { checkSettings } from "./doctor/check_settings.ts";
import { type Finding, renderFindings } from "./doctor/finding.ts";
import { CommandError } from "./errors/command_error.ts";
import { print, printJson } from "./terminal/print.ts";

const HELP = `Usage: deno task doctor [--json]

Checks an installation from this machine: settings, database, migrations, clock, pg_cron, dispatchers, the webhook's
address, the auth server and its sign-ups, widgets, console, and the platforms' answer to the tokens of up to 20 senders. Says what to do
about each fault. Changes nothing, and prints no secret.

It reads the settings of the service from the environment or, without DATABASE_URL, the stack that "deno task start"
keeps in OUTBOUND_HOME (.outbound). Exits 1 when something fails.

  --json   print one JSON object: {"ok", "checks": [{"check", "state", "text", "todo"?}]}; state is ok, warning or failed
  --help   print this text

Examples:
  deno task doctor
  deno task doctor --json
`;

/** Runs the command `deno task doctor` and returns its exit code. */
async function doctor(args: string[], environment: Record<string, string>): Promise<number> {
  const { json, help } = readFlags(args, ["json", "help"]);
  if (help) {
    print(HELP);
    return 0;
  }
  const findings = await examine(await settingsOf(environment));
  const isOk = findings.every(({ state }) => state !== "failed");
  if (json) printJson({ ok: isOk, checks: findings });
  else print(renderFindings(findings));
  return isOk ? 0 : 1;
}

/** Without a database there are still settings to check. */
async function settingsOf(
  environment: Record<string, string>,
): Promise<Pick<AdminSettings, "variables" | "from">> {
  try {
    return await findSettings(environment);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { variables: environment, from: "environment" };
  }
}

async function examine({ variables, from }: Pick<AdminSettings, "variables" | "from">): Promise<Finding[]> {
  const { findings, env } = checkSettings(variables, { isStack: from === "stack" });
  if (env === undefined) return findings;
  const home = await examineDatabase(env, HOME_CELL);
  const addresses = await checkAddresses(env);
  const others: Finding[] = [];
  for (const [cell, url] of env.DATABASE_URLS) {
    const found = await examineDatabase({ ...env, DATABASE_URL: url }, cell);
    others.push(...found.map((finding) => ({ ...finding, check: `cell ${cell}: ${finding.check}` })));
  }
  return [...findings, ...home, ...addresses, ...others];
}

async function examineDatabase(env: Env, cell: number): Promise<Finding[]> {
  const sql = connect(env.DATABASE_URL, { max: 1 });
  try {
    const database = await checkDatabase(sql, env, cell);
    const senders = database.isUsable ? await checkSenders(sql, env) : [];
    return [...database.findings, ...senders];
  } finally {
    await sql.end({ timeout: 5 });
  }
}

if (import.meta.main) Deno.exit(await exitCodeOf(() => doctor(Deno.args, Deno.env.toObject())));
