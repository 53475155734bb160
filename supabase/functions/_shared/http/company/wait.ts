import { z } from "@hono/zod-openapi";
import { WAIT_REASONS, type WaitColumns } from "../../db/campaigns/campaigns.ts";
import { orNull } from "../../values/or_null.ts";
import type { Stored } from "../app/show_row.ts";

const wait = z.object({
  reason: z.enum(WAIT_REASONS).openapi({
    description:
      "`platform_unreachable`: the platform does not respond; `platform_refused`: it refused the last " +
      "tries for now; `sending_hours`, `marketing_cooldown`, `call_gap`: a rule of the company; `rules_unreadable`: " +
      "its rules cannot be read. What waits leaves by itself",
  }),
  since: z.iso.datetime(),
  until: z.iso.datetime().nullable().openapi({ description: "When the first of it leaves, or the next try" }),
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
