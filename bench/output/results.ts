import { z } from "zod";
import type { Row } from "../measures/measure.ts";
import { jsonLines } from "./json_lines.ts";

const rowSchema = z.object({
  work: z.string(),
  against: z.string(),
  aim: z.string().exactOptional(),
  ours: z.string(),
  theirs: z.string(),
  ratio: z.number().exactOptional(),
  met: z.boolean().exactOptional(),
  rounds: z.object({ ours: z.array(z.number()), theirs: z.array(z.number()) }).exactOptional(),
}) satisfies z.ZodType<Row>;

/** The machine of a run. */
export const machineSchema = z.object({
  cpu: z.string(),
  cores: z.number(),
  memory_gb: z.number(),
  deno: z.string(),
  postgres: z.string(),
});

const resultSchema = z.object({
  /** When the measure ended. */
  date: z.iso.datetime(),
  /** `+` behind it where files were changed since. */
  commit: z.string(),
  quick: z.boolean(),
  machine: machineSchema,
  rows: z.array(rowSchema),
});

const resultsSchema = z.object({ measures: z.record(z.string(), resultSchema) });

/** The findings of one measure, and when and where it ran. */
export type MeasureResult = z.infer<typeof resultSchema>;

/** `bench/results.json`: the last result of each measure. */
export type Results = z.infer<typeof resultsSchema>;

/** Reads a file of results; one that is not there has none. */
export async function readResults(file: string): Promise<Results> {
  try {
    return resultsSchema.parse(JSON.parse(await Deno.readTextFile(file)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { measures: {} };
    throw error;
  }
}

/** Replaces the results of one measure in a file and keeps those of all others. */
export async function writeResult(file: string, name: string, result: MeasureResult): Promise<void> {
  const { measures } = await readResults(file);
  await Deno.writeTextFile(file, jsonLines({ measures: { ...measures, [name]: result } }));
}
