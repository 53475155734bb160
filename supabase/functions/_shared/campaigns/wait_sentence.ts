import type { RecipientRow } from "../db/campaigns/recipients.ts";
import { utcSeconds } from "../scheduling/due_time.ts";

/** Since when something waits, and what the platform or the template says about it. */
export interface WaitFacts {
  since: Date | null;
  detail?: string | null;
}

/** Returns in plain words why a message waits by its campaign or its sender. */
export function waitSentence(
  code: NonNullable<RecipientRow["wait_code"]>,
  { since, detail }: WaitFacts,
): string {
  switch (code) {
    case "sender_stopped":
      return `The sender is stopped: ${detail}`;
    case "sender_locked":
      return `The platform has locked the sender's account: ${detail}`;
    case "budget_reached":
      return "The company's budget for this month is used up";
    case "no_dispatcher":
      return `No dispatcher of the service has run since ${utcSeconds(since!)}`;
    case "platform_unreachable":
      return `The platform has not responded to the sender since ${utcSeconds(since!)}`;
    case "lines_busy":
      return "As many calls are going on as the sender has lines";
    case "rate_limited":
      return `The platform has refused the sender's rate since ${
        utcSeconds(since!)
      }: it sends more slowly for a while`;
    case "behind_others":
      return "The sender's messages ahead of it leave first";
    case "template_not_approved":
      return detail ?? "The template is not approved";
    case "campaign_paused":
      return "The campaign is paused";
  }
}
