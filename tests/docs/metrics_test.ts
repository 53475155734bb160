import assert from "node:assert/strict";
import { DATABASE_GAUGES, DATABASE_READ, PROCESS_GAUGES } from "../../cli/metrics/gauges.ts";
import { createMetrics } from "../../supabase/functions/_shared/telemetry/metrics.ts";
import { codesIn, readPage, tableBelow } from "./read_page.ts";

interface Described {
  name: string;
  kind?: string;
  labelNames: readonly string[];
  help: string;
}

/** The rows of the table, for every metric that a process serves. */
function describedRows(): string[][] {
  const counted = Object.values(createMetrics()).filter((metric) => "kind" in metric) as Described[];
  const row = ({ name, kind = "gauge", labelNames, help }: Described, from: string) => [
    `\`${name}\``,
    kind,
    labelNames.map((label) => `\`${label}\``).join(", "),
    from,
    help,
  ];
  return [
    ...counted.map((metric) => row(metric, "process")),
    ...[...PROCESS_GAUGES, DATABASE_READ].map((gauge) => row(gauge, "process")),
    ...DATABASE_GAUGES.map((gauge) => row(gauge, "database")),
  ];
}

Deno.test("docs/operations.md describes every metric as it is served, and no other", async () => {
  const rows = tableBelow(await readPage("docs/operations.md"), "#### Every metric");

  assert.deepEqual(rows, describedRows());
});

Deno.test("docs/operations.md: every line of what to watch has its alerts, and every alert its line", async () => {
  const tables = tableBelow(await readPage("docs/operations.md"), "## What to watch");
  // The second table of the section is about GET /health.
  const rows = tables.slice(0, tables.findIndex(([check]) => check === "`database`"));
  const named = rows.flatMap(([, , alerts]) => codesIn(alerts!));
  const without = rows.filter(([, , alerts]) => alerts === "").map(([check]) => check);
  const text = await readPage("ops/prometheus/alerts.yml");
  const shipped = [...text.matchAll(/^ {6}- alert: (\w+)$/gm)].map(([, name]) => name!);

  assert.ok(shipped.length >= 20);
  assert.deepEqual(named.sort(), shipped.sort());
  // It is for one campaign, at an operator's request.
  assert.deepEqual(without, ["`deno task admin campaign verify <id>`"]);
});

Deno.test("every alert says what is wrong, what to do, and where that is explained", async () => {
  const text = await readPage("ops/prometheus/alerts.yml");
  const rules = text.split(/^ {6}- alert: /m).slice(1);
  const headings = new Map<string, string[]>();

  for (const rule of rules) {
    const [name = ""] = rule.split("\n", 1);
    assert.match(rule, /^ {10}summary: .{20}/m, name);
    assert.match(rule, /^ {10}action: .{20}/m, name);
    assert.match(rule, /severity: (critical|warning|info)/, name);
    const [, page, anchor] = /^ {10}docs: (docs\/\w+\.md)#(\S+)$/m.exec(rule) ?? [];
    assert.ok(page && anchor, name);
    const anchors = headings.get(page) ?? anchorsOf(await readPage(page));
    headings.set(page, anchors);
    assert.ok(anchors.includes(anchor), `${name}: ${page}#${anchor}`);
  }
});

function anchorsOf(text: string): string[] {
  const lines = text.split("\n").filter((line) => /^#+ /.test(line));
  return lines.map((line) =>
    line.replace(/^#+ /, "").toLowerCase().replaceAll(/[^\w -]/g, "").replaceAll(" ", "-")
  );
}
