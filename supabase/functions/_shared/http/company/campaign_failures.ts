import { z } from "@hono/zod-openapi";
import { explainFailures } from "../../campaigns/resends/failures.ts";
import type { CampaignIds } from "../../db/campaigns/campaign_control.ts";
import type { Sql } from "../../db/driver/connect.ts";

const count = z.number().int().min(0);

const failureSchema = z.object({
  code: z.string().openapi({
    description: "The platform's code, or one of ours; `unknown` where the platform gave none",
  }),
  status: z.enum(["failed", "skipped"]),
  count,
  resent: count.openapi({ description: "How many of them a resend has replaced" }),
  meaning: z.string(),
  what_to_do: z.string(),
  can_pass: z.boolean().openapi({
    description: "Whether resending makes sense once `what_to_do` is done; a resend takes these codes",
  }),
  examples: z.array(z.uuid()).openapi({ description: "One or two notification ids" }),
}).openapi("Failure");

/** The failed and skipped recipients of a campaign, grouped by code. */
export const failuresSchema = z.object({
  campaign_id: z.uuid(),
  failed: count,
  skipped: count,
  rejected: count.openapi({ description: "Contacts of the request that were refused" }),
  failures: z.array(failureSchema),
}).openapi("Failures");

/** For the API document. */
export const FAILURES_EXAMPLE: z.input<typeof failuresSchema> = {
  campaign_id: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
  failed: 12,
  skipped: 0,
  rejected: 1,
  failures: [{
    code: "131026",
    status: "failed",
    count: 12,
    resent: 0,
    meaning: "The number is not on WhatsApp or cannot receive the message",
    what_to_do: "Check the number, or reach the person on another channel",
    can_pass: false,
    examples: ["0192f8ad-7283-7495-80a1-b2c3d4e5f607", "0192f8ad-7283-7495-80a1-b2c3d4e5f608"],
  }],
};

/** Returns what failed or was skipped of a campaign, grouped by code, with what to do. */
export async function showFailures(sql: Sql, ids: CampaignIds): Promise<z.input<typeof failuresSchema>> {
  return { campaign_id: ids.campaignId, ...await explainFailures(sql, ids) };
}
