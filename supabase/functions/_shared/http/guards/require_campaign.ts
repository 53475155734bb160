import { z } from "@hono/zod-openapi";
import { permissionMissing } from "../../access/key_refusal.ts";
import type { Actor } from "../../db/access/audit.ts";
import { findCampaign } from "../../db/campaigns/campaign_control.ts";
import { AppError } from "../../errors.ts";
import type { AppContext } from "../app/context.ts";
import { accessKeyParam, presentedKeyHash, requireGoodKey, requireQuery } from "./access_key.ts";

/** The permission that a key needs for each channel. */
export const PERMISSIONS = { whatsapp: "chatapp_notifications", voice: "voice_notifications" };

export type ChannelName = keyof typeof PERMISSIONS;

const CHANNELS = Object.keys(PERMISSIONS) as ChannelName[];

/** Returns those of `asked` that a key may send on. Throws `permission_missing` where there is none. */
export function allowedChannels(permissions: string[], asked: ChannelName[] = CHANNELS): ChannelName[] {
  const allowed = asked.filter((name) => permissions.includes(PERMISSIONS[name]));
  if (allowed.length === 0) throw AppError.from(permissionMissing(PERMISSIONS[asked[0]!]));
  return allowed;
}

const campaignIdParam = z.string().openapi({
  description: "The `inquiry_set_id` of the response that began the campaign",
  example: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
});

/** The parameters of every request about one campaign. */
export const campaignQuery = z.object({ access_key: accessKeyParam, campaign_id: campaignIdParam });

/** A campaign, and the key that may steer it. */
export interface CampaignOfKey {
  companyId: string;
  campaignId: string;
  apiKeyId: string;
  api_access: boolean;
  by: Actor;
}

/**
 * Returns the campaign that `campaign_id` of the query names, for a key that may send on its channel, and the query,
 * checked against `schema`. Counts a request.
 *
 * Throws `unauthorized`, `rate_limit_exceeded`, `validation_failed`; `api_access_off`, `permission_missing` and
 * `campaign_not_found`, which go out in the short form.
 */
export async function requireCampaign<Schema extends typeof campaignQuery>(
  c: AppContext,
  schema: Schema,
): Promise<CampaignOfKey & { query: z.infer<Schema> }> {
  const keyHash = presentedKeyHash(c);
  const query = await requireQuery(c, { keyHash }, schema);
  const campaignId = z.uuid().safeParse(query.campaign_id).data ?? null;
  const found = await findCampaign(c.get("services").sql, { keyHash, campaignId });
  requireGoodKey(c, found);
  if (found.campaign_id === null || found.channel === null) {
    throw new AppError("campaign_not_found", "Campaign not found");
  }
  allowedChannels(found.permissions, [found.channel]);
  const by: Actor = { actor: `key:${found.api_key_id}`, requestId: c.get("requestId") };
  return {
    companyId: found.company_id,
    campaignId: found.campaign_id,
    apiKeyId: found.api_key_id,
    api_access: found.api_access,
    by,
    query,
  };
}
