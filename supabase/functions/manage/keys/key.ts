import { z } from "@hono/zod-openapi";
import { DEFAULT_PERMISSIONS, KEY_PERMISSIONS } from "../../_shared/access/permissions.ts";
import { MAX_OVERLAP_HOURS, type RotatedKey } from "../../_shared/access/company_keys.ts";
import { readTakenLimits } from "../../_shared/db/access/further_keys.ts";
import type { Sql } from "../../_shared/db/driver/connect.ts";
import { requireBelowCeilings } from "../ceilings.ts";
import { lockCurrentKey, readCurrentKey } from "../../_shared/db/access/keys.ts";
import { utcSeconds } from "../../_shared/scheduling/due_time.ts";
import { AppError } from "../../_shared/errors.ts";
import type { SettingsDocument } from "../settings_document.ts";

/** The largest value of the database's columns. */
export const MAX_INTEGER = 2_147_483_647;

const permissionSchema = z.enum(KEY_PERMISSIONS, { error: KEY_PERMISSIONS.join(", ") }).openapi(
  "KeyPermission",
);
export const permissionsSchema = z.array(permissionSchema);
export const rateLimitSchema = z.int({ error: "a whole number" }).min(1, "at least 1").max(MAX_INTEGER);
export const dailyQuotaSchema = z.int({ error: "a whole number" }).min(0, "at least 0").max(MAX_INTEGER);

export const keySchema = z.object({
  key_id: z.guid(),
  permissions: permissionsSchema,
  rate_limit: rateLimitSchema.openapi({ description: "Requests per minute" }),
  daily_quota: dailyQuotaSchema.openapi({ description: "Notifications per day (UTC)" }),
  is_active: z.boolean(),
  last_used_at: z.iso.datetime().nullable().openapi({ description: "To the minute" }),
  last_used_address: z.string().nullable().openapi({
    description:
      "Where a request with it came from lately: an IPv4 address, or the network of an IPv6 address",
    example: "203.0.113.7",
  }),
  old_expires_at: z.iso.datetime().nullable().openapi({
    description: "Until when the text of before the last rotation passes; null where it does not",
  }),
  created_at: z.iso.datetime(),
}).openapi("CompanyKey");

export const keyExample: z.input<typeof keySchema> = {
  key_id: "0192f8c0-1111-4222-8333-444455556666",
  permissions: [...DEFAULT_PERMISSIONS],
  rate_limit: 600,
  daily_quota: 100000,
  is_active: true,
  last_used_at: "2026-12-01T09:00:00Z",
  last_used_address: "203.0.113.7",
  old_expires_at: null,
  created_at: "2026-11-20T08:00:00Z",
};

/** How long the old text of a rotated key passes. */
export const rotationSchema = z.strictObject({
  overlap_hours: z.int({ error: "a whole number" }).min(0, "at least 0")
    .max(MAX_OVERLAP_HOURS, `at most ${MAX_OVERLAP_HOURS}`).default(0),
});

/** A key with its text, which this response alone shows. */
export const rotatedSchema = z.object({
  key: z.string(),
  key_id: z.guid(),
  old_expires_at: z.iso.datetime().openapi({ description: "When the old text ends" }),
}).openapi("RotatedKey");

export const rotatedExample: z.input<typeof rotatedSchema> = {
  key: "outbound_…",
  key_id: keyExample.key_id,
  old_expires_at: "2026-12-02T09:00:00Z",
};

/** Returns the response to a rotation. */
export function showRotated({ key, keyId, oldExpiresAt }: RotatedKey): z.input<typeof rotatedSchema> {
  return { key, key_id: keyId, old_expires_at: utcSeconds(oldExpiresAt) };
}

/** Limits that a member wants for a key; undefined leaves them. `current` has the key's own, if it exists. */
export interface WantedLimits {
  companyId: string;
  current: { key_id: string | null; rate_limit: number; daily_quota: number };
  rateLimit: number | undefined;
  dailyQuota: number | undefined;
}

/** Refuses to raise the limits of a company's keys together above its ceilings. Throws `validation_failed`. */
export async function requireKeyLimits(
  sql: Sql,
  { companyId, current, rateLimit, dailyQuota }: WantedLimits,
): Promise<void> {
  const others = await readTakenLimits(sql, { companyId, keyId: current.key_id });
  await requireBelowCeilings(sql, companyId, [
    {
      ceiling: "rate_limit",
      field: "rate_limit",
      current: current.rate_limit,
      wanted: rateLimit,
      others: others.rate_limit,
    },
    {
      ceiling: "daily_quota",
      field: "daily_quota",
      current: current.daily_quota,
      wanted: dailyQuota,
      others: others.daily_quota,
    },
  ]);
}

/** The refusal for a company that has no key yet. */
export function noKey(): AppError {
  return new AppError("not_found", "The company has no key yet: ask the operator of this service for one");
}

/** The permissions and limits of the company's key. */
export const KEY_SETTINGS: SettingsDocument<unknown> = {
  lock: (sql, { companyId }) => lockCurrentKey(sql, companyId),
  async read(sql, { companyId }) {
    const { key_id, permissions, rate_limit, daily_quota } = await readCurrentKey(sql, companyId) ?? {};
    return { key_id, permissions, rate_limit, daily_quota };
  },
};
