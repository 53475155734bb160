import { OPS } from "./with_prometheus.ts";

/** A query of the board. */
export interface BoardQuery {
  panel: string;
  expression: string;
}

interface Panel {
  type: string;
  title: string;
  description?: string;
  fieldConfig?: { defaults: { unit?: string } };
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; refId: string }[];
}

/** Returns the panels of the shipped board. */
export async function readPanels(): Promise<Panel[]> {
  return JSON.parse(await Deno.readTextFile(`${OPS}/grafana/outbound.json`)).panels;
}

/** Returns every query of the board as Grafana sends it with the default variables. */
export async function readQueries(): Promise<BoardQuery[]> {
  const panels = await readPanels();
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ panel: title, expression: withVariables(expr) }))
  );
}

/** Long enough for every counter to have two samples. */
function withVariables(expression: string): string {
  return expression.replaceAll("$__rate_interval", "1m").replaceAll("$job", "outbound").replaceAll(
    "$instance",
    ".*",
  );
}
