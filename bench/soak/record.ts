import { z } from "zod";
import { putBetween } from "../output/between_marks.ts";
import { jsonLines } from "../output/json_lines.ts";
import { machineSchema } from "../output/results.ts";
import { markdownTable } from "../output/results_table.ts";
import type { Chart } from "../../dev/charts/chart.ts";
import { drawCharts } from "../plots/draw_charts.ts";
import { rootFolder } from "../setup/processes.ts";
import type { Finding } from "./judge.ts";
import { type Sample, sampleSchema } from "./sample.ts";
import { PROCESS_NAMES } from "./stack.ts";

const recordSchema = z.object({
  date: z.iso.datetime(),
  commit: z.string(),
  machine: machineSchema,
  minutes: z.number(),
  findings: z.array(z.object({
    name: z.string(),
    aim: z.string(),
    figure: z.string(),
    met: z.boolean().exactOptional(),
  })) satisfies z.ZodType<Finding[]>,
  samples: z.array(sampleSchema),
});

/** `bench/soak.json`: the last soak. */
export type SoakRecord = z.infer<typeof recordSchema>;

const RECORD = `${rootFolder()}bench/soak.json`;
const PAGE = `${rootFolder()}docs/operations.md`;
const PLOTS = `${rootFolder()}docs/performance/`;

const MARKS = {
  begin: "<!-- From bench/soak.json, by `deno task soak` -->\n\n",
  end: "\n<!-- End of what is from bench/soak.json -->\n",
};

/** Reads the last soak. */
export async function readRecord(): Promise<SoakRecord> {
  return recordSchema.parse(JSON.parse(await Deno.readTextFile(RECORD)));
}

/** Keeps a soak: in bench/soak.json, in docs/operations.md, and as plots. */
export async function writeRecord(record: SoakRecord): Promise<void> {
  await Deno.writeTextFile(RECORD, jsonLines(record));
  await Deno.writeTextFile(PAGE, withRecord(await Deno.readTextFile(PAGE), record));
  for (const [name, svg] of Object.entries(await drawCharts(plots(record)))) {
    await Deno.writeTextFile(`${PLOTS}${name}`, svg);
  }
}

/** Puts a soak into the page, between two markers. */
export function withRecord(page: string, record: SoakRecord): string {
  return putBetween(page, MARKS, renderRecord(record));
}

function renderRecord({ date, commit, machine, minutes, findings }: SoakRecord): string {
  const { cpu, cores, memory_gb, deno, postgres } = machine;
  return [
    `${minutes} minutes on ${
      date.slice(0, 10)
    }, commit ${commit}: ${cpu}, ${cores} cores, ${memory_gb} GB, ` +
    `Deno ${deno}, Postgres ${postgres}.\n\n`,
    markdownTable(
      ["what", "aim", "figure", "met"],
      findings.map((
        { name, aim, figure, met },
      ) => [name, aim, figure, met === undefined ? "" : met ? "yes" : "**no**"]),
    ),
  ].join("");
}

/** The plots of a soak, by file name. */
export function plots({ samples }: SoakRecord): Record<string, Chart> {
  const lineOf = (name: string, figure: (sample: Sample) => number | undefined) => ({
    name,
    points: samples.flatMap((sample): [number, number][] => {
      const value = figure(sample);
      return value === undefined ? [] : [[sample.at_s / 60, value]];
    }),
  });
  return {
    "soak_memory.svg": {
      kind: "time",
      title: "Private memory of each process",
      unit: "MB",
      lines: PROCESS_NAMES.map((name) => lineOf(name, ({ memory }) => memory[name])),
    },
    "soak_messages.svg": {
      kind: "time",
      title: "Messages and events",
      unit: "per second",
      lines: [
        lineOf("accepted", ({ accepted_per_s }) => accepted_per_s),
        lineOf("sent", ({ taken_per_s }) => taken_per_s),
        lineOf("events to consoles", ({ events_per_s }) => events_per_s),
      ],
    },
    "soak_queues.svg": {
      kind: "time",
      title: "What waits",
      unit: "rows",
      lines: [
        lineOf("due notifications", ({ due }) => due),
        lineOf("events to apply", ({ unapplied }) => unapplied),
      ],
    },
  };
}
