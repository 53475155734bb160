import { z } from "@hono/zod-openapi";
import { numberSchema, userIdSchema } from "../_shared/contacts/address.ts";
import { findCampaign } from "../_shared/db/campaigns/campaign_control.ts";
import { AppError } from "../_shared/errors.ts";
import type { AppContext } from "../_shared/http/app/context.ts";
import {
  accessKeyParam,
  presentedKeyHash,
  requireGoodKey,
  requireQuery,
} from "../_shared/http/guards/access_key.ts";
import { allowedChannels } from "../_shared/http/guards/require_campaign.ts";
import { pageFields } from "../_shared/http/app/list_page.ts";
import { listPersonRecipients, personPageFields } from "../_shared/http/company/person_recipients.ts";
import { statusSchema } from "../_shared/http/recipient_schema.ts";

/** The parameters that name a person, and the page of the list. */
export const personQuery = z.object({
  number: numberSchema.optional(),
  user_id: userIdSchema.optional(),
  ...pageFields,
});

const querySchema = personQuery.extend({
  access_key: accessKeyParam,
  campaign_id: z.string().optional(),
  status: statusSchema.optional(),
  format: z.literal("json", { error: "json; CSV lists a whole campaign" }).optional(),
});

export const personResponseSchema = z.object({
  success: z.literal(true),
  ...personPageFields,
}).openapi("PersonRecipients");

/** Returns whether a request asks for a person rather than for a campaign. */
export function namesPerson(c: AppContext): boolean {
  return c.req.query("number") !== undefined || c.req.query("user_id") !== undefined;
}

/**
 * Returns a page of what was sent to a person, under every known address, on the channels that the key may send on.
 * Counts a request. Throws what `requireCampaign` throws.
 */
export async function listPerson(c: AppContext): Promise<Record<string, unknown>> {
  const keyHash = presentedKeyHash(c);
  const query = await requireQuery(c, { keyHash }, querySchema);
  const { sql } = c.get("services");
  const campaignId = z.uuid().safeParse(query.campaign_id).data ?? null;
  const found = await findCampaign(sql, { keyHash, campaignId });
  requireGoodKey(c, found);
  if (query.campaign_id !== undefined && found.campaign_id === null) {
    throw new AppError("campaign_not_found", "Campaign not found");
  }
  const page = await listPersonRecipients(sql, {
    companyId: found.company_id,
    number: query.number,
    userId: query.user_id,
    channels: allowedChannels(found.permissions, found.channel === null ? undefined : [found.channel]),
    campaignId: found.campaign_id ?? undefined,
    status: query.status,
    after: query.after,
    limit: query.limit,
  });
  return { success: true, ...page };
}
