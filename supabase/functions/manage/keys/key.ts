import { z } from "@hono/zod-openapi";
import { DEFAULT_PERMISSIONS, KEY_PERMISSIONS } from "../../_shared/access/permissions.ts";
import { lockCurrentKey, readCurrentKey } from "../../_shared/db/access/keys.ts";
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
  created_at: z.iso.datetime(),
}).openapi("CompanyKey");

export const keyExample: z.input<typeof keySchema> = {
  key_id: "0192f8c0-1111-4222-8333-444455556666",
  permissions: [...DEFAULT_PERMISSIONS],
  rate_limit: 600,
  daily_quota: 100000,
  is_active: true,
  last_used_at: "2026-12-01T09:00:00Z",
  created_at: "2026-11-20T08:00:00Z",
};
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
