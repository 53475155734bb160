import { parseArgs } from "node:util";
import postgres from "postgres";
import { describeDatabaseError } from "./describe_database_error.ts";
import { applyMigrations } from "./migrations/apply.ts";
import { print, printError } from "./print.ts";

const HELP = `Usage: deno task migrate [--json]

Applies the files of supabase/migrations that the database in DATABASE_URL has not seen, each in a transaction
of its own. Safe to run twice and from many places at once; \`supabase db push\` keeps the same history.

  --json   print one JSON object: {"applied": ["<file>", …]}
  --help   print this text`;

/** The command `deno task migrate`. Answers the exit code. */
async function migrate(args: string[], databaseUrl: string | undefined): Promise<number> {
  const options = readOptions(args);
  if (typeof options === "string") return fail(options);
  if (options.help) {
    print(HELP);
    return 0;
  }
  if (!databaseUrl) return fail("DATABASE_URL is not set: migrate needs the database to work on");
  try {
    const sql = postgres(databaseUrl, { max: 1, prepare: false, connect_timeout: 10, onnotice: () => {} });
    try {
      report((await applyMigrations(sql)).applied, options.json);
      return 0;
    } finally {
      await sql.end({ timeout: 5 });
    }
  } catch (error) {
    return fail(describeDatabaseError(error, databaseUrl));
  }
}

function readOptions(args: string[]): { json: boolean; help: boolean } | string {
  const boolean = { type: "boolean", default: false } as const;
  try {
    return parseArgs({ args, options: { json: boolean, help: boolean } }).values;
  } catch (error) {
    return `${(error as Error).message.split(".")[0]}. Try --help`;
  }
}

function report(applied: string[], json: boolean): void {
  if (json) return print(JSON.stringify({ applied }));
  for (const file of applied) print(`applied ${file}`);
  if (applied.length === 0) print("Nothing to apply: the database is up to date");
}

function fail(line: string): number {
  printError(line);
  return 1;
}

if (import.meta.main) Deno.exit(await migrate(Deno.args, Deno.env.get("DATABASE_URL")));
