import postgres from "postgres";

/** A node of a plan, as Postgres explains it. */
export interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Join Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  "WAL Records": number;
  "Sort Key"?: string[];
  Plans?: PlanNode[];
  /** Of a whole plan: present if Postgres compiled it. */
  JIT?: unknown;
}

/** Calls `fn` with a connection that reports the plan of every statement it runs, those inside functions too. */
export async function plansOf(url: string, fn: (sql: postgres.Sql) => Promise<void>): Promise<PlanNode[]> {
  const plans: PlanNode[] = [];
  const sql = postgres(url, {
    max: 1,
    onnotice: ({ message }) => {
      const json = /plan:\n([{[][\s\S]*)$/.exec(message ?? "")?.[1];
      if (!json) return;
      const { Plan, JIT } = JSON.parse(json);
      plans.push({ ...Plan, ...(JIT && { JIT }) });
    },
  });
  try {
    await sql.unsafe(`
      load 'auto_explain';
      set auto_explain.log_min_duration = 0;
      set auto_explain.log_analyze = on;
      set auto_explain.log_timing = off;
      set auto_explain.log_buffers = on;
      set auto_explain.log_wal = on;
      set auto_explain.log_nested_statements = on;
      set auto_explain.log_format = json;
      set auto_explain.log_level = notice`);
    await fn(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
  return plans;
}

function* nodesOf(plan: PlanNode): Iterable<PlanNode> {
  yield plan;
  for (const child of plan.Plans ?? []) yield* nodesOf(child);
}

/** Counts the rows that a node read, thrown away or not. */
function rowsRead(node: PlanNode): number {
  const each = node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) +
    (node["Rows Removed by Index Recheck"] ?? 0);
  return each * node["Actual Loops"];
}

/**
 * Large tables may be read by an index only, at most `maxRows` of them; what is sorted may be no more than that. No plan
 * may be compiled.
 */
export function faultsOf(plans: PlanNode[], maxRows: number, largeTables: string[]): string[] {
  const compiled = compiledOf(plans);
  const faults = plans.flatMap((plan) => [...nodesOf(plan)]).flatMap((node) => {
    const name = `${node["Node Type"]} ${node["Relation Name"] ?? ""} ${
      node["Index Name"] ?? node["Sort Key"] ?? ""
    }`;
    const large = largeTables.includes(node["Relation Name"] ?? "");
    if (large && node["Node Type"] === "Seq Scan") return [name];
    const counts = large && /Scan/.test(node["Node Type"]) || node["Node Type"] === "Sort";
    return counts && rowsRead(node) > maxRows ? [`${name}: ${rowsRead(node)} rows`] : [];
  });
  return compiled > 0 ? [...faults, `${compiled} plans compiled`] : faults;
}

/** Returns the joins that compared more than `max` pairs of rows in vain, with their numbers: they compare all with all. */
export function comparingJoins(plans: PlanNode[], max: number): string[] {
  return plans.flatMap((plan) => [...nodesOf(plan)]).flatMap((node) => {
    const pairs = (node["Rows Removed by Join Filter"] ?? 0) * node["Actual Loops"];
    return pairs > max ? [`${node["Node Type"]}: ${pairs} pairs`] : [];
  });
}

/** Returns the scans that ran more than `max` times: the rows of one table were looked up for those of another. */
export function repeatedScans(plans: PlanNode[], max: number): string[] {
  return plans.flatMap((plan) => [...nodesOf(plan)]).flatMap((node) =>
    /Scan/.test(node["Node Type"]) && node["Actual Loops"] > max
      ? [`${node["Index Name"] ?? node["Relation Name"]}: ${node["Actual Loops"]} times`]
      : []
  );
}

/** Counts the rows that a query read of each table, thrown away or not. */
export function rowsReadOf(plans: PlanNode[]): Record<string, number> {
  const rows: Record<string, number> = {};
  for (const node of plans.flatMap((plan) => [...nodesOf(plan)])) {
    const table = node["Relation Name"];
    if (table !== undefined && /Scan/.test(node["Node Type"])) {
      rows[table] = (rows[table] ?? 0) + rowsRead(node);
    }
  }
  return rows;
}

/** Counts the pages that a query looked at by each index, those of rows that are long gone too; without one by table. */
export function pagesReadOf(plans: PlanNode[]): Record<string, number> {
  const pages: Record<string, number> = {};
  for (const node of plans.flatMap((plan) => [...nodesOf(plan)])) {
    const name = node["Index Name"] ?? node["Relation Name"];
    if (name !== undefined && /Scan/.test(node["Node Type"])) {
      pages[name] = (pages[name] ?? 0) + node["Shared Hit Blocks"] + node["Shared Read Blocks"];
    }
  }
  return pages;
}

/** Counts the changes that a query wrote to the log, those of the statements inside functions included. */
export function walRecordsOf(plans: PlanNode[]): number {
  return Math.max(...plans.map((plan) => plan["WAL Records"]));
}

/** Counts the plans that Postgres compiled, which takes far longer than any query of the queue. */
export function compiledOf(plans: PlanNode[]): number {
  return plans.filter(({ JIT }) => JIT !== undefined).length;
}
