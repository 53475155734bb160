import { z } from "@hono/zod-openapi";
import { NUMBER } from "../../_shared/values/address.ts";
import { describeRecipient } from "../../_shared/campaigns/recipients.ts";
import { readCampaignSummary } from "../../_shared/db/campaigns/campaigns.ts";
import { readRecipientPage, readRecipients } from "../../_shared/db/campaigns/recipients.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { nextOf, nextSchema, pageFields } from "../../_shared/http/app/list_page.ts";
import {
  RECIPIENT_EXAMPLE,
  RECIPIENTS_CSV,
  recipientSchema,
  respondRecipientsCsv,
  statusSchema,
} from "../../_shared/http/recipient_schema.ts";
import { requireMayHappen } from "../../_shared/http/guards/require_member.ts";
import { addMemberRoute } from "../member_route.ts";

/** `GET …/campaigns/{campaign_id}/recipients` lists a campaign's recipients, or responds with a file of all of them. */
export function registerGetRecipients(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/campaigns/{campaign_id}/recipients",
    operationId: "listCampaignRecipients",
    summary: "List the recipients of a campaign",
    description:
      "In the order of the request. `format=csv` responds with all of them that the filters leave.",
    role: "viewer",
    params: z.object({ campaign_id: z.guid() }),
    query: z.object({
      status: statusSchema.optional(),
      code: z.string().max(100).optional().openapi({
        description: "The platform's code, or ours; not one of those that wait with their campaign or sender",
        example: "131049",
      }),
      number: z.string().regex(NUMBER, "7 to 15 digits, no '+'").optional().openapi({
        example: "34600111222",
        description: "Digits only, in any spelling of the number",
      }),
      held_for_quality: z.literal("true", { error: "true" }).optional().openapi({
        description: "Only those whose messages the platform holds until it knows the template's quality",
      }),
      format: z.enum(["json", "csv"], { error: "json or csv" }).default("json"),
      ...pageFields,
    }),
    response: {
      schema: z.object({ recipients: z.array(recipientSchema), next: nextSchema }).openapi("RecipientPage"),
      example: { recipients: [RECIPIENT_EXAMPLE], next: null },
      files: { "text/csv": RECIPIENTS_CSV },
    },
  }, async (c, { member, params: { campaign_id: campaignId }, query }) => {
    const { sql } = c.get("services");
    const { companyId } = member;
    const { format, after, limit, held_for_quality, ...given } = query;
    const filters = { ...given, heldForQuality: held_for_quality === "true" };
    const isUnknown = async () => await readCampaignSummary(sql, { companyId, campaignId }) === undefined;
    if (format === "csv") {
      requireMayHappen(member, "acts");
      if (await isUnknown()) throw notFound();
      return await respondRecipientsCsv(
        c,
        { ...member, campaignId },
        readRecipients(sql, { companyId, campaignId, ...filters }),
      );
    }
    const rows = await readRecipientPage(sql, { companyId, campaignId, ...filters, after, limit });
    if (rows.length === 0 && await isUnknown()) throw notFound();
    return { recipients: rows.map(describeRecipient), next: nextOf(rows, limit) };
  });
}

function notFound(): AppError {
  return new AppError("not_found", "Campaign not found");
}
