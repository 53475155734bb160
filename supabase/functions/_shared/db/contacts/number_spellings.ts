import type { Sql } from "../driver/connect.ts";

/** A number as a company wrote it, and as the platform does. Field names are those of `outbound.learn_spellings`. */
export interface NumberSpelling {
  company_id: string;
  number: string;
  platform_number: string;
}

/** Records spellings, so that what a person says under one of them counts under all. */
export async function learnSpellings(sql: Sql, spellings: NumberSpelling[]): Promise<void> {
  await sql`select outbound.learn_spellings(${JSON.stringify(spellings)}::text::json)`;
}
