/**
 * `deno task bench`: what the service does, against peers and limits, on one machine in one run.
 *
 * @module
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { print, printError } from "../cli/terminal/print.ts";
import { measureBulk } from "./measures/bulk.ts";
import { measureCells } from "./measures/cells.ts";
import { measureClaim } from "./measures/claim.ts";
import { measureConsoles } from "./measures/consoles.ts";
import { measureDispatch } from "./measures/dispatch.ts";
import { measureDispatchers } from "./measures/dispatchers.ts";
import { measureEvents } from "./measures/events.ts";
import { measureGrowth } from "./measures/growth.ts";
import { measureIdle } from "./measures/idle.ts";
import { measureIntake } from "./measures/intake.ts";
import type { Measure, Row } from "./measures/measure.ts";
import { measureMemory } from "./measures/memory.ts";
import { measureObserving } from "./measures/observing.ts";
import { measurePeople } from "./measures/people.ts";
import { measureSchedule } from "./measures/schedule.ts";
import { measureStart } from "./measures/start.ts";
import { measureStatus } from "./measures/status.ts";
import { measureWaiting } from "./measures/waiting.ts";
import { measureWrites } from "./measures/writes.ts";
import { readCircumstances } from "./output/circumstances.ts";
import { printRows } from "./output/print_rows.ts";
import { writeResult } from "./output/results.ts";
import { updatePage } from "./output/results_table.ts";
import { startRunProgress } from "./output/run_progress.ts";
import { withDatabaseServer } from "./setup/database_server.ts";
import { rootFolder } from "./setup/processes.ts";

const MEASURES: Record<string, Measure> = {
  intake: measureIntake,
  bulk: measureBulk,
  dispatch: measureDispatch,
  dispatchers: measureDispatchers,
  cells: measureCells,
  observing: measureObserving,
  consoles: measureConsoles,
  claim: measureClaim,
  schedule: measureSchedule,
  status: measureStatus,
  events: measureEvents,
  start: measureStart,
  idle: measureIdle,
  memory: measureMemory,
  people: measurePeople,
  waiting: measureWaiting,
  writes: measureWrites,
  growth: measureGrowth,
};

const HELP = `Usage: deno task bench [options] [${Object.keys(MEASURES).join("|")}]…

Measures the service against peers and limits: in turns, in one run, on this machine. Only the ratios mean something.
Starts a Postgres of its own (or takes BENCH_DATABASE_URL) and installs the peers from npm into a folder that is gone
afterwards. Load comes from wrk, or from npm's autocannon where there is none.

What was measured replaces what bench/results.json says of the same measures; a quick run leaves that file alone.

  --quick         a fraction of the work; recorded only with --output
  --output FILE   write the results to this file instead of bench/results.json
  --json          print the rows as JSON instead of a table
  --table         measure nothing; put bench/results.json into docs/performance.md
  --help          print this text

  deno task bench                  everything
  deno task bench intake --quick   accepting requests, within a minute
  deno task bench --table          after a run, the page`;

interface Options {
  quick: boolean;
  json: boolean;
  /** Where results are written; nowhere if absent. */
  output: string | undefined;
}

async function run(names: string[], { quick, json, output }: Options): Promise<void> {
  const progress = startRunProgress(names.length);
  const { report } = progress;
  const rows: Row[] = [];
  const serverOptions = { prefix: "outbound-bench-", url: Deno.env.get("BENCH_DATABASE_URL"), report };
  try {
    await withDatabaseServer(serverOptions, async (server, folder) => {
      const circumstances = await readCircumstances({ postgres: server.version });
      for (const name of names) {
        progress.begin(name);
        const found = await MEASURES[name]!({ server, folder, quick, rounds: quick ? 1 : 3, report });
        rows.push(...found);
        const date = new Date().toISOString();
        if (output) await writeResult(output, name, { date, quick, ...circumstances, rows: found });
      }
    });
  } finally {
    progress.stop();
  }
  if (json) print(JSON.stringify(rows, null, 2));
  else printRows(rows);
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      output: { type: "string" },
      json: { type: "boolean", default: false },
      table: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const names = positionals.length > 0 ? positionals : Object.keys(MEASURES);
  const unknown = names.find((name) => !Object.hasOwn(MEASURES, name));
  const output = values.output ?? (values.quick ? undefined : join(rootFolder(), "bench/results.json"));
  if (values.help) print(HELP);
  else if (values.table) await updatePage();
  else if (unknown === undefined) await run(names, { ...values, output });
  else {
    printError(`There is no measure '${unknown}': ${Object.keys(MEASURES).join(", ")}`);
    Deno.exit(2);
  }
}
