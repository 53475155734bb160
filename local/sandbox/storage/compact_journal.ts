import type { Journal, JournalLine } from "./journal.ts";
import type { Ledger } from "./ledger.ts";

/** Drops from the journal what it tells of messages the ledger no longer has. All else stays. */
export function compactJournal(journal: Journal, ledger: Ledger): void {
  journal.keep((line) => isWanted(line, ledger));
}

function isWanted(line: JournalLine, ledger: Ledger): boolean {
  switch (line.t) {
    case "message":
      return ledger.get(line.stored.message.id) !== undefined;
    case "answered":
      return ledger.get(line.id) !== undefined;
    case "reached":
      return line.steps.some(([id]) => ledger.get(id) !== undefined);
    case "told":
      return line.keys.some((key) =>
        key.startsWith("template:") || ledger.get(key.split("|")[0]!) !== undefined
      );
    default:
      return true;
  }
}
