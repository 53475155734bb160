import { z } from "@hono/zod-openapi";
import { requireSenders, requireTestPermissions } from "../../_shared/access/company_keys.ts";
import { readFurtherKey, updateFurtherKey } from "../../_shared/db/access/further_keys.ts";
import { isTestCompany } from "../../_shared/db/access/test_companies.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import {
  FURTHER_KEY,
  furtherKeyExample,
  furtherKeyFields,
  furtherKeyParams,
  furtherKeySchema,
  noFurtherKey,
} from "./further_key.ts";
import { requireKeyLimits } from "./key.ts";

/** `PUT …/keys/further/{key_id}` changes a key. */
export function registerPutFurtherKey(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/keys/further/{key_id}",
    operationId: "changeFurtherKey",
    summary: "Change a key beside the company's own",
    description: "What is left out stays. The limits of all keys together end at the company's ceilings.",
    params: furtherKeyParams,
    body: {
      schema: z.strictObject(furtherKeyFields).partial().openapi("FurtherKeyChanges"),
      example: { daily_quota: 500, expires_at: null },
    },
    response: {
      schema: furtherKeySchema,
      example: { ...furtherKeyExample, daily_quota: 500, expires_at: null },
    },
    document: FURTHER_KEY,
  }, async (_, { caller: { companyId, by }, params: { key_id: keyId }, sql, body }) => {
    const current = await readFurtherKey(sql, { companyId, keyId });
    if (!current?.is_active) throw noFurtherKey();
    const limits = { rateLimit: body.rate_limit, dailyQuota: body.daily_quota };
    await requireKeyLimits(sql, { companyId, current, ...limits });
    await requireSenders(sql, companyId, body.sender_ids);
    if (await isTestCompany(sql, companyId)) requireTestPermissions(body.permissions);
    const { name, permissions, sender_ids: senderIds, expires_at: expiresAt } = body;
    const changes = { name, permissions, senderIds, expiresAt, ...limits };
    const row = await updateFurtherKey(sql, { companyId, keyId }, changes, by);
    if (row === undefined) throw noFurtherKey();
    return showRow(furtherKeySchema, row);
  });
}
