import { readActiveKey } from "../../db/access/keys.ts";
import type { Sql } from "../../db/driver/connect.ts";
import { AppError } from "../../errors.ts";
import type { CompanyCaller } from "./company_caller.ts";

/**
 * Returns the key for which counts what a caller sends: its own, or for a member the company's current one. Throws
 * `validation_failed` where the company has none that is active.
 */
export async function requireSendingKey(
  sql: Sql,
  { companyId, key }: CompanyCaller,
): Promise<{ id: string; hash: string }> {
  const sending = key ?? await readActiveKey(sql, companyId);
  if (sending !== undefined) return sending;
  throw new AppError("validation_failed", "The company has no active access key to send with");
}
