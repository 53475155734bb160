import type { z } from "@hono/zod-openapi";
import { explainFailures } from "../../campaigns/failures.ts";
import type { CampaignIds } from "../../db/campaign_control.ts";
import { readCampaignSummary } from "../../db/campaigns.ts";
import type { Sql } from "../../db/connect.ts";
import { AppError } from "../../errors.ts";
import type { failuresSchema } from "../failures_schema.ts";

/** Returns what failed or was skipped of a campaign, grouped by code, with what to do. Throws `not_found`. */
export async function showFailures(sql: Sql, ids: CampaignIds): Promise<z.input<typeof failuresSchema>> {
  const [campaign, report] = await Promise.all([
    readCampaignSummary(sql, ids),
    explainFailures(sql, ids),
  ]);
  if (campaign === undefined) throw new AppError("not_found", "Campaign not found");
  return { success: true, campaign_id: ids.campaignId, ...report };
}
