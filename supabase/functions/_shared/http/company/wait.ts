import { z } from "@hono/zod-openapi";
import { orNull } from "../../or_null.ts";
import { timeOf } from "../app/list_page.ts";

/** The reasons for which a sender, or what is sent by it, waits. */
export const WAIT_REASONS = ["platform_unreachable"] as const;

/** Why something waits, since when, and until when: codes and times, of which each client makes a sentence. */
export const waitSchema = orNull(
  z.object({
    reason: z.enum(WAIT_REASONS).openapi({
      description: "`platform_unreachable`: the platform does not respond; what waits leaves by itself",
    }),
    since: z.iso.datetime(),
    until: z.iso.datetime().nullable().openapi({ description: "The next try" }),
  }).openapi("Wait"),
).openapi({ description: "Null while nothing keeps it" });

/** Returns why a sender waits for its platform; null while the platform responds. */
export function outageWait(
  { outageSince, blockedUntil }: { outageSince: Date | null; blockedUntil: Date | null },
): z.input<typeof waitSchema> {
  const since = timeOf(outageSince);
  return since === null ? null : { reason: "platform_unreachable", since, until: timeOf(blockedUntil) };
}
