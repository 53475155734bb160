import type { Sql } from "../../_shared/db/driver/connect.ts";
import { readCurrentKeyHash } from "../../_shared/db/access/keys.ts";
import { AppError } from "../../_shared/errors.ts";

/** Returns the hash of the key for which a member's notifications count: the company's current one. Throws `validation_failed`. */
export async function requireSendingKey(sql: Sql, companyId: string): Promise<string> {
  const keyHash = await readCurrentKeyHash(sql, companyId);
  if (keyHash !== undefined) return keyHash;
  throw new AppError("validation_failed", "The company has no active access key to send with");
}
