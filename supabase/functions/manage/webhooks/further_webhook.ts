import { z } from "@hono/zod-openapi";
import { lockEndpoint, readEndpoint } from "../../_shared/db/webhooks/endpoints.ts";
import { trimmedLine } from "../../_shared/http/app/shared_schemas.ts";
import type { SettingsDocument } from "../settings_document.ts";
import { filterFields, settingsOf, urlSchema, webhookExample, webhookSchema } from "./webhook.ts";

export const furtherWebhookParams = z.object({ endpoint_id: z.guid() });

/** A webhook beside the company's own. */
export const furtherWebhookSchema = webhookSchema.extend({
  endpoint_id: z.guid(),
  name: z.string(),
}).openapi("FurtherWebhook");

export const furtherWebhookExample: z.input<typeof furtherWebhookSchema> = {
  ...webhookExample,
  endpoint_id: "0192f8c2-1111-4222-8333-444455556666",
  name: "Shop",
  channels: ["whatsapp"],
  sender_ids: ["0192f8a7-4e3f-7052-8b6c-7d8e9f0a1b2c"],
};

/** All that an owner decides of a further webhook. */
export const furtherWebhookBody = z.strictObject({
  name: trimmedLine(100),
  url: urlSchema,
  ...filterFields,
}).openapi("FurtherWebhookRequest");

/** An example of it. */
export const furtherWebhookRequest: z.input<typeof furtherWebhookBody> = {
  name: furtherWebhookExample.name,
  url: furtherWebhookExample.url,
  event_types: furtherWebhookExample.event_types,
  channels: furtherWebhookExample.channels,
  sender_ids: furtherWebhookExample.sender_ids,
};

/** All that may change of a further webhook. */
export const FURTHER_WEBHOOK: SettingsDocument<z.infer<typeof furtherWebhookParams>> = {
  lock: (sql, { companyId, params }) => lockEndpoint(sql, { companyId, endpointId: params.endpoint_id }),
  async read(sql, { companyId, params }) {
    const row = await readEndpoint(sql, { companyId, endpointId: params.endpoint_id });
    return row ? { name: row.name, ...settingsOf(row) } : null;
  },
};
