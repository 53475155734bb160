import { z } from "@hono/zod-openapi";
import { resendCampaign } from "../../_shared/campaigns/resend_campaign.ts";
import {
  resendResponse,
  resendResponseSchema,
  resendSchema,
  RESENT_EXAMPLE,
} from "../../_shared/campaigns/resend_request.ts";
import { readCampaignSummary } from "../../_shared/db/campaigns/campaigns.ts";
import { readCurrentKey } from "../../_shared/db/access/keys.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { idempotencyHeaders, readIdempotencyKey } from "../../_shared/http/body/read_body.ts";
import { addMemberRoute } from "../member_route.ts";

/** `POST …/campaigns/{campaign_id}/resend` resends a campaign to those who failed. */
export function registerPostResend(app: App): void {
  addMemberRoute(app, {
    method: "post",
    path: "/campaigns/{campaign_id}/resend",
    operationId: "resendManagedCampaign",
    summary: "Resend a campaign to those who failed",
    description:
      "As POST /notify/resend. The new campaign counts for the company's current key and its quota.",
    role: "operator",
    params: z.object({ campaign_id: z.guid() }),
    headers: idempotencyHeaders,
    body: { schema: resendSchema, example: { codes: ["131049", "expired"] } },
    response: { schema: resendResponseSchema, example: RESENT_EXAMPLE },
    refusals: [409, 422],
  }, async (c, { member: { companyId, by }, params: { campaign_id: campaignId }, body }) => {
    const { sql } = c.get("services");
    const [campaign, key] = await Promise.all([
      readCampaignSummary(sql, { companyId, campaignId }),
      readCurrentKey(sql, companyId),
    ]);
    if (campaign === undefined) throw new AppError("not_found", "Campaign not found");
    if (!key?.is_active) throw new AppError("forbidden", "The company has no active access key to send with");
    const result = await resendCampaign(c.get("services"), {
      companyId,
      campaignId,
      request: body,
      apiKeyId: key.key_id,
      by,
      idempotent: readIdempotencyKey(c, "manage/resend", `${campaignId}\n${JSON.stringify(body)}`),
    });
    if (result.kind === "refused") throw AppError.from(result.refusal);
    if (result.isReplay) c.header("Idempotent-Replayed", "true");
    return resendResponse(campaignId, result.counts);
  });
}
