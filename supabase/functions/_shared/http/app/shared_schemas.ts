import { z } from "@hono/zod-openapi";
import { CALL_OUTCOMES } from "../../db/calls/calls.ts";
import { CAMPAIGN_STATUSES } from "../../db/campaigns/campaigns.ts";
import { CONTACT_SOURCES } from "../../db/contacts/contacts.ts";

/** The platform that a campaign is sent by. */
export const channelSchema = z.enum(["whatsapp", "voice"], { error: "whatsapp or voice" }).openapi("Channel");

/** A flag in a query. */
export const flagSchema = z.enum(["true", "false"], { error: "true or false" })
  .transform((text) => text === "true");

export const campaignStateSchema = z.enum(CAMPAIGN_STATUSES).openapi("CampaignState");

export const callOutcomeSchema = z.enum(CALL_OUTCOMES, { error: `one of ${CALL_OUTCOMES.join(", ")}` })
  .openapi("CallOutcome");

/** The response of an operation that has nothing else to say. */
export const successSchema = z.object({ success: z.literal(true) }).openapi("Success");

/** Where a suppression comes from. */
export const sourceSchema = z.enum(CONTACT_SOURCES, { error: `one of ${CONTACT_SOURCES.join(", ")}` })
  .openapi("ContactSource");
