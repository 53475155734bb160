import { parseArgs } from "node:util";
import { CommandError } from "./errors/command_error.ts";
import { exitCodeOf } from "./terminal/command_line.ts";
import { print, printError } from "./terminal/print.ts";
import { readMigrations } from "./migrations/read.ts";
import { freeze as freezeMigrations } from "./schema/frozen.ts";
import { BASELINE_FILE } from "./schema/read_schema.ts";
import { writeBaseline } from "./schema/write_baseline.ts";
import { writeDelta } from "./schema/write_delta.ts";

const HELP = `Usage: deno task schema:migration NAME [--drop]
       deno task schema:migration --freeze
       deno task schema:migration --baseline

Writes the migration that leads from the database that supabase/migrations makes to the one that supabase/schemas
describes. Needs no Postgres: both are made in memory and compared, and the migration is tried out. It copies new and
changed functions, views, indexes, triggers and new tables, and writes columns and constraints. Indexes on large tables
get files of their own, and so do the validations of their constraints. It prints what it cannot write, such as a change
of a column's type, and exits 1 while anything is left. Processes of the last release run beside the migration. So it
drops no function, column, table or view unless it is asked to, nor replaces a function whose arguments or result change:
it prints them and whether the last release uses them, writes nothing and exits 1. Read the file before you commit it.

  NAME         what changes, in snake_case
  --drop       drop them: no process uses them any more
  --freeze     write the checksums of the migrations that have none into supabase/migrations.sha256; from then on their
               text stays
  --baseline   until the baseline is frozen: write ${BASELINE_FILE} again instead
  --help       print this text

  deno task schema:migration add_sender_labels
  deno task schema:migration --freeze`;

/** The command `deno task schema:migration`. Returns the exit code. */
async function schemaMigration(args: string[]): Promise<number> {
  const { name, drop, freeze, baseline, help } = readArguments(args);
  if (help) {
    print(HELP);
    return 0;
  }
  if (baseline) {
    await writeBaseline();
    print(`wrote supabase/migrations/${BASELINE_FILE}`);
    return 0;
  }
  if (freeze) {
    const files = await freezeMigrations(await readMigrations());
    for (const file of files) print(`froze supabase/migrations/${file}`);
    if (files.length === 0) print("Nothing to freeze: every migration has its checksum");
    return 0;
  }
  if (name === undefined || !/^[a-z][a-z0-9_]*$/.test(name)) {
    throw new CommandError(
      "usage",
      "Give the migration a name in snake_case, such as add_sender_labels. Try --help",
    );
  }
  const { files, gone, used, todo } = await writeDelta({ name, drop });
  for (const file of files) print(`wrote supabase/migrations/${file}`);
  for (const key of new Set([...gone, ...used])) {
    print(
      `drops ${key}${used.includes(key) ? ", which the last release uses: stop its processes first" : ""}`,
    );
  }
  if (files.length === 0 && todo.length === 0) {
    print("Nothing to write: the migrations make what supabase/schemas describes");
  }
  for (const line of todo) printError(line);
  return todo.length === 0 ? 0 : 1;
}

function readArguments(args: string[]) {
  const flag = { type: "boolean", default: false } as const;
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { drop: flag, freeze: flag, baseline: flag, help: flag },
      allowPositionals: true,
    });
    if (positionals.length > 1) throw new Error("Give one name");
    return { name: positionals[0], ...values };
  } catch (error) {
    throw new CommandError("usage", `${(error as Error).message.split(".")[0]}. Try --help`);
  }
}

if (import.meta.main) Deno.exit(await exitCodeOf(() => schemaMigration(Deno.args)));
