import { z } from "@hono/zod-openapi";

const rows = z.array(z.record(z.string(), z.unknown()));

/** Everything that is known about a person. */
export const exportSchema = z.object({
  addresses: z.array(z.string()).openapi({
    description: "The person's number and user ids, as far as known",
  }),
  user_ids: rows,
  suppressions: rows,
  consents: rows,
  marketing_cooldowns: rows.openapi({
    description: "Until when the platform shields the person from marketing",
  }),
  marketing_sends: rows.openapi({ description: "Marketing messages that count for frequency caps" }),
  notifications: rows.openapi({ description: "What was sent, with its times, and what was said in calls" }),
  messages: rows.openapi({ description: "What the person wrote, and what was replied" }),
}).openapi("ContactExport");

/** Of a person, for the API document. */
export const EXPORT_EXAMPLE: z.input<typeof exportSchema> = {
  addresses: ["34600111222"],
  user_ids: [],
  suppressions: [],
  consents: [],
  marketing_cooldowns: [],
  marketing_sends: [],
  notifications: [{ notification_id: "0192f8ad-7283-7495-80a1-b2c3d4e5f607", status: "read" }],
  messages: [{ direction: "in", text: "Thank you" }],
};

const count = z.number().int().min(0);

/** How much was erased, by kind. */
export const erasedSchema = z.object({
  notifications: count,
  skipped: count.openapi({ description: "Notifications that were waiting, and will not be sent" }),
  failed: count.openapi({ description: "Notifications of unknown outcome, which end here" }),
  calls: count,
  messages: count,
  suppressions: count,
  consents: count,
  user_ids: count,
  events: count.openapi({ description: "Events for your webhook that named the person" }),
}).openapi("ErasedCounts");

/** Of an erasure, for the API document. */
export const ERASED_EXAMPLE: z.input<typeof erasedSchema> = {
  notifications: 3,
  skipped: 1,
  failed: 0,
  calls: 1,
  messages: 2,
  suppressions: 1,
  consents: 1,
  user_ids: 1,
  events: 4,
};
