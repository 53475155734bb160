import { z } from "zod";
import { findCampaign } from "../db/campaign_control.ts";
import { AppError, missingField } from "../errors.ts";
import { missingPermission, presentedKeyHash, requireGoodKey } from "./access_key.ts";
import { afterKey } from "./after_key.ts";
import type { AppContext } from "./app.ts";

const PERMISSIONS = { whatsapp: "chatapp_notifications", voice: "voice_notifications" };

/**
 * The campaign that `campaign_id` of the query names, for a key that may send on its channel. Counts a request. What
 * else `readQuery` takes from the query is checked before anything is looked up.
 *
 * Throws `unauthorized`, `rate_limit_exceeded`, `validation_failed`; `not_found` and `forbidden` in the short shape,
 * the contract's form of campaign errors.
 */
export async function requireCampaign<Query>(
  c: AppContext,
  readQuery: () => Query,
): Promise<Query & { companyId: string; campaignId: string }> {
  const keyHash = presentedKeyHash(c);
  const query = await afterKey(c, { keyHash }, () => ({ ...readQuery(), given: readCampaignId(c) }));
  const campaignId = z.uuid().safeParse(query.given).data ?? null;
  const found = await findCampaign(c.var.services.sql, { keyHash, campaignId });
  requireGoodKey(c, found);
  if (found.campaign_id === null || found.channel === null) {
    throw new AppError("not_found", "Campaign not found", { shape: "short" });
  }
  const permission = PERMISSIONS[found.channel];
  if (!found.permissions.includes(permission)) throw missingPermission(permission);
  return { ...query, companyId: found.company_id, campaignId: found.campaign_id };
}

function readCampaignId(c: AppContext): string {
  const given = c.req.query("campaign_id");
  if (!given) throw missingField("campaign_id");
  return given;
}
