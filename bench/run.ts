/**
 * `deno task bench`: what the service does, against peers and limits, on one machine in one run.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { print, printError } from "../cli/print.ts";
import { openDatabaseServer } from "./setup/database_server.ts";
import { measureDispatch } from "./measures/dispatch.ts";
import { measureIntake } from "./measures/intake.ts";
import type { Measure, Row } from "./measures/measure.ts";
import { printRows } from "./print_rows.ts";

const MEASURES: Record<string, Measure> = {
  intake: measureIntake,
  dispatch: measureDispatch,
};

const HELP = `Usage: deno task bench [options] [${Object.keys(MEASURES).join("|")}]…`;

async function run(names: string[], quick: boolean): Promise<void> {
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
  printRows(rows);
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  });
  if (values.help) print(HELP);
  else await run(positionals.length > 0 ? positionals : Object.keys(MEASURES), values.quick);
}
