import { z } from "@hono/zod-openapi";
import { newPublishableKey } from "../../_shared/access/new_keys.ts";
import {
  insertPublishableKey,
  type PublishableKeyRow,
  readPublishableKeyPage,
  updatePublishableKeyActive,
} from "../../_shared/db/access/publishable_keys.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { nextOf, nextSchema, pageFields, timeOf } from "../../_shared/http/app/list_page.ts";
import { addMemberRoute } from "../member_route.ts";

const publishableKeySchema = z.object({
  key_id: z.guid(),
  key: z.string().openapi({
    description: "It may stand on a web page: it opens the company's widgets alone",
  }),
  is_active: z.boolean(),
  created_at: z.iso.datetime(),
}).openapi("PublishableKey");

const EXAMPLE: z.input<typeof publishableKeySchema> = {
  key_id: "0192f8c1-1111-4222-8333-444455556666",
  key: "pk_Zk3vX9wqT1mB7uN4cR8sY2hL5dJ0aE6f",
  is_active: true,
  created_at: "2026-11-20T08:00:00Z",
};

function describeKey(
  { keyId, key, isActive, createdAt }: PublishableKeyRow,
): z.input<typeof publishableKeySchema> {
  return { key_id: keyId, key, is_active: isActive, created_at: timeOf(createdAt)! };
}

/** `GET` and `POST …/keys/publishable` list and create keys for web pages; below each, `/revoke` and `/activate`. */
export function registerPublishableKeys(app: App): void {
  registerGet(app);
  registerPost(app);
  registerSwitch(app, { verb: "revoke", isActive: false });
  registerSwitch(app, { verb: "activate", isActive: true });
}

function registerGet(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/keys/publishable",
    operationId: "listPublishableKeys",
    summary: "List the keys for web pages",
    role: "viewer",
    query: z.object(pageFields),
    response: {
      schema: z.object({ publishable_keys: z.array(publishableKeySchema), next: nextSchema })
        .openapi("PublishableKeys"),
      example: { publishable_keys: [EXAMPLE], next: null },
    },
  }, async (c, { member: { companyId }, query }) => {
    const rows = await readPublishableKeyPage(c.get("services").sql, { ...query, companyId });
    return {
      publishable_keys: rows.map(describeKey),
      next: nextOf(rows, query.limit, "keyId"),
    };
  });
}

function registerPost(app: App): void {
  addMemberRoute(app, {
    method: "post",
    path: "/keys/publishable",
    operationId: "createPublishableKey",
    summary: "Create a key for web pages",
    role: "operator",
    response: { schema: publishableKeySchema, example: EXAMPLE },
  }, async (c, { member: { companyId, by } }) => {
    return describeKey(await insertPublishableKey(c.get("services").sql, companyId, newPublishableKey(), by));
  });
}

function registerSwitch(
  app: App,
  { verb, isActive }: { verb: "revoke" | "activate"; isActive: boolean },
): void {
  addMemberRoute(app, {
    method: "post",
    path: `/keys/publishable/{key_id}/${verb}`,
    operationId: `${verb}PublishableKey`,
    summary: isActive ? "Activate a revoked key for web pages" : "Revoke a key for web pages",
    role: "operator",
    effect: isActive ? "acts" : "stops",
    params: z.object({ key_id: z.guid() }),
    response: { schema: publishableKeySchema, example: { ...EXAMPLE, is_active: isActive } },
  }, async (c, { member: { companyId, by }, params: { key_id: keyId } }) => {
    const { sql } = c.get("services");
    const row = await updatePublishableKeyActive(sql, { companyId, keyId, isActive }, by);
    if (row === undefined) throw new AppError("not_found", "Key not found");
    return describeKey(row);
  });
}
