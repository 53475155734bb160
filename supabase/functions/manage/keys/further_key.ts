import { z } from "@hono/zod-openapi";
import { KEY_PERMISSIONS } from "../../_shared/access/permissions.ts";
import { lockFurtherKey, readFurtherKey } from "../../_shared/db/access/further_keys.ts";
import { AppError } from "../../_shared/errors.ts";
import { someSendersSchema, trimmedLine } from "../../_shared/http/app/shared_schemas.ts";
import { zonedTime } from "../../_shared/values/zoned_time.ts";
import type { SettingsDocument } from "../settings_document.ts";
import { dailyQuotaSchema, keyExample, keySchema, permissionsSchema, rateLimitSchema } from "./key.ts";

export const furtherKeyParams = z.object({ key_id: z.guid() });

/** A key beside the company's own, without its text. */
export const furtherKeySchema = keySchema.extend({
  name: z.string(),
  sender_ids: z.array(z.guid()).nullable().openapi({
    description: "The senders that it may use; null for all",
  }),
  expires_at: z.iso.datetime().nullable().openapi({ description: "When it ends; null for never" }),
}).openapi("FurtherKey");

export const furtherKeyExample: z.input<typeof furtherKeySchema> = {
  ...keyExample,
  key_id: "0192f8c2-1111-4222-8333-444455556666",
  permissions: ["chatapp_notifications"],
  rate_limit: 60,
  daily_quota: 1000,
  name: "Shop",
  sender_ids: ["0192f8a7-4e3f-7052-8b6c-7d8e9f0a1b2c"],
  expires_at: "2027-06-01T00:00:00Z",
};

/** The fields of a further key that an owner decides. */
export const furtherKeyFields = {
  name: trimmedLine(100),
  permissions: permissionsSchema.min(1, "at least one").max(KEY_PERMISSIONS.length)
    .transform((names) => [...new Set(names)]),
  rate_limit: rateLimitSchema,
  daily_quota: dailyQuotaSchema,
  sender_ids: someSendersSchema.nullable(),
  expires_at: zonedTime("a time in the future, such as 2030-01-31T18:00:00Z")
    .refine((time) => Date.parse(time) > Date.now(), "a time in the future").nullable(),
};

/** The refusal for a key that the company does not have. */
export function noFurtherKey(): AppError {
  return new AppError("not_found", "The company has no such key, or it was revoked");
}

/** All that an owner may change of a further key. */
export const FURTHER_KEY: SettingsDocument<z.infer<typeof furtherKeyParams>> = {
  lock: (sql, { companyId, params }) => lockFurtherKey(sql, { companyId, keyId: params.key_id }),
  async read(sql, { companyId, params }) {
    const key = await readFurtherKey(sql, { companyId, keyId: params.key_id });
    if (key === undefined) return null;
    const { last_used_at: _, last_used_address: __, old_expires_at: ___, ...fields } = key;
    return fields;
  },
};
