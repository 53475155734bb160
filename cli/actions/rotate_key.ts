import { newAccessKey } from "../../supabase/functions/_shared/access/new_access_key.ts";
import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { accessKeyOf } from "../../supabase/functions/_shared/crypto/secret_owner.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";
import { unknownCompany } from "./unknown_company.ts";

/**
 * Replaces a company's key by a new, active one with the same permissions and limits. The old key is refused from
 * this moment on.
 *
 * @throws {CommandError} `not_found` when there is no such company, or it has no key
 */
export async function rotateKey(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  { companyId }: { companyId: string },
): Promise<{ key: string; keyId: string }> {
  const { key, hash } = newAccessKey();
  const keyId = crypto.randomUUID();
  const sealed = await sealer.seal(key, accessKeyOf(companyId, keyId));
  return await sql.begin(async (transaction) => {
    // The company's row is the lock: a second rotation waits here and then sees the first one's key.
    const [company] = await transaction`
      select 1 from outbound.companies where id = ${companyId} for no key update`;
    if (!company) throw unknownCompany(companyId);
    const [old] = await transaction<{ permissions: string[]; rateLimit: number; dailyQuota: number }[]>`
      update outbound.api_keys set is_current = false, is_active = false
      where company_id = ${companyId} and is_current
      returning permissions, rate_limit as "rateLimit", daily_quota as "dailyQuota"`;
    if (!old) throw new CommandError("not_found", `Company ${companyId} has no key: use "key create"`);
    await transaction`
      insert into outbound.api_keys (company_id, id, key_hash, key_sealed, permissions, rate_limit, daily_quota)
      values (${companyId}, ${keyId}, ${hash}, ${sealed}, ${old.permissions}, ${old.rateLimit},
        ${old.dailyQuota})`;
    return { key, keyId };
  });
}
