import { z } from "@hono/zod-openapi";
import { updatePublishableKeyActive } from "../../_shared/db/access/publishable_keys.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

export const publishableKeySchema = z.object({
  key_id: z.guid(),
  key: z.string().openapi({
    description: "It may stand on a web page: it opens the company's widgets alone",
  }),
  is_active: z.boolean(),
  created_at: z.iso.datetime(),
}).openapi("PublishableKey");

export const publishableKeyExample: z.input<typeof publishableKeySchema> = {
  key_id: "0192f8c1-1111-4222-8333-444455556666",
  key: "pk_Zk3vX9wqT1mB7uN4cR8sY2hL5dJ0aE6f",
  is_active: true,
  created_at: "2026-11-20T08:00:00Z",
};
/** Adds `POST …/keys/publishable/{key_id}/<verb>`. */
export function addPublishableKeySwitch(
  app: App,
  { verb, isActive }: { verb: "revoke" | "activate"; isActive: boolean },
): void {
  addCompanyRoute(app, {
    method: "post",
    path: `/keys/publishable/{key_id}/${verb}`,
    operationId: `${verb}PublishableKey`,
    summary: isActive ? "Activate a revoked key for web pages" : "Revoke a key for web pages",
    effect: isActive ? "acts" : "stops",
    params: z.object({ key_id: z.guid() }),
    response: { schema: publishableKeySchema, example: { ...publishableKeyExample, is_active: isActive } },
  }, async (c, { caller: { companyId, by }, params: { key_id: keyId } }) => {
    const { sql } = c.get("services");
    const row = await updatePublishableKeyActive(sql, { companyId, keyId, isActive }, by);
    if (row === undefined) throw new AppError("not_found", "Key not found");
    return showRow(publishableKeySchema, row);
  });
}
