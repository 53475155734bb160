import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";

/** Makes a user a member of companies that exist, and returns those it was not a member of before. */
export async function insertMembers(sql: Sql, userId: string, companyIds: string[]): Promise<string[]> {
  const rows = await sql<{ company_id: string }[]>`
    insert into outbound.company_members (company_id, user_id)
    select distinct company_id, ${userId}::uuid from unnest(${companyIds}::uuid[]) as company_id
    on conflict do nothing
    returning company_id`;
  return rows.map((row) => row.company_id);
}
