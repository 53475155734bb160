import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import {
  type CompanyChanges,
  type CompanySettings,
  insertCompany,
  updateCompanySettings,
} from "../../supabase/functions/_shared/db/access/companies.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { refuseOnConstraint, requireOneLine, unknownCompany } from "../errors/refusals.ts";

/**
 * Creates a company. Without `apiAccess` its users are refused the company's key, and its key is refused everywhere.
 *
 * @throws {CommandError} `bad_value` when the name is empty or longer than 200 characters
 */
export async function createCompany(
  { sql }: { sql: Sql },
  { name, apiAccess = true }: { name: string; apiAccess?: boolean },
): Promise<{ companyId: string }> {
  requireOneLine({ name });
  const { company_id: companyId } = await refuseOnConstraint(insertCompany(sql, { name, apiAccess }, CLI));
  return { companyId };
}

/**
 * Changes the given settings of a company and returns all of them.
 *
 * @throws {CommandError} `not_found`, or `bad_value` for an invalid gap or invalid caps
 */
export async function updateCompany(
  { sql }: { sql: Sql },
  { companyId, ...changes }: CompanyChanges & { companyId: string },
): Promise<CompanySettings> {
  const settings = await refuseOnConstraint(updateCompanySettings(sql, companyId, changes, CLI));
  if (!settings) throw unknownCompany(companyId);
  return settings;
}
