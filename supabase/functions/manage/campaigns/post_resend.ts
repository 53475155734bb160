import { z } from "@hono/zod-openapi";
import { resendCampaign } from "../../_shared/campaigns/resends/resend_campaign.ts";
import {
  resendResponse,
  resendResponseSchema,
  resendSchema,
  RESENT_EXAMPLE,
} from "../../_shared/campaigns/resends/resend_request.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { idempotencyHeaders, readIdempotencyKey } from "../../_shared/http/body/read_body.ts";
import { requireCampaign } from "../../_shared/http/guards/require_campaign.ts";
import { requireSendingKey } from "../../_shared/http/guards/sending_key.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `POST …/campaigns/{campaign_id}/resend` resends a campaign to those who failed. */
export function registerPostResend(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/campaigns/{campaign_id}/resend",
    operationId: "resendCampaign",
    summary: "Resend a campaign to those who failed",
    description:
      "Makes a new campaign of those who failed or were skipped for a reason that can pass, or with the given codes: with " +
      "the stored values, template or agent, sender and type. Each failed notification is resent once, however often the " +
      "request is repeated. The body may be left out. The new campaign counts for the key that asks; for a member, for " +
      "the company's current one.",
    params: z.object({ campaign_id: z.guid() }),
    headers: idempotencyHeaders,
    body: { schema: resendSchema, example: { codes: ["131049", "expired"] }, optional: true },
    response: { schema: resendResponseSchema, example: RESENT_EXAMPLE },
    refusals: [409, 422],
  }, async (c, { caller, params: { campaign_id: campaignId }, body }) => {
    const services = c.get("services");
    const ids = await requireCampaign(services.sql, caller, campaignId);
    const { id: apiKeyId } = await requireSendingKey(services.sql, caller);
    const result = await resendCampaign(services, {
      ...ids,
      request: body,
      apiKeyId,
      by: caller.by,
      idempotent: readIdempotencyKey(c, "manage/resend", `${campaignId}\n${JSON.stringify(body)}`),
    });
    if (result.kind === "refused") throw AppError.from(result.refusal);
    if (result.isReplay) c.header("Idempotent-Replayed", "true");
    return resendResponse(campaignId, result.counts);
  });
}
