/**
 * Draws bench/growth.json and bench/results.json into docs/performance/*.svg; what has not been measured is left out.
 * Usage: deno run -A bench/plots/render.ts
 *
 * @module
 */
import { print } from "../../cli/print.ts";
import { contestantCharts } from "./contestant_charts.ts";
import { growthCharts } from "./growth_charts.ts";

const BENCH = new URL("../", import.meta.url);
const FOLDER = new URL("../../docs/performance/", import.meta.url);

async function read(name: string): Promise<unknown> {
  try {
    return JSON.parse(await Deno.readTextFile(new URL(name, BENCH)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function render(): Promise<void> {
  const [growth, results] = [await read("growth.json"), await read("results.json")];
  const charts = {
    ...growth === undefined ? {} : growthCharts(growth as Parameters<typeof growthCharts>[0]),
    ...results === undefined ? {} : contestantCharts(results),
  };
  await Deno.mkdir(FOLDER, { recursive: true });
  for (const [name, svg] of Object.entries(charts)) {
    await Deno.writeTextFile(new URL(name, FOLDER), svg);
    print(`docs/performance/${name}`);
  }
}

if (import.meta.main) await render();
