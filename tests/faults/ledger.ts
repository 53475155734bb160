import assert from "node:assert/strict";
import type postgres from "postgres";
import { writeReference } from "../../supabase/functions/_shared/dispatching/reference.ts";
import type { JsonObject } from "../setup/http.ts";
import { withoutFence } from "../setup/without_fence.ts";

/** One notification as the database tells it, next to what the platform took under its reference. */
export interface LedgerEntry {
  id: string;
  status: string;
  attempt: number;
  error_code: string | null;
  /** Its time has come. */
  due: boolean;
  /** Tries of which nobody could say whether the platform took them. */
  unknown_tries: number;
  /** How many messages the platform took. */
  taken: number;
}

/** Every accepted notification against every message the platform took. */
export interface Ledger {
  entries: LedgerEntry[];
  /** References of messages that no notification accounts for. */
  strangers: string[];
  /** Due, not failed for a reason, and never taken. */
  lost: LedgerEntry[];
  /** Taken more than once. */
  twice: LedgerEntry[];
  /** Taken more often than unknown outcomes explain. */
  unexplained: LedgerEntry[];
  /** Failed or cancelled, or not yet sent, by our account; taken by the platform's. */
  denied: LedgerEntry[];
}

/** Compares all notifications of a database with the messages of `GET /sandbox/messages`. */
export async function readLedger(sql: postgres.Sql, messages: JsonObject[]): Promise<Ledger> {
  const taken = countReferences(messages);
  const rows = await sql<(Omit<LedgerEntry, "taken"> & { company_id: string })[]>`
    select n.company_id, n.id, n.status, n.attempt, n.error_code, n.run_at <= now() as due,
      (select count(*)::int from outbound.delivery_attempts as a
        where a.company_id = n.company_id and a.notification_id = n.id and a.outcome = 'unknown') as unknown_tries
    from outbound.notifications as n`;
  const entries = rows.map(({ company_id, ...row }) => {
    const reference = writeReference({ companyId: company_id, notificationId: row.id, fence: null });
    const times = taken.get(reference) ?? 0;
    taken.delete(reference);
    return { ...row, taken: times };
  });
  return {
    entries,
    strangers: [...taken.keys()],
    lost: entries.filter((each) => each.taken === 0 && each.due && !isOver(each)),
    twice: entries.filter((each) => each.taken > 1),
    unexplained: entries.filter((each) => each.taken - 1 > each.unknown_tries),
    denied: entries.filter((each) => each.taken > 0 && !SENT.has(each.status)),
  };
}

const SENT = new Set(["sent", "delivered", "read"]);

/** Ended for a reason that is written down. */
function isOver({ status, error_code }: LedgerEntry): boolean {
  return status === "cancelled" || (status === "failed" && error_code !== null);
}

/** Tries of one notification count together. */
function countReferences(messages: JsonObject[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { biz_opaque_callback_data } of messages) {
    const reference = withoutFence(biz_opaque_callback_data);
    counts.set(reference, (counts.get(reference) ?? 0) + 1);
  }
  return counts;
}

/**
 * Fails, with an account of what is wrong, unless nothing was lost, nothing was made up and nothing was sent twice; with
 * `allow: "unknown"` a message may have been sent again for each try whose outcome nobody knew.
 */
export function assertBalanced(ledger: Ledger, { allow }: { allow: "nothing" | "unknown" }): void {
  const repeated = allow === "unknown" ? ledger.unexplained : ledger.twice;
  const faults = [
    ...accountOf("lost", ledger.lost),
    ...accountOf("sent more often than may be", repeated),
    ...accountOf("taken by the platform, but not sent as we have it", ledger.denied),
    ...(ledger.strangers.length > 0 ? [`${ledger.strangers.length} taken that nobody accepted`] : []),
  ];
  assert.equal(faults.join("\n"), "", `The ledger does not balance:\n${faults.join("\n")}`);
}

const MOST_EXAMPLES = 10;

function accountOf(what: string, entries: LedgerEntry[]): string[] {
  if (entries.length === 0) return [];
  const examples = entries.slice(0, MOST_EXAMPLES).map((each) =>
    `  ${each.id} ${each.status}${each.error_code === null ? "" : ` (${each.error_code})`}, ` +
    `${each.attempt} tries, ${each.unknown_tries} of them unknown, taken ${each.taken} times`
  );
  return [`${entries.length} ${what}:`, ...examples];
}
