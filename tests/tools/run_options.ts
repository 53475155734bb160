import { parseArgs } from "node:util";
import { ENGINES, type TestEngine, type Tier } from "./test_plan.ts";

/** The text of `deno task test --help`. */
export const USAGE = `Usage: deno task test [options] [file or folder under tests/]…

Runs the tests that protect a change, on the best Postgres server of this machine. Installs Postgres, PgBouncer, nginx
and Chromium where it may: as root on Debian. Leaves nothing else behind. tests/README.md says more.

  --all             every test; what depends on the engine also on Postgres 17 from npm and on PGlite
  --faults          one part of these: kills, lost connections, fail-over, pace
  --attacks         one part of these: hostile traffic
  --engines         one part of these: what runs on Postgres 17 and PGlite
  --filter TEXT     only tests whose name contains TEXT (or matches /regexp/)
  --on ENGINE       all that can run on "postgres", "postgres17" or "pglite", and nothing else
  --no-install      do not install anything
  --reports FOLDER  keep the JUnit reports there
  --help            print this text

  deno task test                                     before a commit
  deno task test --faults                            after a change of dispatching/ or of the queue's SQL
  deno task test tests/_shared                       all of one folder
  deno task test --on pglite --filter "claim" tests/queue`;

const PARTS = ["all", "faults", "attacks", "engines"] as const satisfies Tier[];

/** The options of a run of the tests. */
export interface RunOptions {
  paths: string[];
  /** @default "change"; "all" where files, a filter or an engine are named */
  tier: Tier;
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
      all: { type: "boolean" },
      faults: { type: "boolean" },
      attacks: { type: "boolean" },
      engines: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return "help";
  const on = ENGINES.find((engine) => engine === values.on);
  if (values.on !== undefined && on === undefined) {
    throw new TypeError(`--on: expected ${ENGINES.join(", ")}, got "${values.on}"`);
  }
  const { filter, reports } = values;
  const parts = PARTS.filter((part) => values[part]);
  if (parts.length > 1) throw new TypeError(`Give one of ${parts.map((part) => `--${part}`).join(" and ")}`);
  const isNarrowed = positionals.length > 0 || filter !== undefined || on !== undefined;
  const tier = parts[0] ?? (isNarrowed ? "all" : "change");
  return { tier, paths: positionals, filter, on, install: !values["no-install"], reports };
}
