import {
  createFurtherKey,
  makeKey,
  rotateCompanyKey,
  type RotatedKey,
} from "../../supabase/functions/_shared/access/company_keys.ts";
import {
  DEFAULT_PERMISSIONS,
  type KeyPermission,
} from "../../supabase/functions/_shared/access/permissions.ts";
import { newPublishableKey } from "../../supabase/functions/_shared/access/new_keys.ts";
import { accessKeyOf, type Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import {
  type FurtherKeyRow,
  readFurtherKeyPage,
  updateFurtherKey,
} from "../../supabase/functions/_shared/db/access/further_keys.ts";
import { AppError } from "../../supabase/functions/_shared/errors.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import {
  type CurrentKeyRow,
  insertKey,
  readCurrentKey,
  updateKey,
} from "../../supabase/functions/_shared/db/access/keys.ts";
import {
  insertPublishableKey,
  type PublishableKeyRow,
  readPublishableKeys,
  updatePublishableKeyActive,
} from "../../supabase/functions/_shared/db/access/publishable_keys.ts";
import { CommandError } from "../errors/command_error.ts";
import { noKey, refuseOnConstraint, requireCompanies } from "../errors/refusals.ts";

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
  const { key, ...made } = await makeKey(sealer, companyId);
  const row = { ...made, permissions: [...permissions], rateLimit, dailyQuota };
  await refuseOnConstraint(insertKey(sql, row, CLI), { companyId });
  return { key, keyId: made.keyId };
}

/**
 * Creates a key beside the company's own, and returns it in the clear, this once. The company's ceilings do not bound the
 * operator of the service.
 *
 * @throws {CommandError} `not_found`, or `bad_value` for an unknown sender and beyond the most keys
 */
export async function addFurtherKey(
  { sql }: { sql: Sql },
  { companyId, name, permissions = DEFAULT_PERMISSIONS, rateLimit = 600, dailyQuota = 100_000, ...rest }:
    & KeyRequest
    & { name: string; senderIds?: string[]; expiresAt?: Date },
): Promise<{ key: string; keyId: string }> {
  await requireCompanies(sql, companyId);
  const { senderIds = null, expiresAt } = rest;
  const fields = { companyId, name, permissions: [...permissions], rateLimit, dailyQuota, senderIds };
  try {
    const { key, row } = await createFurtherKey(sql, {
      ...fields,
      expiresAt: expiresAt?.toISOString() ?? null,
    }, CLI);
    return { key, keyId: row.key_id };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new CommandError("bad_value", error.message, { cause: error });
  }
}

/** The company's key, or with `keyId` one beside it. */
export interface WhichKey {
  companyId: string;
  keyId?: string | undefined;
}

/**
 * Gives a key a new text. Permissions, limits and what was used of them stay. The old text passes for `overlapHours` more.
 *
 * @throws {CommandError} `not_found` when there is no such company, or it has no such key to rotate
 */
export async function rotateKey(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  { companyId, keyId, overlapHours = 0 }: WhichKey & { overlapHours?: number | undefined },
): Promise<RotatedKey> {
  const rotation = { companyId, keyId: keyId ?? null, overlapHours };
  const rotated = await rotateCompanyKey({ sql, sealer }, rotation, CLI);
  if (rotated !== undefined) return rotated;
  await requireCompanies(sql, companyId);
  throw keyId === undefined ? noKey(companyId) : unknownKey(companyId, keyId);
}

/**
 * Revokes a key beside the company's own, for good.
 *
 * @throws {CommandError} `not_found`
 */
export async function revokeFurtherKey(
  { sql }: { sql: Sql },
  { companyId, keyId }: { companyId: string; keyId: string },
): Promise<{ keyId: string; isActive: boolean }> {
  const row = await updateFurtherKey(sql, { companyId, keyId }, { revoke: true }, CLI);
  if (row === undefined) throw unknownKey(companyId, keyId);
  return { keyId, isActive: row.is_active };
}

/**
 * Returns the newest keys beside a company's own, revoked ones included.
 *
 * @throws {CommandError} `not_found`
 */
export async function listFurtherKeys(
  { sql }: { sql: Sql },
  { companyId }: WhichKey,
): Promise<FurtherKeyRow[]> {
  await requireCompanies(sql, companyId);
  return await readFurtherKeyPage(sql, { companyId, limit: MAX_LISTED });
}

/** Revoked keys are the older ones: all that pass fit. */
const MAX_LISTED = 1000;

function unknownKey(companyId: string, keyId: string): CommandError {
  return new CommandError("not_found", `Company ${companyId} has no key ${keyId} that can be changed`);
}

/**
 * Revokes a company's current key, or activates it again.
 *
 * @throws {CommandError} `not_found` when there is no such company, or it has no key
 */
export async function setKeyActive(
  { sql }: { sql: Sql },
  { companyId, isActive }: { companyId: string; isActive: boolean },
): Promise<{ keyId: string; isActive: boolean }> {
  const key = await updateKey(sql, companyId, { isActive }, CLI);
  if (key !== undefined) return { keyId: key.key_id, isActive };
  await requireCompanies(sql, companyId);
  throw noKey(companyId);
}

/** A company's current key, in the clear. */
export type ShownKey = Omit<CurrentKeyRow, "sealed"> & { key: string };

/**
 * Returns a company's current key in the clear.
 *
 * @throws {CommandError} `not_found` when there is no such company, or it has no key; `bad_value` when it is sealed with a
 * key that OUTBOUND_SECRETS_KEY does not have
 */
export async function showKey(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  { companyId }: { companyId: string },
): Promise<ShownKey> {
  const row = await readCurrentKey(sql, companyId);
  if (!row) {
    await requireCompanies(sql, companyId);
    throw noKey(companyId);
  }
  const { sealed, ...rest } = row;
  const key = await sealer.open(sealed, accessKeyOf(companyId, rest.key_id)).catch((cause) => {
    throw new CommandError(
      "bad_value",
      `The key of company ${companyId} cannot be opened: ${cause.message}`,
      { cause },
    );
  });
  return { key, ...rest };
}

/**
 * Creates a key for web pages: it opens the company's widgets and nothing else. A company may have several.
 *
 * @throws {CommandError} `not_found`
 */
export async function createPublishableKey(
  { sql }: { sql: Sql },
  { companyId }: { companyId: string },
): Promise<{ key: string; keyId: string }> {
  const key = newPublishableKey(companyId);
  const { key_id: keyId } = await refuseOnConstraint(insertPublishableKey(sql, companyId, key, CLI), {
    companyId,
  });
  return { key, keyId };
}

/**
 * Revokes one of a company's publishable keys, or activates it again.
 *
 * @throws {CommandError} `not_found`
 */
export async function setPublishableKeyActive(
  { sql }: { sql: Sql },
  { companyId, key, isActive }: { companyId: string; key: string; isActive: boolean },
): Promise<{ keyId: string; isActive: boolean }> {
  const changed = await updatePublishableKeyActive(sql, { companyId, key, isActive }, CLI);
  if (changed !== undefined) return { keyId: changed.key_id, isActive };
  throw new CommandError("not_found", `Company ${companyId} has no such publishable key`);
}

/**
 * Returns the publishable keys of one company, or of all, revoked ones included.
 *
 * @throws {CommandError} `not_found`
 */
export async function listPublishableKeys(
  { sql }: { sql: Sql },
  { companyId }: { companyId?: string | undefined } = {},
): Promise<PublishableKeyRow[]> {
  if (companyId) await requireCompanies(sql, companyId);
  return await readPublishableKeys(sql, { companyId });
}
