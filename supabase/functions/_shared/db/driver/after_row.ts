import type { Sql } from "./connect.ts";

/** The last row of the page before, in a table of companies. */
export interface AfterRow {
  /** With its schema. */
  table: string;
  companyId: string;
  /** The id of the row; undefined on the first page. */
  after: string | undefined;
  /** The column of the id. */
  id?: string;
}

/** Returns the condition of a page of a list that is newest first: rows after that row. The query calls the table `alias`. */
export function afterRow(sql: Sql, alias: string, { table, companyId, after, id = "id" }: AfterRow) {
  if (after === undefined) return sql``;
  return sql`and (${sql(alias)}.created_at, ${sql(alias)}.${sql(id)}) < (
    select o.created_at, o.${sql(id)} from ${sql(table)} as o where o.company_id = ${companyId} and o.${
    sql(id)
  } = ${after})`;
}
