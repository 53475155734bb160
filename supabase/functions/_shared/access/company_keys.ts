import { accessKeyOf, type Sealer } from "../crypto/seal.ts";
import type { Actor } from "../db/access/audit.ts";
import {
  findUnknownSender,
  type FurtherKeyFields,
  type FurtherKeyRow,
  insertFurtherKey,
  readTakenLimits,
} from "../db/access/further_keys.ts";
import { isTestCompany } from "../db/access/test_companies.ts";
import { lockKeys, type NewKey, readCurrentKey, replaceKeyText } from "../db/access/keys.ts";
import type { Sql } from "../db/driver/connect.ts";
import { inTransaction } from "../db/driver/in_transaction.ts";
import { AppError, badFormat } from "../errors.ts";
import { newAccessKey } from "./new_keys.ts";
import { type KeyPermission, TEST_PERMISSIONS } from "./permissions.ts";

/** A week: longer than any deployment takes. */
export const MAX_OVERLAP_HOURS = 168;

/** Of one company, without those that were revoked. */
export const MAX_FURTHER_KEYS = 50;

/** Makes a company's current access key, to be stored. */
export async function makeKey(sealer: Sealer, companyId: string): Promise<NewKey & { key: string }> {
  const { key, hash } = newAccessKey(companyId);
  const keyId = crypto.randomUUID();
  return { companyId, keyId, key, hash, sealed: await sealer.seal(key, accessKeyOf(companyId, keyId)) };
}

/** The key to rotate. */
export interface Rotation {
  companyId: string;
  /** A further key; null for the company's current one. */
  keyId: string | null;
  /** How long the old text still passes. */
  overlapHours: number;
}

/** A key's new text, in the clear. */
export interface RotatedKey {
  key: string;
  keyId: string;
  oldExpiresAt: Date;
}

/**
 * Gives a key a new text, and returns it in the clear. Permissions, limits and what was used of them stay. Undefined when
 * the company has no such key that can be rotated.
 */
export async function rotateCompanyKey(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  { companyId, keyId, overlapHours }: Rotation,
  by: Actor,
): Promise<RotatedKey | undefined> {
  const id = keyId ?? (await readCurrentKey(sql, companyId))?.key_id;
  if (id === undefined) return undefined;
  const { key, hash } = newAccessKey(companyId, { isTest: await isTestCompany(sql, companyId) });
  const sealed = keyId === null ? await sealer.seal(key, accessKeyOf(companyId, id)) : null;
  const replaced = await replaceKeyText(sql, { companyId, keyId: id, hash, sealed, overlapHours }, by);
  return replaced && { key, keyId: id, oldExpiresAt: replaced.old_expires_at };
}

/**
 * Creates a further key of a company, and returns it with its text, which is not stored.
 *
 * @param check what else must be true, in the same transaction
 * @throws {AppError} `validation_failed` for a sender that the company does not have, for a permission that no key of a
 * test company has, and beyond the most keys
 */
export async function createFurtherKey(
  sql: Sql,
  { companyId, ...fields }: { companyId: string } & FurtherKeyFields,
  by: Actor,
  check: (sql: Sql) => Promise<void> = async () => {},
): Promise<{ key: string; row: FurtherKeyRow }> {
  const keyId = crypto.randomUUID();
  return await inTransaction(sql, async (on) => {
    await lockKeys(on, companyId);
    const { further_keys: count } = await readTakenLimits(on, { companyId, keyId: null });
    if (count >= MAX_FURTHER_KEYS) {
      throw new AppError(
        "validation_failed",
        `A company has at most ${MAX_FURTHER_KEYS} further keys: revoke one`,
      );
    }
    await requireSenders(on, companyId, fields.senderIds);
    const isTest = await isTestCompany(on, companyId);
    if (isTest) requireTestPermissions(fields.permissions);
    await check(on);
    const { key, hash } = newAccessKey(companyId, { isTest });
    return { key, row: await insertFurtherKey(on, { companyId, keyId, hash, ...fields }, by) };
  });
}

/** Throws `validation_failed` for a permission that no key of a test company has. */
export function requireTestPermissions(permissions: readonly KeyPermission[] = []): void {
  const index = permissions.findIndex((permission) => !TEST_PERMISSIONS.includes(permission));
  if (index === -1) return;
  const expected = `of a test key one of ${TEST_PERMISSIONS.join(", ")}`;
  throw badFormat(`permissions[${index}]`, permissions[index], expected);
}

/** Throws `validation_failed` for an id that names no sender of the company. */
export async function requireSenders(
  sql: Sql,
  companyId: string,
  senderIds: string[] | null | undefined,
): Promise<void> {
  const index = senderIds ? await findUnknownSender(sql, { companyId, senderIds }) : undefined;
  if (index === undefined) return;
  throw badFormat(`sender_ids[${index}]`, senderIds![index], "the id of one of your senders");
}
