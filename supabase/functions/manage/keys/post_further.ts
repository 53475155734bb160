import { z } from "@hono/zod-openapi";
import { createFurtherKey } from "../../_shared/access/company_keys.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import { furtherKeyExample, furtherKeyFields, furtherKeySchema } from "./further_key.ts";
import { requireKeyLimits } from "./key.ts";

const { sender_ids, expires_at, ...required } = furtherKeyFields;

const createdSchema = furtherKeySchema.extend({
  key: z.string().openapi({ description: "Its text: no response shows it again", example: "outbound_…" }),
}).openapi("CreatedFurtherKey");

/** `POST …/keys/further` creates a key beside the company's own. */
export function registerPostFurther(app: App): void {
  const { name, permissions, rate_limit, daily_quota, sender_ids: senders, expires_at: end } =
    furtherKeyExample;
  addCompanyRoute(app, {
    method: "post",
    path: "/keys/further",
    operationId: "createFurtherKey",
    summary: "Create a key beside the company's own",
    description:
      "The response alone shows its text: only the hash of it is stored. The limits of all keys together end " +
      "at the company's ceilings: lower those of another key first where nothing is left.",
    body: {
      schema: z.strictObject({
        ...required,
        sender_ids: sender_ids.default(null),
        expires_at: expires_at.default(null),
      }).openapi("FurtherKeyRequest"),
      example: { name, permissions, rate_limit, daily_quota, sender_ids: senders, expires_at: end },
    },
    response: { schema: createdSchema, example: { ...furtherKeyExample, key: "outbound_…" } },
  }, async (c, { caller: { companyId, by }, body }) => {
    const limits = { rateLimit: body.rate_limit, dailyQuota: body.daily_quota };
    const { key, row } = await createFurtherKey(
      c.get("services").sql,
      {
        companyId,
        name: body.name,
        permissions: body.permissions,
        senderIds: body.sender_ids,
        expiresAt: body.expires_at,
        ...limits,
      },
      by,
      (sql) =>
        requireKeyLimits(sql, {
          companyId,
          current: { key_id: null, rate_limit: 0, daily_quota: 0 },
          ...limits,
        }),
    );
    return { ...showRow(furtherKeySchema, row), key };
  });
}
