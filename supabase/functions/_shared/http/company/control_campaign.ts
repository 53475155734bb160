import { z } from "@hono/zod-openapi";
import type { Actor } from "../../db/access/audit.ts";
import {
  type CampaignIds,
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
} from "../../db/campaigns/campaign_control.ts";
import type { Services } from "../../services.ts";
import { campaignStateSchema } from "../app/shared_schemas.ts";

const CONTROLS = { pause: pauseCampaign, resume: resumeCampaign, cancel: cancelCampaign };

/** A campaign that was steered. */
export const controlledSchema = z.object({
  campaign_id: z.guid(),
  status: campaignStateSchema,
  changed: z.number().int().min(0).openapi({
    description: "Notifications that were held, released or cancelled",
  }),
  in_flight: z.number().int().min(0).openapi({
    description: "Being sent right now, or waiting for the platform to report on an attempt",
  }),
}).openapi("ControlledCampaign");

export type CampaignControl = keyof typeof CONTROLS;

/** Pauses, resumes or cancels a whole campaign. A repeated request changes nothing. */
export async function controlCampaign(
  { sql, newWork }: Pick<Services, "sql" | "newWork">,
  verb: CampaignControl,
  ids: CampaignIds,
  by: Actor,
): Promise<z.input<typeof controlledSchema>> {
  const { status, changed, in_flight } = await CONTROLS[verb](sql, ids, by);
  // Resumed notifications may leave at once.
  newWork.notify();
  return { campaign_id: ids.campaignId, status, changed, in_flight };
}
