import { z } from "@hono/zod-openapi";
import { lockCompany } from "../../_shared/db/access/companies.ts";
import { lockWebhook, readWebhook } from "../../_shared/db/webhooks/webhooks.ts";
import { EVENT_TYPES } from "../../_shared/events_out/event_types.ts";
import type { SettingsDocument } from "../settings_document.ts";

const eventTypeSchema = z.enum(EVENT_TYPES, { error: "an event type of docs/webhooks.md" }).openapi(
  "EventType",
);

export const eventTypesSchema = z.array(eventTypeSchema)
  .min(1, "at least one, or null for all").max(EVENT_TYPES.length).nullable();

export const webhookSchema = z.object({
  url: z.string(),
  event_types: eventTypesSchema.openapi({ description: "Null is all of them" }),
  is_active: z.boolean(),
  stopped_reason: z.string().nullable().openapi({ description: "Set when the endpoint switched it off" }),
  failures: z.number().int().openapi({ description: "Failed attempts in a row" }),
  waiting: z.number().int().openapi({ description: "Events that wait for a first or a further attempt" }),
  old_secret_until: z.iso.datetime().nullable().openapi({
    description: "Until then the old secret signs too",
  }),
  created_at: z.iso.datetime(),
}).openapi("Webhook");

/** Of examples. */
export const SECRET = "whsec_…";

export const webhookExample: z.input<typeof webhookSchema> = {
  url: "https://example.com/events",
  event_types: ["notification.failed", "message.received"],
  is_active: true,
  stopped_reason: null,
  failures: 0,
  waiting: 0,
  old_secret_until: null,
  created_at: "2026-11-20T08:00:00Z",
};
/** The settings of the company's webhook, also while it has none. */
export const WEBHOOK_SETTINGS: SettingsDocument<unknown> = {
  async lock(sql, { companyId }) {
    await lockCompany(sql, companyId);
    await lockWebhook(sql, companyId);
  },
  async read(sql, { companyId }) {
    const row = await readWebhook(sql, companyId);
    return row && { url: row.url, event_types: row.event_types, is_active: row.is_active };
  },
};
