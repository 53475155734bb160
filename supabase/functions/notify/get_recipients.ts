import { z } from "@hono/zod-openapi";
import { NOTIFICATION_STATUSES, readRecipients, type RecipientRow } from "../_shared/db/recipients.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { campaignQuery, requireCampaign } from "../_shared/http/guards/require_campaign.ts";
import { streamText } from "../_shared/http/app/stream_text.ts";
import { describeRecipient, RECIPIENTS_CSV_HEADER, recipientsCsv } from "../_shared/campaigns/recipients.ts";

const FORMATS = ["json", "csv"] as const;

const querySchema = campaignQuery.extend({
  status: z.enum(NOTIFICATION_STATUSES, { error: `one of ${NOTIFICATION_STATUSES.join(", ")}` }).optional(),
  held_for_quality: z.literal("true", { error: "true" }).optional().openapi({
    description: "Only those whose messages the platform holds until it knows the template's quality",
  }),
  format: z.enum(FORMATS, { error: `one of ${FORMATS.join(", ")}` }).optional(),
});

const time = z.iso.datetime().nullable();

const recipientSchema = z.object({
  number: z.string().nullable().openapi({
    description: "Null where only the user id is known, and for an erased person",
  }),
  user_id: z.string().nullable(),
  status: z.enum(NOTIFICATION_STATUSES),
  queued_at: z.iso.datetime().openapi({ description: "When it was accepted" }),
  sent_at: time,
  delivered_at: time,
  read_at: time,
  failed_at: time,
  skipped_at: time.openapi({ description: "When a rule kept it from leaving" }),
  replied_at: time.openapi({ description: "When the recipient first replied to it" }),
  attempts: z.number().int().min(0),
  code: z.string().nullable().openapi({
    description:
      "The platform's code, or `expired`, `outcome_unknown`, `template_changed`, `agent_disabled`; of a skipped one " +
      "`opted_out`, `no_consent`, `frequency_cap`, `erased`",
  }),
  reason: z.string().nullable().openapi({
    description: "Why it failed, or why it still waits, in plain words",
  }),
  outcome: z.enum(["answered", "voicemail", "busy", "no_answer", "failed"]).nullable().openapi({
    description: "How a call went; null for a chat message, and until it is known",
  }),
  duration_s: z.number().int().min(0).nullable().openapi({ description: "Of a call that was taken" }),
  held_for_quality: z.boolean().openapi({
    description: "It is sent, but the platform holds it until it knows how people take its template",
  }),
}).openapi("Recipient");

const responseSchema = z.object({
  success: z.literal(true),
  campaign_id: z.uuid(),
  recipients: z.array(recipientSchema),
}).openapi("Recipients");

const route: ApiRoute = {
  method: "get",
  path: "/notify/recipients",
  operationId: "listRecipients",
  summary: "List the recipients of a campaign",
  description:
    "The response is streamed, whatever the size of the campaign. Each row shows the state at the time it is read.",
  tags: ["Campaigns"],
  request: {
    query: querySchema,
  },
  responses: {
    200: {
      description: "All recipients, or those in the given status",
      content: {
        ...json(responseSchema, {
          success: true,
          campaign_id: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
          recipients: [{
            number: "34600111222",
            user_id: null,
            status: "delivered",
            queued_at: "2026-12-01T09:00:00Z",
            sent_at: "2026-12-01T09:00:01Z",
            delivered_at: "2026-12-01T09:00:03Z",
            read_at: null,
            failed_at: null,
            skipped_at: null,
            replied_at: null,
            attempts: 1,
            code: null,
            reason: null,
            outcome: null,
            duration_s: null,
            held_for_quality: false,
          }],
        }).content,
        "text/csv": {
          schema: z.string().openapi({ description: "RFC 4180, with a header line; times are UTC" }),
        },
      },
    },
    ...errorResponses([400, 401, 429], [403, 404]),
  },
};

/**
 * `GET /notify/recipients` lists a campaign's recipients as JSON or, with `format=csv`, as a file.
 *
 * Fails with `unauthorized`, `validation_failed` or `rate_limit_exceeded`; 403 and 404 have the short form.
 */
export function registerGetRecipients(app: App): void {
  addRoute(app, route, async (c) => {
    const { companyId, campaignId, query } = await requireCampaign(c, querySchema);
    const { status, held_for_quality } = query;
    const heldForQuality = held_for_quality === "true";
    const pages = readRecipients(c.var.services.sql, { companyId, campaignId, status, heldForQuality });
    if (query.format !== "csv") {
      c.header("Content-Type", "application/json");
      return await streamText(c, jsonParts(campaignId, pages));
    }
    c.header("Content-Type", "text/csv; charset=utf-8; header=present");
    c.header("Content-Disposition", `attachment; filename="recipients-${campaignId}.csv"`);
    return await streamText(c, csvParts(pages));
  });
}

async function* jsonParts(
  campaignId: string,
  pages: AsyncIterable<RecipientRow[]>,
): AsyncGenerator<string> {
  let before = `{"success":true,"campaign_id":"${campaignId}","recipients":[`;
  for await (const page of pages) {
    yield before + page.map((row) => JSON.stringify(describeRecipient(row))).join(",");
    before = ",";
  }
  yield before === "," ? "]}" : `${before}]}`;
}

async function* csvParts(pages: AsyncIterable<RecipientRow[]>): AsyncGenerator<string> {
  let before = RECIPIENTS_CSV_HEADER;
  for await (const page of pages) {
    yield before + recipientsCsv(page.map(describeRecipient));
    before = "";
  }
  yield before;
}
