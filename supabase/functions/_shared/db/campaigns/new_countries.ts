import type { Sql } from "../driver/connect.ts";

/** Returns those of the countries' calling codes to which a company has sent nothing that is still stored. */
export async function findNewCallingCodes(
  sql: Sql,
  { companyId, callingCodes }: { companyId: string; callingCodes: string[] },
): Promise<string[]> {
  const rows = await sql<{ code: string }[]>`
    select code from unnest(${callingCodes}::text[]) as code
    where not exists (
      select 1 from outbound.notification_facts as n
      where n.company_id = ${companyId} and n.number >= code and n.number < (code::int + 1)::text
    )`;
  return rows.map(({ code }) => code);
}
