import { z } from "@hono/zod-openapi";
import { lockCompany } from "../../_shared/db/access/companies.ts";
import { lockWebhook, readWebhook, type WebhookRow } from "../../_shared/db/webhooks/webhooks.ts";
import type { Env } from "../../_shared/env.ts";
import { badFormat } from "../../_shared/errors.ts";
import { EVENT_TYPES } from "../../_shared/events_out/event_types.ts";
import { checkEndpointUrl } from "../../_shared/gateways/http1/addresses.ts";
import { channelSchema, someSendersSchema } from "../../_shared/http/app/shared_schemas.ts";
import type { SettingsDocument } from "../settings_document.ts";

const eventTypeSchema = z.enum(EVENT_TYPES, { error: "an event type of docs/webhooks.md" }).openapi(
  "EventType",
);

export const eventTypesSchema = z.array(eventTypeSchema)
  .min(1, "at least one, or null for all").max(EVENT_TYPES.length).nullable();

/** Which events a webhook gets. */
export const filterFields = {
  event_types: eventTypesSchema.transform((types) => types && [...new Set(types)]).default(null).openapi({
    description: "Null or left out: all of them",
  }),
  channels: z.array(channelSchema).min(1, "at least one, or null for all").max(2)
    .transform((channels) => [...new Set(channels)]).nullable().default(null)
    .openapi({ description: "Only events that name one of these channels; null or left out: any event" }),
  sender_ids: someSendersSchema.nullable().default(null)
    .openapi({ description: "Only events that name one of these senders; null or left out: any event" }),
};

/** The URL of a webhook in a request. */
export const urlSchema = z.string().max(2000, "at most 2000 characters").openapi({
  description: "It begins with https://",
});

/** Returns the URL that a request names, in its normal form. Throws `validation_failed` for one that no event may go to. */
export function requireEndpointUrl(url: string, { OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: allowPrivate }: Env): URL {
  const checked = checkEndpointUrl(url, { allowPrivate });
  if (typeof checked !== "string") return checked;
  throw badFormat("url", url, "a public URL that begins with https://, without user name or password");
}

export const webhookSchema = z.object({
  url: z.string(),
  event_types: eventTypesSchema.openapi({ description: "Null is all of them" }),
  channels: z.array(channelSchema).nullable(),
  sender_ids: z.array(z.guid()).nullable(),
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
  channels: null,
  sender_ids: null,
  is_active: true,
  stopped_reason: null,
  failures: 0,
  waiting: 0,
  old_secret_until: null,
  created_at: "2026-11-20T08:00:00Z",
};

/** Returns the part that an ETag stands for: all that an owner may change, and whether it is on. */
export function settingsOf({ url, event_types, channels, sender_ids, is_active }: WebhookRow) {
  return { url, event_types, channels, sender_ids, is_active };
}

/** The settings of the company's webhook, also while it has none. */
export const WEBHOOK_SETTINGS: SettingsDocument<unknown> = {
  async lock(sql, { companyId }) {
    await lockCompany(sql, companyId);
    await lockWebhook(sql, companyId);
  },
  async read(sql, { companyId }) {
    const row = await readWebhook(sql, companyId);
    return row && settingsOf(row);
  },
};
