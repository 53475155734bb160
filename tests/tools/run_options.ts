import { parseArgs } from "node:util";
import { ENGINES, type TestEngine } from "./test_plan.ts";

/** The text of `deno task test --help`. */
export const USAGE = `Usage: deno task test [options] [file or folder under tests/]…

Runs every test once on the best Postgres server of this machine, what depends on the engine on Postgres 17 from npm
and on PGlite too, and the examples in comments. Installs Postgres, PgBouncer, nginx and Chromium where it may: as
root on Debian. Leaves nothing else behind. tests/README.md says more.

  --filter TEXT     only tests whose name contains TEXT (or matches /regexp/)
  --on ENGINE       all that can run on "postgres", "postgres17" or "pglite", and nothing else
  --no-install      do not install anything
  --reports FOLDER  keep the JUnit reports there
  --help            print this text

  deno task test                                     everything
  deno task test tests/_shared                       one folder
  deno task test --on pglite --filter "claim" tests/queue`;

/** The options of a run of the tests. */
export interface RunOptions {
  paths: string[];
  filter: string | undefined;
  on: TestEngine | undefined;
  install: boolean;
  reports: string | undefined;
}

/** Reads the arguments of `deno task test`. */
export function readOptions(args: string[]): RunOptions | "help" {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      filter: { type: "string" },
      on: { type: "string" },
      "no-install": { type: "boolean" },
      reports: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return "help";
  const on = ENGINES.find((engine) => engine === values.on);
  if (values.on !== undefined && on === undefined) {
    throw new TypeError(`--on: expected ${ENGINES.join(", ")}, got "${values.on}"`);
  }
  const { filter, reports } = values;
  return { paths: positionals, filter, on, install: !values["no-install"], reports };
}
