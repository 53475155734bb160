import type { Ledger } from "../messages/message_ledger.ts";
import type { CallLedger } from "../voice/calls/call_ledger.ts";
import { CHANGE_KEY } from "../webhooks/report_change.ts";
import type { Journal, JournalEntry } from "./journal.ts";

/** Removes the entries of messages and calls that the ledgers no longer hold. */
export function compactJournal(journal: Journal, ledger: Ledger, calls: CallLedger): void {
  journal.keep((entry) => isWanted(entry, ledger, calls));
}

function isWanted(entry: JournalEntry, ledger: Ledger, calls: CallLedger): boolean {
  switch (entry.t) {
    case "message":
      return ledger.get(entry.stored.message.id) !== undefined;
    case "inbound":
      return ledger.hasInbound(entry.inbound.id);
    case "responded":
      return ledger.get(entry.id) !== undefined;
    case "reached":
      return entry.steps.some(([id]) => ledger.get(id) !== undefined);
    case "webhooks_delivered":
      return entry.keys.some((key) =>
        key.startsWith(CHANGE_KEY) || ledger.get(key.split("|")[0]!) !== undefined
      );
    case "call":
      return calls.get(entry.stored.call.id) !== undefined;
    case "call_plan":
    case "call_step":
    case "call_responded":
    case "call_feedback":
    case "call_webhook":
      return calls.get(entry.id) !== undefined;
    default:
      return true;
  }
}
