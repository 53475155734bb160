import { z } from "@hono/zod-openapi";
import { CALL_OUTCOMES } from "../../db/calls/calls.ts";
import { CAMPAIGN_STATUSES } from "../../db/campaigns/campaigns.ts";
import { CONTACT_SOURCES } from "../../db/contacts/contacts.ts";
import { isOneLine, TRIMMED_LINE, WITHOUT_CONTROLS } from "../../values/control_characters.ts";

/** The platform that a campaign is sent by. */
export const channelSchema = z.enum(["whatsapp", "voice"], { error: "whatsapp or voice" }).openapi("Channel");

/** A flag in a query. */
export const flagSchema = z.enum(["true", "false"], { error: "true or false" })
  .transform((text) => text === "true");

/** A name in one line, without spaces around it. */
export function trimmedLine(maxCharacters: number) {
  const format = `1 to ${maxCharacters} characters in one line of ${WITHOUT_CONTROLS}`;
  return z.string({ error: format }).trim().min(1, format).max(maxCharacters, format).refine(
    isOneLine,
    format,
  )
    .openapi({ pattern: TRIMMED_LINE });
}

const MAX_SENDERS = 100;

/** Some senders of a company, each once. */
export const someSendersSchema = z.array(z.guid({ error: "the id of one of your senders" }))
  .min(1, "at least one, or null for all").max(MAX_SENDERS, `at most ${MAX_SENDERS}`)
  .transform((ids) => [...new Set(ids.map((id) => id.toLowerCase()))]);

export const campaignStateSchema = z.enum(CAMPAIGN_STATUSES).openapi("CampaignState");

export const callOutcomeSchema = z.enum(CALL_OUTCOMES, { error: `one of ${CALL_OUTCOMES.join(", ")}` })
  .openapi("CallOutcome");

const count = z.number().int().min(0);

/** The counters of a campaign. */
export const campaignCounters = {
  total: count.openapi({ description: "pending + processing + sent + failed + cancelled + skipped" }),
  pending: count,
  processing: count,
  sent: count.openapi({
    description: "Taken by the platform and not failed; delivered and read are parts of it",
  }),
  delivered: count,
  read: count,
  failed: count,
  cancelled: count,
  skipped: count.openapi({ description: "A rule about the recipient kept it from leaving" }),
  replied: count.openapi({ description: "Recipients who replied to their message; no part of the sum" }),
  rejected: count.openapi({ description: "Contacts of its requests that were refused; not part of total" }),
};

export const COUNTERS_EXAMPLE = {
  total: 100,
  pending: 40,
  processing: 10,
  sent: 48,
  delivered: 45,
  read: 20,
  failed: 2,
  cancelled: 0,
  skipped: 0,
  replied: 3,
  rejected: 0,
};

/** The response of an operation that has nothing else to say. */
export const successSchema = z.object({ success: z.literal(true) }).openapi("Success");

/** Where a suppression comes from. */
export const sourceSchema = z.enum(CONTACT_SOURCES, { error: `one of ${CONTACT_SOURCES.join(", ")}` })
  .openapi("ContactSource");
