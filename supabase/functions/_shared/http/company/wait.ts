import { z } from "@hono/zod-openapi";
import { WAIT_REASONS, type WaitColumns } from "../../db/campaigns/campaigns.ts";
import { orNull } from "../../values/or_null.ts";
import type { Stored } from "../app/show_row.ts";

const wait = z.object({
  reason: z.enum(WAIT_REASONS).openapi({
    description: "`sender_stopped`, `sender_locked`: the platform stopped the sender; `budget_reached`: " +
      "the company's budget for the month is used up; `no_dispatcher`: nothing works off the " +
      "queue; `platform_unreachable`: the platform does not respond; `lines_busy`: as many calls are going on as the " +
      "sender has lines; `rate_limited`: the platform refuses its rate; `unconfirmed`: the platform has not said " +
      "whether it took the last ones; `behind_others`: other messages of the sender leave first; `platform_refused`: " +
      "the last attempts failed for now; `sending_hours`, `marketing_cooldown`, `call_gap`: a rule of the company; " +
      "`rules_unreadable`: its rules cannot be read. A stopped sender is resumed by its platform or an operator; " +
      "everything else that waits leaves by itself",
  }),
  since: z.iso.datetime(),
  until: z.iso.datetime().nullable().openapi({
    description: "When the first of it leaves, about, or the next attempt; null where that is not known",
  }),
}).openapi("Wait");

/** Why something waits, since when, and until when: codes and times, of which each client makes a sentence. */
export const waitSchema = orNull(wait).openapi({ description: "Null while nothing keeps it" });

/** The same where it is left out while nothing waits. */
export const optionalWaitSchema = wait.optional();

/** Returns why a sender or a campaign waits; null while something leaves. */
export function waitOf(
  { wait_reason, wait_since, wait_until }: WaitColumns,
): Stored<z.input<typeof waitSchema>> {
  return wait_reason && { reason: wait_reason, since: wait_since!, until: wait_until };
}
