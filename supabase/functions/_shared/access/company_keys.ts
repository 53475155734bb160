import { accessKeyOf, type Sealer } from "../crypto/seal.ts";
import type { Actor } from "../db/access/audit.ts";
import type { Sql } from "../db/driver/connect.ts";
import { type NewKey, replaceKey } from "../db/access/keys.ts";
import { newAccessKey } from "./new_keys.ts";

/** Makes an access key for a company, to be stored. */
export async function makeKey(sealer: Sealer, companyId: string): Promise<NewKey & { key: string }> {
  const { key, hash } = newAccessKey(companyId);
  const keyId = crypto.randomUUID();
  return { companyId, keyId, key, hash, sealed: await sealer.seal(key, accessKeyOf(companyId, keyId)) };
}

/**
 * Replaces a company's key by a new, active one with the same permissions and limits, and returns it in the clear. The old
 * key is refused from now on.
 */
export async function rotateCompanyKey(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  companyId: string,
  by: Actor,
): Promise<{ key: string; keyId: string } | "no_company" | "no_key"> {
  const { key, ...made } = await makeKey(sealer, companyId);
  const outcome = await replaceKey(sql, made, by);
  return outcome === "replaced" ? { key, keyId: made.keyId } : outcome;
}
