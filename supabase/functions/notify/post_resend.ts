import { resendCampaign } from "../_shared/campaigns/resend_campaign.ts";
import {
  readResend,
  resendResponse,
  resendResponseSchema,
  resendSchema,
  RESENT_EXAMPLE,
} from "../_shared/campaigns/resend_request.ts";
import { AppError } from "../_shared/errors.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { COMPANY_KEY } from "../_shared/http/app/security.ts";
import { idempotencyHeaders, readIdempotencyKey, readOptionalJson } from "../_shared/http/body/read_body.ts";
import { countingFault, presentedKeyHash } from "../_shared/http/guards/access_key.ts";
import { campaignQuery, requireCampaign } from "../_shared/http/guards/require_campaign.ts";

const route: ApiRoute = {
  method: "post",
  path: "/notify/resend",
  operationId: "resendCampaign",
  summary: "Resend a campaign to those who failed",
  description:
    "Makes a new campaign of those who failed or were skipped for a reason that can pass, or with the given codes: with " +
    "the stored values, template or agent, sender and type. Each failed notification is resent once, however often the " +
    "request is repeated. The body may be left out.",
  tags: ["Campaigns"],
  security: COMPANY_KEY,
  request: {
    query: campaignQuery,
    headers: idempotencyHeaders,
    body: { required: false, ...json(resendSchema, { codes: ["131049", "expired"] }) },
  },
  responses: {
    200: {
      description: "Stored, or nobody is left to resend to",
      ...json(resendResponseSchema, RESENT_EXAMPLE),
    },
    ...errorResponses([400, 401, 404, 409, 413, 422, 429], [403, 404]),
  },
};

/**
 * `POST /notify/resend` resends a campaign to those who failed.
 *
 * Fails with `unauthorized`, `validation_failed`, `payload_too_large`, `rate_limit_exceeded` and with what
 * `resendCampaign` refuses; 403 and `Campaign not found` have the short form.
 */
export function registerPostResend(app: App): void {
  addRoute(app, route, async (c) => {
    const key = { keyHash: presentedKeyHash(c) };
    const { value, text } = await countingFault(c, key, readOptionalJson(c));
    const { companyId, campaignId, apiKeyId, by } = await requireCampaign(c, campaignQuery);
    const result = await resendCampaign(c.var.services, {
      companyId,
      campaignId,
      request: readResend(value),
      apiKeyId,
      by,
      idempotent: readIdempotencyKey(c, route.path, `${campaignId}\n${text}`),
    });
    if (result.kind === "refused") throw AppError.from(result.refusal);
    if (result.isReplay) c.header("Idempotent-Replayed", "true");
    return c.json(resendResponse(campaignId, result.counts));
  });
}
