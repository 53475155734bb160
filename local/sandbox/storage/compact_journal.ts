import type { Journal, JournalLine } from "./journal.ts";
import type { CallLedger } from "../voice/call_ledger.ts";
import { CHANGE_KEY } from "../webhooks/report_change.ts";
import type { Ledger } from "./ledger.ts";

/** Drops from the journal what it tells of messages and calls the ledgers no longer have. All else stays. */
export function compactJournal(journal: Journal, ledger: Ledger, calls: CallLedger): void {
  journal.keep((line) => isWanted(line, ledger, calls));
}

function isWanted(line: JournalLine, ledger: Ledger, calls: CallLedger): boolean {
  switch (line.t) {
    case "message":
      return ledger.get(line.stored.message.id) !== undefined;
    case "answered":
      return ledger.get(line.id) !== undefined;
    case "reached":
      return line.steps.some(([id]) => ledger.get(id) !== undefined);
    case "told":
      return line.keys.some((key) =>
        key.startsWith(CHANGE_KEY) || ledger.get(key.split("|")[0]!) !== undefined
      );
    case "call":
      return calls.get(line.stored.call.id) !== undefined;
    case "call_plan":
    case "call_step":
    case "call_responded":
    case "call_feedback":
    case "call_told":
      return calls.get(line.id) !== undefined;
    default:
      return true;
  }
}
