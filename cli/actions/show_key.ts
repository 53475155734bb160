import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { accessKeyOf } from "../../supabase/functions/_shared/crypto/secret_owner.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";
import { refuseUnlessCompany } from "./refuse_unless_company.ts";

interface KeyRow {
  keyId: string;
  permissions: string[];
  /** Requests a minute. */
  rateLimit: number;
  /** Notifications a UTC day. */
  dailyQuota: number;
  isActive: boolean;
  lastUsedAt: Date | null;
  createdAt: Date;
}

/** A company's current key, in the clear. */
export type ShownKey = KeyRow & { key: string };

/**
 * @throws {CommandError} `not_found` when there is no such company, or it has no key; `bad_value` when it was
 * sealed with a key that SECRETS_KEY does not have
 */
export async function showKey(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  { companyId }: { companyId: string },
): Promise<ShownKey> {
  const [row] = await sql<(KeyRow & { sealed: string })[]>`
    select id as "keyId", key_sealed as sealed, permissions, rate_limit as "rateLimit",
      daily_quota as "dailyQuota", is_active as "isActive", last_used_at as "lastUsedAt",
      created_at as "createdAt"
    from outbound.api_keys where company_id = ${companyId} and is_current`;
  if (!row) {
    await refuseUnlessCompany(sql, companyId);
    throw new CommandError("not_found", `Company ${companyId} has no key: use "key create"`);
  }
  const { sealed, ...rest } = row;
  const key = await sealer.open(sealed, accessKeyOf(companyId, rest.keyId)).catch((cause) => {
    throw new CommandError(
      "bad_value",
      `The key of company ${companyId} cannot be opened: ${cause.message}`,
      { cause },
    );
  });
  return { key, ...rest };
}
