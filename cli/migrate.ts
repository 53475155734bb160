import { z } from "zod";
import { cellUrls, HOME_CELL } from "../supabase/functions/_shared/cells.ts";
import { connect } from "../supabase/functions/_shared/db/driver/connect.ts";
import { resultOf } from "../supabase/functions/_shared/errors.ts";
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
A database that a later version has migrated is left as it is. With DATABASE_URLS, migrates those databases too, in the
order of their numbers; exits 1 when one of them fails, and has then migrated the others.

  --grant-to ROLE   grant this role what the service needs, after each file in the same transaction, so that serve and
                    dispatch need not be the owner of the tables (docs/operations.md#roles)
  --json   print one JSON object: {"applied": ["<file>", …], "later": ["<version>", …]}; later are the
           versions in its history that follow the newest file; with DATABASE_URLS {"cells": [{"cell", …}, …]}
  --help   print this text`;

/** The command `deno task migrate`. Returns the exit code. */
async function migrate(args: string[], variables: Record<string, string | undefined>): Promise<number> {
  const { "grant-to": grantTo, json, help } = readOptions(args, {
    "grant-to": { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean" },
  });
  if (help) {
    print(HELP);
    return 0;
  }
  if (!variables.DATABASE_URL) {
    throw new CommandError(
      "not_configured",
      "DATABASE_URL is not set: migrate needs the database to work on",
    );
  }
  const others = cellUrls(z.string()).safeParse(variables.DATABASE_URLS ?? "");
  if (!others.success) {
    throw new CommandError("not_configured", `DATABASE_URLS: ${others.error.issues[0]!.message}`);
  }
  const cells = new Map([[HOME_CELL, variables.DATABASE_URL], ...others.data]);
  if (cells.size > 1) return await migrateCells(cells, { grantTo, json });
  const migrated = await migrateDatabase(variables.DATABASE_URL, grantTo);
  if (json) printJson({ ...migrated });
  else report(migrated);
  return 0;
}

/** Migrates the cells in their order. One that fails keeps no other from being migrated; the exit code is then 1. */
async function migrateCells(
  cells: Map<number, string>,
  { grantTo, json }: { grantTo: string | undefined; json: boolean },
): Promise<number> {
  const rows: ({ cell: number } & (Migrated | { error: string }))[] = [];
  for (const [cell, url] of cells) {
    const migrated = await resultOf(migrateDatabase(url, grantTo));
    if (!json) print(`Cell ${cell}`);
    if (migrated.ok) {
      rows.push({ cell, ...migrated.value });
      if (!json) report(migrated.value);
    } else {
      const { message } = migrated.error as Error;
      rows.push({ cell, error: message });
      printError(`Cell ${cell} is behind: ${message}`);
    }
  }
  if (json) printJson({ cells: rows });
  return rows.some((row) => "error" in row) ? 1 : 0;
}

interface Migrated {
  applied: string[];
  /** The versions in its history that follow the newest file. */
  later: string[];
}

async function migrateDatabase(databaseUrl: string, grantTo: string | undefined): Promise<Migrated> {
  try {
    const sql = connect(databaseUrl, { max: 2, prepare: false });
    try {
      return await applyMigrations(sql, { onWait: printError, grantTo });
    } finally {
      await sql.end({ timeout: 5 });
    }
  } catch (error) {
    throw new CommandError("database_error", describeDatabaseError(error, databaseUrl), { cause: error });
  }
}

function report({ applied, later }: Migrated): void {
  for (const file of applied) print(`applied ${file}`);
  if (applied.length === 0) print("Nothing to apply: the database is up to date");
  if (later.length === 0) return;
  const count = later.length === 1 ? "1 migration" : `${later.length} migrations`;
  print(`Its history goes on to ${later.at(-1)}: ${count} of a later version, or of another project`);
}

if (import.meta.main) {
  const variables = {
    DATABASE_URL: Deno.env.get("DATABASE_URL"),
    DATABASE_URLS: Deno.env.get("DATABASE_URLS"),
  };
  Deno.exit(await exitCodeOf(() => migrate(Deno.args, variables)));
}
