import { z } from "@hono/zod-openapi";
import { NUMBER } from "../../_shared/values/address.ts";
import { describeCampaignRecipient } from "../../_shared/campaigns/recipients.ts";
import { readRecipientPage, readRecipients } from "../../_shared/db/campaigns/recipients.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, pageFields } from "../../_shared/http/app/list_page.ts";
import {
  RECIPIENT_EXAMPLE,
  RECIPIENTS_CSV,
  recipientSchema,
  respondRecipientsCsv,
  statusSchema,
} from "../../_shared/http/recipient_schema.ts";
import { requireApiAccess } from "../../_shared/http/guards/access_key.ts";
import { requireMessages } from "../../_shared/http/guards/require_campaign.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `GET …/campaigns/{campaign_id}/recipients` lists a campaign's recipients, or responds with a file of all of them. */
export function registerGetRecipients(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/campaigns/{campaign_id}/recipients",
    operationId: "listCampaignRecipients",
    summary: "List the recipients of a campaign",
    description:
      "In the order of the request. A page of a filtered list may hold fewer than `limit` and have a `next`. `format=csv` " +
      "responds with all of them that the filters leave.",
    params: z.object({ campaign_id: z.guid() }),
    query: z.object({
      status: statusSchema.optional(),
      code: z.string().max(100).optional().openapi({
        description: "The platform's code, or ours; not one of those that wait with their campaign or sender",
        example: "131049",
      }),
      number: z.string().regex(NUMBER, "7 to 15 digits, no '+'").optional().openapi({
        example: "34600111222",
        description: "Digits only, under any alias of the number",
      }),
      held_for_quality: z.literal("true", { error: "true" }).optional().openapi({
        description: "Only those whose messages the platform holds until it knows the template's quality",
      }),
      format: z.enum(["json", "csv"], { error: "json or csv" }).default("json"),
      ...pageFields,
    }),
    response: {
      schema: z.object({ recipients: z.array(recipientSchema), ...listFields }).openapi("RecipientPage"),
      example: { recipients: [RECIPIENT_EXAMPLE], next: null },
      files: { "text/csv": RECIPIENTS_CSV },
    },
    refusals: [409],
  }, async (c, { caller, params: { campaign_id: campaignId }, query }) => {
    const { sql } = c.get("services");
    const ids = await requireMessages(sql, caller, campaignId);
    const { format, after, limit, held_for_quality, ...given } = query;
    const { mayReadPeople: withNames } = caller;
    const filters = { ...ids, ...given, heldForQuality: held_for_quality === "true", withNames };
    if (format === "csv") {
      requireApiAccess(caller, "acts");
      return await respondRecipientsCsv(c, { ...ids, by: caller.by }, readRecipients(sql, filters));
    }
    const { rows, next } = await readRecipientPage(sql, { ...filters, after, limit });
    return { recipients: rows.map(describeCampaignRecipient), next };
  });
}
