import assert from "node:assert/strict";
import type postgres from "postgres";
import { writeReference } from "../../supabase/functions/_shared/dispatching/reference.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { withoutFence } from "../setup/fixtures/without_fence.ts";

/** One notification in the database, with the number of messages that the platform took under its reference. */
export interface SendLogEntry {
  id: string;
  status: string;
  attempt: number;
  error_code: string | null;
  /** Its time has come. */
  due: boolean;
  /** Attempts with an unknown outcome. */
  unknown_attempts: number;
  /** How many messages the platform took. */
  taken: number;
}

/** Every accepted notification, compared with every message that the platform took. */
export interface SendLog {
  entries: SendLogEntry[];
  /** References of messages that belong to no notification. */
  unknownReferences: string[];
  /** Due, not failed with a reason, and never taken. */
  lost: SendLogEntry[];
  /** Taken more than once. */
  twice: SendLogEntry[];
  /** Taken more often than unknown outcomes explain. */
  unexplained: SendLogEntry[];
  /** Failed, cancelled or not yet sent in the database, but taken by the platform. */
  denied: SendLogEntry[];
}

/** Compares all notifications of a database with the messages of `GET /sandbox/messages`. */
export async function readSendLog(sql: postgres.Sql, messages: JsonObject[]): Promise<SendLog> {
  const taken = countReferences(messages);
  const rows = await sql<(Omit<SendLogEntry, "taken"> & { company_id: string })[]>`
    select n.company_id, n.id, n.status, n.attempt, n.error_code, coalesce(n.run_at <= now(), true) as due,
      (select count(*)::int from outbound.delivery_attempts as a
        where a.company_id = n.company_id and a.notification_id = n.id and a.outcome = 'unknown') as unknown_attempts
    from outbound.notifications as n`;
  const entries = rows.map(({ company_id, ...row }) => {
    const reference = writeReference({ companyId: company_id, notificationId: row.id, fence: null });
    const times = taken.get(reference) ?? 0;
    taken.delete(reference);
    return { ...row, taken: times };
  });
  return {
    entries,
    unknownReferences: [...taken.keys()],
    lost: entries.filter((each) => each.taken === 0 && each.due && !isOver(each)),
    twice: entries.filter((each) => each.taken > 1),
    unexplained: entries.filter((each) => each.taken - 1 > each.unknown_attempts),
    denied: entries.filter((each) => each.taken > 0 && !SENT.has(each.status)),
  };
}

const SENT = new Set(["sent", "delivered", "read"]);

/** Cancelled, or failed with a recorded reason. */
function isOver({ status, error_code }: SendLogEntry): boolean {
  return status === "cancelled" || (status === "failed" && error_code !== null);
}

/** Attempts of one notification count together. */
function countReferences(messages: JsonObject[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { biz_opaque_callback_data } of messages) {
    const reference = withoutFence(biz_opaque_callback_data);
    counts.set(reference, (counts.get(reference) ?? 0) + 1);
  }
  return counts;
}

/**
 * Fails if a notification was lost or sent twice, or if a message belongs to no notification.
 *
 * @param options.allow "unknown": a message may be sent again once per attempt with an unknown outcome
 */
export function assertBalanced(sendLog: SendLog, { allow }: { allow: "nothing" | "unknown" }): void {
  const repeated = allow === "unknown" ? sendLog.unexplained : sendLog.twice;
  const faults = [
    ...describeEntries("lost", sendLog.lost),
    ...describeEntries("sent more often than may be", repeated),
    ...describeEntries("taken by the platform, but not sent as we have it", sendLog.denied),
    ...(sendLog.unknownReferences.length > 0
      ? [`${sendLog.unknownReferences.length} taken that the API did not accept`]
      : []),
  ];
  assert.equal(faults.join("\n"), "", `The send log does not balance:\n${faults.join("\n")}`);
}

const MAX_EXAMPLES = 10;

function describeEntries(what: string, entries: SendLogEntry[]): string[] {
  if (entries.length === 0) return [];
  const examples = entries.slice(0, MAX_EXAMPLES).map((each) =>
    `  ${each.id} ${each.status}${each.error_code === null ? "" : ` (${each.error_code})`}, ` +
    `${each.attempt} attempts, ${each.unknown_attempts} of them unknown, taken ${each.taken} times`
  );
  return [`${entries.length} ${what}:`, ...examples];
}
