import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";
import { showWebhook } from "./show_webhook.ts";

/** One event, or those whose delivery failed: since a time, or as far back as they are kept. */
export type ReplayedEvents = { eventId: string } | { failed: true; since?: Date | undefined };

/**
 * Has events delivered again, with all their tries; those that wait for a later try go now.
 *
 * @throws {CommandError} `not_found`, or `bad_value` while the webhook is off
 */
export async function replayEvents(
  { sql }: { sql: Sql },
  { companyId, ...events }: { companyId: string } & ReplayedEvents,
): Promise<{ companyId: string; replayed: number }> {
  const { isActive } = await showWebhook({ sql }, { companyId });
  if (!isActive) throw new CommandError("bad_value", `The webhook of company ${companyId} is off`);
  const eventId = "eventId" in events ? events.eventId : null;
  const since = "eventId" in events ? null : events.since ?? new Date(0);
  const [row] = await sql<{ replayed: number }[]>`
    select outbound.replay_events(${companyId}, ${eventId}, ${since}) as replayed`;
  if (eventId !== null && row!.replayed === 0) await refuseUnlessEvent(sql, companyId, eventId);
  return { companyId, replayed: row!.replayed };
}

async function refuseUnlessEvent(sql: Sql, companyId: string, eventId: string): Promise<void> {
  const [found] = await sql`
    select 1 from outbound.outgoing_events where company_id = ${companyId} and id = ${eventId}`;
  if (!found) throw new CommandError("not_found", `Company ${companyId} has no event with id ${eventId}`);
}
