import { z } from "@hono/zod-openapi";
import { permissionMissing } from "../_shared/access/key_refusal.ts";
import { describePersonRecipient } from "../_shared/campaigns/recipients.ts";
import { numberSchema, userIdSchema } from "../_shared/contacts/address.ts";
import { type CampaignForKey, findCampaign } from "../_shared/db/campaign_control.ts";
import { type PersonRow, readPersonRecipients } from "../_shared/db/recipients.ts";
import { AppError } from "../_shared/errors.ts";
import type { AppContext } from "../_shared/http/app/context.ts";
import {
  accessKeyParam,
  presentedKeyHash,
  requireGoodKey,
  requireQuery,
} from "../_shared/http/guards/access_key.ts";
import { PERMISSIONS } from "../_shared/http/guards/require_campaign.ts";
import { nextOf, nextSchema, pageFields } from "../_shared/http/app/list_page.ts";
import { recipientSchema, statusSchema } from "../_shared/http/recipient_schema.ts";
import { channelSchema } from "../_shared/http/app/shared_schemas.ts";

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

const personRecipientSchema = recipientSchema.extend({
  campaign_id: z.uuid(),
  campaign_name: z.string(),
  channel: channelSchema,
}).openapi("PersonRecipient");

export const personResponseSchema = z.object({
  success: z.literal(true),
  recipients: z.array(personRecipientSchema),
  next: nextSchema,
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
  const rows = await readPersonRecipients(sql, {
    companyId: found.company_id,
    number: query.number,
    userId: query.user_id,
    channels: channelsOf(found),
    campaignId: found.campaign_id ?? undefined,
    status: query.status,
    after: query.after,
    limit: query.limit,
  });
  return { success: true, recipients: rows.map(describePersonRecipient), next: nextOf(rows, query.limit) };
}

const CHANNELS = Object.keys(PERMISSIONS) as PersonRow["channel"][];

/** The channels that a key may send on; of a campaign, that one. Throws `permission_missing` where there is none. */
function channelsOf({ channel, permissions }: CampaignForKey): PersonRow["channel"][] {
  const asked = channel === null ? CHANNELS : [channel];
  const allowed = asked.filter((name) => permissions.includes(PERMISSIONS[name]));
  if (allowed.length === 0) throw AppError.from(permissionMissing(PERMISSIONS[asked[0]!]));
  return allowed;
}
