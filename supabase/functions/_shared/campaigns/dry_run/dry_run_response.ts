import { z } from "@hono/zod-openapi";
import { ERROR_CODES } from "../../errors.ts";
import { audienceFields } from "./audience.ts";
import { estimateFields } from "../../pricing/estimate.ts";
import { warningFields } from "../warnings.ts";
import { orNull } from "../../values/or_null.ts";

/** The verdicts on a contact; docs/campaigns.md explains each. */
export const DRY_RUN_STATUSES = ["ok", "invalid", "skipped", "held", "duplicate"] as const;
export type DryRunStatus = typeof DRY_RUN_STATUSES[number];

/** Checks that only sending makes. */
export const NOT_CHECKED = [
  "reachability",
  "platform_limits",
  "template_pacing",
  "media_files",
  "rules_when_sent",
] as const;

const button = z.object({
  type: z.string(),
  text: z.string(),
  url: z.string().optional(),
  code: z.string().optional(),
}).openapi("RenderedButton");
const header = z.object({
  format: z.string(),
  text: z.string().optional(),
  link: z.string().optional(),
  media_id: z.guid().optional(),
})
  .openapi("RenderedHeader");
const parts = {
  header: orNull(header),
  body: z.string(),
  buttons: z.array(button),
};

/** A message as its recipient sees it. */
export const renderedSchema = z.object({
  ...parts,
  footer: z.string().nullable(),
  offer: z.object({ text: z.string(), ends_at: z.iso.datetime().nullable() }).openapi("RenderedOffer")
    .optional(),
  cards: z.array(z.object(parts).openapi("RenderedCard")).optional(),
}).openapi("RenderedMessage");

const recipientSchema = z.object({
  index: z.number().int().min(0).openapi({ description: "The index of the contact in the request, from 0" }),
  number: z.string().nullable().openapi({ description: "As the request gives it" }),
  user_id: z.string().nullable(),
  status: z.enum(DRY_RUN_STATUSES),
  code: z.enum([
    ...ERROR_CODES,
    "frequency_cap",
    "sending_hours",
    "rules_unreadable",
    "marketing_cooldown",
    "duplicate_recipient",
  ])
    .nullable().openapi({
      description: "Why it is not `ok`; of an invalid contact, the code of a live request",
    }),
  reason: z.string().nullable(),
  rendered: orNull(renderedSchema).openapi({
    description: "What the recipient would see; null for calls, and for what is not accepted",
  }),
  scheduled_time: z.iso.datetime().nullable().openapi({
    description: "When it would leave, after sending hours; null: at once, or not accepted",
  }),
  timezone: z.string().nullable().openapi({
    description: "The recipient's, with `recipient_time`; null without",
  }),
  country: z.string().nullable().openapi({ description: "The recipient's, where the number shows one" }),
  category: z.string().nullable().openapi({ description: "What the platform bills it as" }),
  estimated_cost: z.string().nullable().openapi({ description: "In the currency of the total" }),
}).openapi("DryRunRecipient");

export type DryRunRecipient = z.infer<typeof recipientSchema>;

const count = z.number().int().min(0);

/** The response to a notification request with `dry_run=true`. */
export const dryRunResponseSchema = z.object({
  success: z.literal(true),
  dry_run: z.literal(true),
  total: count.openapi({ description: "ok + invalid + skipped + held + duplicate" }),
  ok: count,
  invalid: count,
  skipped: count,
  held: count,
  duplicate: count,
  recipients: z.array(recipientSchema),
  ...audienceFields,
  ...estimateFields,
  not_checked: z.array(z.enum(NOT_CHECKED)).openapi({ description: "Checks that only sending makes" }),
  ...warningFields,
}).openapi("DryRun");

export type DryRunResponse = z.infer<typeof dryRunResponseSchema>;
