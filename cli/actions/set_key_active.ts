import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";
import { refuseUnlessCompany } from "./refuse_unless_company.ts";

/**
 * Revokes a company's current key, or takes that back.
 *
 * @throws {CommandError} `not_found` when there is no such company, or it has no key
 */
export async function setKeyActive(
  { sql }: { sql: Sql },
  { companyId, isActive }: { companyId: string; isActive: boolean },
): Promise<{ keyId: string; isActive: boolean }> {
  const [row] = await sql<{ keyId: string }[]>`
    update outbound.api_keys set is_active = ${isActive}
    where company_id = ${companyId} and is_current
    returning id as "keyId"`;
  if (row) return { keyId: row.keyId, isActive };
  await refuseUnlessCompany(sql, companyId);
  throw new CommandError("not_found", `Company ${companyId} has no key: use "key create"`);
}
