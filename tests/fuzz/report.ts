/** The responses of an operation, by status; `none` counts requests without a response. */
export type Statuses = Record<string, number>;

interface Interaction {
  response: { status_code: number } | null;
}

interface Scenario {
  recorder?: { label?: string; interactions?: Record<string, Interaction> };
}

/** Reads Schemathesis's report, of one JSON object per line, as the statuses of each operation. */
export async function readReport(file: string): Promise<Map<string, Statuses>> {
  const lines = (await Deno.readTextFile(file)).split("\n").filter((line) => line !== "");
  const operations = new Map<string, Statuses>();
  for (const line of lines) {
    const { recorder } = (JSON.parse(line) as { ScenarioFinished?: Scenario }).ScenarioFinished ?? {};
    if (recorder?.label === undefined) continue;
    const statuses = operations.get(recorder.label) ?? {};
    for (const { response } of Object.values(recorder.interactions ?? {})) {
      const status = String(response?.status_code ?? "none");
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    operations.set(recorder.label, statuses);
  }
  return operations;
}

/** Returns the end of a run's output: what was asked of which operation, and what was left out. */
export function summarize(
  operations: Map<string, Statuses>,
  { excluded, notCalled }: {
    excluded: { operations: string[]; setting: string; reason: string }[];
    notCalled: Record<string, string>;
  },
): string {
  const all = [...operations];
  const total = all.flatMap(([, statuses]) => Object.values(statuses)).reduce((sum, count) => sum + count, 0);
  const neverDone = all.filter(([, statuses]) => !Object.keys(statuses).some((status) => /^2/.test(status)));
  return [
    `${total} requests to ${all.length} operations`,
    ...neverDone.length === 0 ? [] : ["Refused every time, so only their errors were checked:"],
    ...neverDone.map(([name, statuses]) => `  ${name}: ${describe(statuses)}`),
    "Left out:",
    ...Object.entries(notCalled).map(([name, reason]) => `  ${name}: ${reason}`),
    ...excluded.map((each) => `  ${each.operations.join(", ")}: ${each.setting}, because ${each.reason}`),
  ].join("\n");
}

function describe(statuses: Statuses): string {
  const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  return counts.join(", ") || "not reached in time";
}
