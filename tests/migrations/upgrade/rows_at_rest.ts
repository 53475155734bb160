import assert from "node:assert/strict";
import type postgres from "postgres";

/** The rows of a company, by table. */
export type Rows = Record<string, Record<string, unknown>[]>;

/** Tables that time changes by itself, without a call of the company. */
const MOVING =
  /^(sender_(schedule|rate_state)|reply_schedule|webhook_schedule|platform_events|account_signals)$/;

/** Reads the rows of a company in every table of schema `outbound`. */
export async function readRowsAtRest(sql: postgres.Sql, companyId: string): Promise<Rows> {
  const tables = await sql<{ name: string }[]>`
    select c.relname::text as name from pg_class as c
    join pg_attribute as a on a.attrelid = c.oid and not a.attisdropped
      and a.attname = case when c.relname = 'companies' then 'id' else 'company_id' end
    where c.relnamespace = 'outbound'::regnamespace and c.relkind = 'r' order by 1`;
  const rows: Rows = {};
  for (const { name } of tables.filter((table) => !MOVING.test(table.name))) {
    const key = name === "companies" ? "id" : "company_id";
    const found = await sql<{ row: Record<string, unknown> }[]>`
      select to_jsonb(r) as row from outbound.${sql(name)} as r where ${
      sql(key)
    } = ${companyId} order by r::text`;
    if (found.length > 0) rows[name] = found.map(({ row }) => row);
  }
  return rows;
}

/** Fails if a row changed or is gone. Columns and tables that migrations added or dropped are left out. */
export function assertAtRest(before: Rows, after: Rows): void {
  for (const [table, rows] of Object.entries(before)) {
    const [now, columns] = [after[table] ?? [], new Set(Object.keys(after[table]?.[0] ?? {}))];
    const known = Object.keys(rows[0]!).filter((column) => columns.has(column));
    const compared = (all: typeof rows) =>
      all.map((row) => JSON.stringify(known.map((column) => [column, row[column]]))).sort();
    assert.deepEqual(compared(now), compared(rows), `rows of ${table} changed`);
  }
}
