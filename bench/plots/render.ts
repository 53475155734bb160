/**
 * Draws bench/growth.json and bench/results.json into docs/performance/*.svg; what has not been measured is left out.
 * Usage: deno run -A bench/plots/render.ts
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { print } from "../../cli/terminal/print.ts";
import { readResults } from "../output/results.ts";
import type { Growth } from "../growth/growth_step.ts";
import { contestantCharts } from "./contestant_charts.ts";
import { drawCharts } from "./draw_charts.ts";
import { growthCharts } from "./growth_charts.ts";

const BENCH = new URL("../", import.meta.url);
const FOLDER = new URL("../../docs/performance/", import.meta.url);

async function readGrowth(): Promise<Growth> {
  try {
    return JSON.parse(await Deno.readTextFile(new URL("growth.json", BENCH)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { measured_at: "", steps: [] };
    throw error;
  }
}

async function render(): Promise<void> {
  const growth = await readGrowth();
  const charts = {
    ...(growth.steps.length > 0 && growthCharts(growth)),
    ...contestantCharts(await readResults(fileURLToPath(new URL("results.json", BENCH)))),
  };
  await Deno.mkdir(FOLDER, { recursive: true });
  for (const [name, svg] of Object.entries(await drawCharts(charts))) {
    await Deno.writeTextFile(new URL(name, FOLDER), svg);
    print(`docs/performance/${name}`);
  }
}

if (import.meta.main) await render();
