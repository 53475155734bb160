import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { unknownCompany } from "./unknown_company.ts";

/**
 * Looks whether a company is there, for commands that would otherwise find nothing and not know why.
 *
 * @throws {CommandError} `not_found`
 */
export async function refuseUnlessCompany(sql: Sql, companyId: string): Promise<void> {
  const [found] = await sql`select 1 from outbound.companies where id = ${companyId}`;
  if (!found) throw unknownCompany(companyId);
}
