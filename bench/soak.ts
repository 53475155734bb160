/**
 * `deno task soak`: the service under a steady load for half an hour, with dispatchers that are killed.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { print, printError } from "../cli/terminal/print.ts";
import { startProgress } from "../cli/terminal/progress.ts";
import { renderTable } from "../cli/terminal/render.ts";
import { readCircumstances } from "./output/circumstances.ts";
import { withDatabaseServer } from "./setup/database_server.ts";
import { type Finding, judge } from "./soak/judge.ts";
import { writeRecord } from "./soak/record.ts";
import { runSoak } from "./soak/run_soak.ts";

const HELP = `Usage: deno task soak [options]

Sends messages at a steady rate for a while, with the events of a platform, open consoles, and one of three dispatchers
killed by SIGKILL every minute. Then it compares every notification with every message that the platform took. Fails
when something was lost or sent twice, when a queue grew, or when the memory of a process moved by more than 10 %.

Starts a Postgres of its own, with fsync. A run of at least 30 minutes replaces bench/soak.json, the figures in
docs/operations.md and the plots.

  --minutes N    @default 30
  --rate N       messages per second; @default 200
  --viewers N    open consoles; @default 50
  --json         print the record as JSON instead of a table
  --help         print this text

  deno task soak                 the whole run
  deno task soak --minutes 2     a short one, recorded nowhere`;

/** The consoles' tokens live for an hour. */
const MAX_MINUTES = 55;
/** Shorter runs say nothing about memory. */
const MIN_RECORDED_MINUTES = 30;

async function soak(minutes: number, rate: number, viewers: number, asJson: boolean): Promise<boolean> {
  const progress = startProgress();
  const options = { prefix: "outbound-soak-", url: undefined, report: printError };
  try {
    return await withDatabaseServer(options, async (server, folder) => {
      const circumstances = await readCircumstances({ postgres: server.version });
      const outcome = await runSoak(server, folder, {
        ...{ minutes, rate, viewers },
        report: (second, note) => progress.update(second, minutes * 60, `s, ${note}`),
      });
      const findings = judge(outcome);
      const record = {
        date: new Date().toISOString(),
        ...circumstances,
        ...{ minutes, findings, samples: outcome.samples },
      };
      if (minutes >= MIN_RECORDED_MINUTES) await writeRecord(record);
      progress.stop();
      print(asJson ? JSON.stringify(record, null, 2) : renderFindings(findings));
      return findings.every(({ met }) => met !== false);
    });
  } finally {
    progress.stop();
  }
}

function renderFindings(findings: Finding[]): string {
  return renderTable<Finding>(
    [
      ["what", ({ name }) => name],
      ["aim", ({ aim }) => aim],
      ["figure", ({ figure }) => figure],
      ["", ({ met }) => met === undefined ? "" : met ? "met" : "not met"],
    ],
    findings,
    "Nothing was measured",
  );
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "30" },
      rate: { type: "string", default: "200" },
      viewers: { type: "string", default: "50" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const [minutes, rate, viewers] = [values.minutes, values.rate, values.viewers].map(Number);
  if (values.help) print(HELP);
  else if (!(minutes! > 0 && minutes! <= MAX_MINUTES && rate! > 0 && viewers! >= 0)) {
    printError(`--minutes, --rate and --viewers: expected numbers, at most ${MAX_MINUTES} minutes`);
    Deno.exit(2);
  } else if (!await soak(minutes!, rate!, viewers!, values.json)) Deno.exit(1);
}
