import { z } from "@hono/zod-openapi";
import { rotateCompanyKey } from "../../_shared/access/company_keys.ts";
import { readCurrentKey, updateKey } from "../../_shared/db/access/keys.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { requireBelowCeilings } from "../ceilings.ts";
import { checkedSealer } from "../checked_sealer.ts";
import { addMemberRoute } from "../member_route.ts";
import {
  dailyQuotaSchema,
  describeKey,
  KEY_SETTINGS,
  keyExample,
  keySchema,
  noKey,
  permissionsSchema,
  rateLimitSchema,
} from "./key.ts";

const SWITCHES = [
  { verb: "revoke", summary: "Revoke the company's key", isActive: false },
  { verb: "activate", summary: "Activate the company's revoked key", isActive: true },
] as const;

/** `PUT …/keys` changes permissions and limits, `POST …/keys/rotate`, `…/revoke` and `…/activate` the key itself. */
export function registerChangeKey(app: App): void {
  registerPutKey(app);
  registerRotate(app);
  for (const { verb, summary, isActive } of SWITCHES) {
    addMemberRoute(app, {
      method: "post",
      path: `/keys/${verb}`,
      operationId: `${verb}CompanyKey`,
      summary,
      role: "owner",
      effect: isActive ? "acts" : "stops",
      response: { schema: keySchema, example: { ...keyExample, is_active: isActive } },
    }, async (c, { member: { companyId, by } }) => {
      const row = await updateKey(c.get("services").sql, companyId, { isActive }, by);
      if (row === undefined) throw noKey();
      return describeKey(row);
    });
  }
}

function registerPutKey(app: App): void {
  addMemberRoute(app, {
    method: "put",
    path: "/keys",
    operationId: "changeCompanyKey",
    summary: "Change the key's permissions and limits",
    description: "What is left out stays. Limits end at the company's ceilings.",
    role: "owner",
    body: {
      schema: z.strictObject({
        permissions: permissionsSchema.min(1, "at least one").max(10).optional(),
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
  }, async (_, { member: { companyId, by }, sql, body: { permissions, rate_limit, daily_quota } }) => {
    const changes = {
      permissions: permissions && [...new Set(permissions)],
      rateLimit: rate_limit,
      dailyQuota: daily_quota,
    };
    const key = await readCurrentKey(sql, companyId);
    if (key === undefined) throw noKey();
    await requireBelowCeilings(sql, companyId, [
      { ceiling: "rateLimit", field: "rate_limit", current: key.rateLimit, wanted: rate_limit },
      { ceiling: "dailyQuota", field: "daily_quota", current: key.dailyQuota, wanted: daily_quota },
    ]);
    const row = await updateKey(sql, companyId, changes, by);
    if (row === undefined) throw noKey();
    return describeKey(row);
  });
}

function registerRotate(app: App): void {
  addMemberRoute(app, {
    method: "post",
    path: "/keys/rotate",
    operationId: "rotateCompanyKey",
    summary: "Replace the company's key",
    description: "The new key has the same permissions and limits. The old one is refused from now on.",
    role: "owner",
    response: {
      schema: z.object({ key: z.string(), key_id: z.guid() }).openapi("RotatedKey"),
      example: { key: "outbound_…", key_id: "0192f8c0-1111-4222-8333-444455556666" },
    },
  }, async (c, { member: { companyId, by } }) => {
    const services = c.get("services");
    const sealer = await checkedSealer(services);
    const rotated = await rotateCompanyKey({ sql: services.sql, sealer }, companyId, by);
    if (typeof rotated === "string") throw noKey();
    return { key: rotated.key, key_id: rotated.keyId };
  });
}
