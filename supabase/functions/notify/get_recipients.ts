import { type RouteConfig, z } from "@hono/zod-openapi";
import {
  NOTIFICATION_STATUSES,
  readRecipients,
  type RecipientRow,
  type RecipientsQuery,
} from "../_shared/db/recipients.ts";
import { badFormat } from "../_shared/errors.ts";
import { addRoute, type App, type AppContext } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { requireCampaign } from "../_shared/http/require_campaign.ts";
import { streamText } from "../_shared/http/stream_text.ts";
import { describeRecipient } from "../_shared/notifications/recipient.ts";
import { RECIPIENTS_CSV_HEADER, recipientsCsv } from "../_shared/notifications/recipients_csv.ts";

const FORMATS = ["json", "csv"] as const;

const time = z.iso.datetime().nullable();

const recipientSchema = z.object({
  number: z.string(),
  status: z.enum(NOTIFICATION_STATUSES),
  queued_at: z.iso.datetime().openapi({ description: "When it was accepted" }),
  sent_at: time,
  delivered_at: time,
  read_at: time,
  failed_at: time,
  attempts: z.number().int().min(0),
  code: z.string().nullable().openapi({
    description: "The platform's code, or `expired`, `outcome_unknown`, `template_changed`, `agent_disabled`",
  }),
  reason: z.string().nullable().openapi({
    description: "Why it failed, or why it still waits, in plain words",
  }),
  outcome: z.enum(["answered", "voicemail", "busy", "no_answer", "failed"]).nullable().openapi({
    description: "How a call went; null for a chat message, and while nobody knows",
  }),
  duration_s: z.number().int().min(0).nullable().openapi({ description: "Of a call that was taken" }),
}).openapi("Recipient");

const answerSchema = z.object({
  success: z.literal(true),
  campaign_id: z.uuid(),
  recipients: z.array(recipientSchema),
}).openapi("Recipients");

const route: RouteConfig = {
  method: "get",
  path: "/notify/recipients",
  summary: "What became of each recipient of a campaign",
  description:
    "Streamed, so a campaign of any size is one answer. Each recipient is told as it is when its part " +
    "of the answer is made.",
  tags: ["Campaigns"],
  request: {
    query: z.object({
      access_key: z.string(),
      campaign_id: z.string(),
      status: z.enum(NOTIFICATION_STATUSES).optional(),
      format: z.enum(FORMATS).optional(),
    }),
  },
  responses: {
    200: {
      description: "All recipients, or those in the given status",
      content: {
        "application/json": { schema: answerSchema },
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
 * Fails with `unauthorized`, `validation_failed` or `rate_limit_exceeded`; 403 and 404 have the short shape.
 */
export function registerGetRecipients(app: App): void {
  addRoute(app, route, async (c) => {
    const { format, ...query } = await requireCampaign(c, () => readQuery(c));
    const pages = readRecipients(c.var.services.sql, query);
    if (format === "json") {
      c.header("Content-Type", "application/json");
      return await streamText(c, jsonParts(query, pages));
    }
    c.header("Content-Type", "text/csv; charset=utf-8; header=present");
    c.header("Content-Disposition", `attachment; filename="recipients-${query.campaignId}.csv"`);
    return await streamText(c, csvParts(pages));
  });
}

function readQuery(c: AppContext): Pick<RecipientsQuery, "status"> & { format: typeof FORMATS[number] } {
  const [status, format = "json"] = [c.req.query("status"), c.req.query("format")];
  return {
    status: status === undefined ? undefined : oneOf("status", NOTIFICATION_STATUSES, status),
    format: oneOf("format", FORMATS, format),
  };
}

function oneOf<Value extends string>(field: string, allowed: readonly Value[], given: string): Value {
  const found = allowed.find((value) => value === given);
  if (found === undefined) throw badFormat(field, given, `one of ${allowed.join(", ")}`);
  return found;
}

async function* jsonParts(
  { campaignId }: RecipientsQuery,
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
