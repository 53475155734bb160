import { makeKey } from "../../supabase/functions/_shared/access/company_keys.ts";
import {
  DEFAULT_PERMISSIONS,
  type KeyPermission,
} from "../../supabase/functions/_shared/access/permissions.ts";
import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import { insertKey } from "../../supabase/functions/_shared/db/access/keys.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { refuseOnConstraint, refuseTestCompany } from "../errors/refusals.ts";

export interface KeyRequest {
  companyId: string;
  /** Default: those of sending and of contacts. */
  permissions?: readonly KeyPermission[];
  /** Requests per minute. Default 600. */
  rateLimit?: number;
  /** Notifications per UTC day. Default 100,000. */
  dailyQuota?: number;
}

/**
 * Creates a company's first access key and returns it in the clear.
 *
 * @throws {CommandError} `not_found`, or `already_exists` when the company has a current key, revoked or not
 */
export async function createKey(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  { companyId, permissions = DEFAULT_PERMISSIONS, rateLimit = 600, dailyQuota = 100_000 }: KeyRequest,
): Promise<{ key: string; keyId: string }> {
  await refuseTestCompany(sql, companyId);
  const { key, ...made } = await makeKey(sealer, companyId);
  const row = { ...made, permissions: [...permissions], rateLimit, dailyQuota };
  await refuseOnConstraint(insertKey(sql, row, CLI), { companyId });
  return { key, keyId: made.keyId };
}
