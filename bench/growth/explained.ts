import postgres from "postgres";
import { ARRAY_TYPES } from "../../supabase/functions/_shared/db/driver/wire_types.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";

/** The database's costs of one invocation. */
export interface Cost {
  /** Time in the database, without the way there. */
  us: number;
  /** Pages looked at, in memory or not, whatever else the machine did meanwhile. */
  pages: number;
}

/** A connection that knows what the statements sent over it cost. */
export interface ExplainedConnection {
  sql: Sql;
  /** Does some work over `sql`; returns its result and the costs of its statements together. */
  run<T>(work: (sql: Sql) => Promise<T>): Promise<{ result: T; cost: Cost }>;
}

/** auto_explain sends the client, for each statement, the output of `explain (analyze, buffers)`, but runs it unchanged. */
const SETTINGS = {
  "auto_explain.log_min_duration": "0",
  "auto_explain.log_analyze": "on",
  "auto_explain.log_buffers": "on",
  "auto_explain.log_timing": "off",
  "auto_explain.log_format": "json",
  "auto_explain.log_level": "notice",
};

/** Opens such a connection; needs a superuser, and Postgres's own module auto_explain. */
export async function openExplained(url: string): Promise<ExplainedConnection> {
  let costs: Cost[] = [];
  const sql: Sql = postgres(url, {
    max: 1,
    fetch_types: false,
    types: ARRAY_TYPES,
    onnotice: ({ message }) => costs.push(...readPlan(String(message))),
  });
  await sql`load 'auto_explain'`;
  for (const [name, value] of Object.entries(SETTINGS)) {
    await sql`select set_config(${name}, ${value}, false)`;
  }
  return {
    sql,
    async run(work) {
      costs = [];
      const result = await work(sql);
      const sum = (of: keyof Cost) => costs.reduce((total, cost) => total + cost[of], 0);
      if (costs.length === 0) throw new Error("Postgres sent no plan");
      return { result, cost: { us: sum("us"), pages: sum("pages") } };
    },
  };
}

function readPlan(message: string): Cost[] {
  const [, duration, plan] = /^duration: ([\d.]+) ms\s+plan:\s*(\{.*)$/s.exec(message) ?? [];
  if (plan === undefined) return [];
  const { Plan: top } = JSON.parse(plan);
  return [{ us: Number(duration) * 1000, pages: top["Shared Hit Blocks"] + top["Shared Read Blocks"] }];
}
