import { newAccessKey } from "../../supabase/functions/_shared/access/new_access_key.ts";
import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { accessKeyOf } from "../../supabase/functions/_shared/crypto/secret_owner.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";
import { refuseOnConstraint } from "./refuse_on_constraint.ts";
import { unknownCompany } from "./unknown_company.ts";

/** What a key may be allowed. */
export const KEY_PERMISSIONS = ["chatapp_notifications", "voice_notifications"] as const;

export type KeyPermission = typeof KEY_PERMISSIONS[number];

export interface NewKey {
  companyId: string;
  /** Default: all. */
  permissions?: readonly KeyPermission[];
  /** Requests a minute. Default 600. */
  rateLimit?: number;
  /** Notifications a UTC day. Default 100,000. */
  dailyQuota?: number;
}

/**
 * Makes a company's first access key. The answer holds the key in the clear.
 *
 * @throws {CommandError} `not_found`, or `already_exists` when the company has a current key, revoked or not
 */
export async function createKey(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  { companyId, permissions = KEY_PERMISSIONS, rateLimit = 600, dailyQuota = 100_000 }: NewKey,
): Promise<{ key: string; keyId: string }> {
  const { key, hash } = newAccessKey();
  const keyId = crypto.randomUUID();
  const sealed = await sealer.seal(key, accessKeyOf(companyId, keyId));
  await refuseOnConstraint(
    sql`
      insert into outbound.api_keys (company_id, id, key_hash, key_sealed, permissions, rate_limit, daily_quota)
      values (${companyId}, ${keyId}, ${hash}, ${sealed}, ${[...permissions]}, ${rateLimit}, ${dailyQuota})`,
    {
      api_keys_company_fkey: () => unknownCompany(companyId),
      api_keys_current_idx: () =>
        new CommandError("already_exists", `Company ${companyId} has a key already: use "key rotate"`),
    },
  );
  return { key, keyId };
}
