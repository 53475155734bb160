import { z } from "@hono/zod-openapi";
import { readRecipients, type RecipientRow } from "../_shared/db/campaigns/recipients.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { COMPANY_KEY } from "../_shared/http/app/security.ts";
import { requireApiAccess } from "../_shared/http/guards/access_key.ts";
import { campaignQuery, requireCampaign } from "../_shared/http/guards/require_campaign.ts";
import { streamText } from "../_shared/http/app/stream_text.ts";
import { listPerson, namesPerson, personQuery, personResponseSchema } from "./person_recipients.ts";
import {
  RECIPIENT_EXAMPLE,
  RECIPIENTS_CSV,
  recipientSchema,
  respondRecipientsCsv,
  statusSchema,
} from "../_shared/http/recipient_schema.ts";
import { describeRecipient } from "../_shared/campaigns/recipients.ts";

const FORMATS = ["json", "csv"] as const;

const campaignSchema = campaignQuery.extend({
  status: statusSchema.optional(),
  held_for_quality: z.literal("true", { error: "true" }).optional().openapi({
    description: "Only those whose messages the platform holds until it knows the template's quality",
  }),
  format: z.enum(FORMATS, { error: `one of ${FORMATS.join(", ")}` }).optional(),
});

const documentedQuery = campaignSchema.extend({
  ...personQuery.shape,
  campaign_id: z.string().optional().openapi({
    description: "Required without number and user_id; with one of them, narrows the list to this campaign",
    example: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
  }),
});

const campaignResponseSchema = z.object({
  success: z.literal(true),
  campaign_id: z.uuid(),
  recipients: z.array(recipientSchema),
}).openapi("Recipients");

const responseSchema = z.union([campaignResponseSchema, personResponseSchema]).openapi(
  "FoundRecipients",
);

const route: ApiRoute = {
  method: "get",
  path: "/notify/recipients",
  operationId: "listRecipients",
  summary: "List the recipients of a campaign, or what was sent to a person",
  description:
    "With `campaign_id` alone, all its recipients: the response is streamed, whatever the size of the campaign, and each " +
    "row shows the state at the time it is read. With `number` or `user_id`, what was sent to that person in all " +
    "campaigns that the key may send, the newest first, page by page.",
  tags: ["Campaigns"],
  security: COMPANY_KEY,
  request: {
    query: documentedQuery,
  },
  responses: {
    200: {
      description: "All recipients, or those in the given status; of a person, one page",
      content: {
        ...json(responseSchema, {
          success: true,
          campaign_id: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
          recipients: [RECIPIENT_EXAMPLE],
        }).content,
        "text/csv": RECIPIENTS_CSV,
      },
    },
    ...errorResponses([400, 401, 429], [403, 404]),
  },
};

/**
 * `GET /notify/recipients` lists a campaign's recipients as JSON or, with `format=csv`, as a file. With `number` or
 * `user_id` it lists a page of what was sent to that person.
 *
 * Fails with `unauthorized`, `validation_failed` or `rate_limit_exceeded`; 403 and 404 have the short form.
 */
export function registerGetRecipients(app: App): void {
  addRoute(app, route, async (c) => {
    if (namesPerson(c)) return c.json(await listPerson(c));
    const { query, ...campaign } = await requireCampaign(c, campaignSchema);
    const { companyId, campaignId } = campaign;
    const { status, held_for_quality } = query;
    const heldForQuality = held_for_quality === "true";
    const pages = readRecipients(c.var.services.sql, { companyId, campaignId, status, heldForQuality });
    if (query.format !== "csv") {
      c.header("Content-Type", "application/json");
      return await streamText(c, jsonParts(campaignId, pages));
    }
    requireApiAccess(campaign, "acts");
    return await respondRecipientsCsv(c, campaign, pages);
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
