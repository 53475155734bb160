import type { Sql } from "../driver/connect.ts";

/** A number as a company wrote it, and as the platform does. Field names are those of `outbound.record_number_aliases`. */
export interface NumberAlias {
  company_id: string;
  number: string;
  platform_number: string;
}

/** Records aliases, so that what a person says under one of them counts under all. */
export async function recordNumberAliases(sql: Sql, aliases: NumberAlias[]): Promise<void> {
  await sql`select outbound.record_number_aliases(${JSON.stringify(aliases)}::text::json)`;
}
