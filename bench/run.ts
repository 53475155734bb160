/**
 * `deno task bench`: what the service does, against peers and limits, on one machine in one run.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { print, printError } from "../cli/print.ts";
import { openDatabaseServer } from "./setup/database_server.ts";
import { measureDispatch } from "./measures/dispatch.ts";
import { measureDispatchers } from "./measures/dispatchers.ts";
import { measureGrowth } from "./measures/growth.ts";
import { measureIntake } from "./measures/intake.ts";
import type { Measure, Row } from "./measures/measure.ts";
import { measureMemory } from "./measures/memory.ts";
import { measureSchedule } from "./measures/schedule.ts";
import { printRows } from "./print_rows.ts";

const MEASURES: Record<string, Measure> = {
  intake: measureIntake,
  dispatch: measureDispatch,
  schedule: measureSchedule,
  dispatchers: measureDispatchers,
  memory: measureMemory,
  growth: measureGrowth,
};

const HELP = `Usage: deno task bench [options] [${Object.keys(MEASURES).join("|")}]…

Measures the service against peers and limits: in turns, in one run, on this machine. Only the ratios mean something.
Starts a Postgres of its own (or takes BENCH_DATABASE_URL) and installs the peers from npm into a folder that is gone
afterwards. Load comes from wrk, or from npm's autocannon where there is none.

  --quick   a fraction of the work
  --json    the rows as JSON instead of a table
  --help    print this text

  deno task bench                  everything
  deno task bench intake --quick   accepting requests, within a minute`;

async function run(names: string[], { quick, json }: { quick: boolean; json: boolean }): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "outbound-bench-" });
  await Deno.chmod(folder, 0o755);
  const report = (line: string) => printError(`  ${line}`);
  const server = await openDatabaseServer(folder, { url: Deno.env.get("BENCH_DATABASE_URL"), report });
  const rows: Row[] = [];
  try {
    for (const [index, name] of names.entries()) {
      printError(`[${index + 1}/${names.length}] ${name}`);
      rows.push(...await MEASURES[name]!({ server, folder, quick, rounds: 3, report }));
    }
  } finally {
    await server.stop();
    await Deno.remove(folder, { recursive: true });
  }
  if (json) print(JSON.stringify(rows, null, 2));
  else printRows(rows);
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const names = positionals.length > 0 ? positionals : Object.keys(MEASURES);
  const unknown = names.find((name) => !Object.hasOwn(MEASURES, name));
  if (values.help) print(HELP);
  else if (unknown === undefined) await run(names, values);
  else {
    printError(`There is no measure '${unknown}': ${Object.keys(MEASURES).join(", ")}`);
    Deno.exit(2);
  }
}
