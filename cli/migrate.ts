import { connect } from "../supabase/functions/_shared/db/driver/connect.ts";
import { CommandError } from "./errors/command_error.ts";
import { describeDatabaseError } from "./errors/describe_database_error.ts";
import { exitCodeOf, readOptions } from "./terminal/command_line.ts";
import { applyMigrations } from "./migrations/apply.ts";
import { print, printError, printJson } from "./terminal/print.ts";

const HELP = `Usage: deno task migrate [--grant-to ROLE] [--json]

Applies the files of supabase/migrations that the database in DATABASE_URL lacks, each in a transaction of its own,
except those whose first line is "-- no transaction". Safe to run twice and by many processes at once; \`supabase db push\`
keeps the same history. A file that cannot lock a table within two seconds is rolled back and retried for ten minutes;
for each attempt a line on standard error names the blocking processes. Exits 1 for a database of a pre-release version.
A database that a later version has migrated is left as it is.

  --grant-to ROLE   grant this role what the service needs, after each file in the same transaction, so that serve and
                    dispatch need not be the owner of the tables (docs/operations.md#roles)
  --json   print one JSON object: {"applied": ["<file>", …], "later": ["<version>", …]}; later are the
           versions in its history that follow the newest file
  --help   print this text`;

/** The command `deno task migrate`. Returns the exit code. */
async function migrate(args: string[], databaseUrl: string | undefined): Promise<number> {
  const { "grant-to": grantTo, json, help } = readOptions(args, {
    "grant-to": { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean" },
  });
  if (help) {
    print(HELP);
    return 0;
  }
  if (!databaseUrl) {
    throw new CommandError(
      "not_configured",
      "DATABASE_URL is not set: migrate needs the database to work on",
    );
  }
  try {
    const sql = connect(databaseUrl, { max: 2, prepare: false });
    try {
      report(await applyMigrations(sql, { onWait: printError, grantTo }), json);
      return 0;
    } finally {
      await sql.end({ timeout: 5 });
    }
  } catch (error) {
    throw new CommandError("database_error", describeDatabaseError(error, databaseUrl), { cause: error });
  }
}

function report({ applied, later }: { applied: string[]; later: string[] }, json: boolean): void {
  if (json) return printJson({ applied, later });
  for (const file of applied) print(`applied ${file}`);
  if (applied.length === 0) print("Nothing to apply: the database is up to date");
  if (later.length === 0) return;
  const count = later.length === 1 ? "1 migration" : `${later.length} migrations`;
  print(`Its history goes on to ${later.at(-1)}: ${count} of a later version, or of another project`);
}

if (import.meta.main) {
  Deno.exit(await exitCodeOf(() => migrate(Deno.args, Deno.env.get("DATABASE_URL"))));
}
