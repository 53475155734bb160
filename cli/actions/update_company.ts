import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { unknownCompany } from "./unknown_company.ts";

/**
 * Switches a company's access to the API on or off.
 *
 * @throws {CommandError} `not_found`
 */
export async function updateCompany(
  { sql }: { sql: Sql },
  { companyId, apiAccess }: { companyId: string; apiAccess: boolean },
): Promise<{ companyId: string; apiAccess: boolean }> {
  const { count } = await sql`
    update outbound.companies set api_access = ${apiAccess} where id = ${companyId}`;
  if (count === 0) throw unknownCompany(companyId);
  return { companyId, apiAccess };
}
