import { explainFailures } from "../_shared/campaigns/failures.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { COMPANY_KEY } from "../_shared/http/app/security.ts";
import { FAILURES_EXAMPLE, failuresSchema } from "../_shared/http/company/campaign_failures.ts";
import { campaignQuery, requireCampaign } from "../_shared/http/guards/require_campaign.ts";

const route: ApiRoute = {
  method: "get",
  path: "/notify/failures",
  operationId: "explainFailures",
  summary: "Explain what failed or was skipped of a campaign",
  description: "Grouped by code, the most frequent first. It reads nothing but what failed or was skipped.",
  tags: ["Campaigns"],
  security: COMPANY_KEY,
  request: { query: campaignQuery },
  responses: {
    200: {
      description: "Every code with its meaning and what to do",
      ...json(failuresSchema, FAILURES_EXAMPLE),
    },
    ...errorResponses([400, 401, 429], [403, 404]),
  },
};

/**
 * `GET /notify/failures` groups what failed or was skipped of a campaign by code.
 *
 * Fails with `unauthorized`, `validation_failed` or `rate_limit_exceeded`; 403 and 404 have the short form.
 */
export function registerGetFailures(app: App): void {
  addRoute(app, route, async (c) => {
    const { companyId, campaignId } = await requireCampaign(c, campaignQuery);
    const report = await explainFailures(c.var.services.sql, { companyId, campaignId });
    return c.json({ success: true, campaign_id: campaignId, ...report });
  });
}
