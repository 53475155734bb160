import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { unknownCompany } from "./unknown_company.ts";

/**
 * Refuses ids that name no company.
 *
 * @throws {CommandError} `not_found` for the first of them
 */
export async function refuseUnknownCompanies(sql: Sql, companyIds: string[]): Promise<void> {
  const [unknown] = await sql<{ id: string }[]>`
    select wanted.id from unnest(${companyIds}::uuid[]) as wanted(id)
    where not exists (select 1 from outbound.companies as c where c.id = wanted.id)`;
  if (unknown) throw unknownCompany(unknown.id);
}
