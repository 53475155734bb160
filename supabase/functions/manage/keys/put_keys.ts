import { z } from "@hono/zod-openapi";
import { KEY_PERMISSIONS } from "../../_shared/access/permissions.ts";
import { readCurrentKey, updateKey } from "../../_shared/db/access/keys.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import {
  dailyQuotaSchema,
  KEY_SETTINGS,
  keyExample,
  keySchema,
  noKey,
  permissionsSchema,
  rateLimitSchema,
  requireKeyLimits,
} from "./key.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

/** `PUT …/keys` changes the key's permissions and limits. */
export function registerPutKeys(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/keys",
    operationId: "changeCompanyKey",
    summary: "Change the key's permissions and limits",
    description: "What is left out stays. The limits of all keys together end at the company's ceilings.",
    body: {
      schema: z.strictObject({
        permissions: permissionsSchema.min(1, "at least one").max(KEY_PERMISSIONS.length).optional(),
        rate_limit: rateLimitSchema.optional(),
        daily_quota: dailyQuotaSchema.optional(),
      }).openapi("CompanyKeyChanges"),
      example: { permissions: ["chatapp_notifications"], rate_limit: 300, daily_quota: 50000 },
    },
    response: {
      schema: keySchema,
      example: { ...keyExample, permissions: ["chatapp_notifications"], rate_limit: 300, daily_quota: 50000 },
    },
    document: KEY_SETTINGS,
  }, async (_, { caller: { companyId, by }, sql, body: { permissions, rate_limit, daily_quota } }) => {
    const changes = {
      permissions: permissions && [...new Set(permissions)],
      rateLimit: rate_limit,
      dailyQuota: daily_quota,
    };
    const key = await readCurrentKey(sql, companyId);
    if (key === undefined) throw noKey();
    await requireKeyLimits(sql, { companyId, current: key, ...changes });
    const row = await updateKey(sql, companyId, changes, by);
    if (row === undefined) throw noKey();
    return showRow(keySchema, row);
  });
}
