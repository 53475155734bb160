import type { Platform } from "../platform.ts";
import { CHANGE_KEY } from "../webhooks/report_change.ts";
import type { JournalEntry } from "./journal.ts";

/** Removes the entries of messages, calls and files that are no longer kept. */
export function compactJournal(platform: Platform): void {
  platform.journal.keep((entry) => isWanted(entry, platform));
}

function isWanted(entry: JournalEntry, { ledger, media, voice }: Platform): boolean {
  switch (entry.t) {
    case "message":
      return ledger.get(entry.stored.message.id) !== undefined;
    case "media":
      return media.get(entry.media.id) !== undefined;
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
      return voice.ledger.get(entry.stored.call.id) !== undefined;
    case "call_plan":
    case "call_step":
    case "call_responded":
    case "call_feedback":
    case "call_webhook":
      return voice.ledger.get(entry.id) !== undefined;
    default:
      return true;
  }
}
