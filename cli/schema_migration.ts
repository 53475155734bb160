import { parseArgs } from "node:util";
import { CommandError } from "./errors/command_error.ts";
import { exitCodeOf } from "./terminal/command_line.ts";
import { print, printError } from "./terminal/print.ts";
import { BASELINE_FILE, baselineOf, readSchema } from "./schema/read_schema.ts";
import { writeDelta } from "./schema/write_delta.ts";

const HELP = `Usage: deno task schema:migration NAME [--replace]
       deno task schema:migration --baseline

Writes the migration that leads from the database that supabase/migrations makes to the one that supabase/schemas
describes. Needs no Postgres: both are made in memory and compared, and the migration is tried out. It copies new and
changed functions, views, indexes, triggers and new tables, and writes columns and constraints. Indexes on large tables
get files of their own. It prints what the migration drops, and what it cannot write, such as a change of a column's
type, and exits 1 while anything is left. A function with other arguments or another result has to be dropped first: it prints the functions, writes
nothing and exits 1, because processes of the version before may call them. Read the file before you commit it.

  NAME         what changes, in snake_case
  --replace    drop those functions: no process of the version before calls them, or all are stopped
  --baseline   before release 1.0: write ${BASELINE_FILE} again instead
  --help       print this text

  deno task schema:migration add_sender_labels
  deno task schema:migration --baseline`;

const MIGRATIONS = new URL("../supabase/migrations/", import.meta.url);

/** The command `deno task schema:migration`. Returns the exit code. */
async function schemaMigration(args: string[]): Promise<number> {
  const { name, replace, baseline, help } = readArguments(args);
  if (help) {
    print(HELP);
    return 0;
  }
  if (baseline) {
    await Deno.writeTextFile(new URL(BASELINE_FILE, MIGRATIONS), baselineOf(await readSchema()));
    print(`wrote supabase/migrations/${BASELINE_FILE}`);
    return 0;
  }
  if (name === undefined || !/^[a-z][a-z0-9_]*$/.test(name)) {
    throw new CommandError(
      "usage",
      "Give the migration a name in snake_case, such as add_sender_labels. Try --help",
    );
  }
  const { files, gone, todo } = await writeDelta({ name, replace });
  for (const file of files) print(`wrote supabase/migrations/${file}`);
  for (const key of gone) print(`drops ${key}`);
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
      options: { replace: flag, baseline: flag, help: flag },
      allowPositionals: true,
    });
    if (positionals.length > 1) throw new Error("Give one name");
    return { name: positionals[0], ...values };
  } catch (error) {
    throw new CommandError("usage", `${(error as Error).message.split(".")[0]}. Try --help`);
  }
}

if (import.meta.main) Deno.exit(await exitCodeOf(() => schemaMigration(Deno.args)));
