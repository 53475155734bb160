import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";

/**
 * Revokes one of a company's publishable keys, or takes that back.
 *
 * @throws {CommandError} `not_found`
 */
export async function setPublishableKeyActive(
  { sql }: { sql: Sql },
  { companyId, key, isActive }: { companyId: string; key: string; isActive: boolean },
): Promise<{ keyId: string; isActive: boolean }> {
  const [row] = await sql<{ keyId: string }[]>`
    update outbound.publishable_keys set is_active = ${isActive}
    where company_id = ${companyId} and key = ${key}
    returning id as "keyId"`;
  if (!row) throw new CommandError("not_found", `Company ${companyId} has no such publishable key`);
  return { keyId: row.keyId, isActive };
}
