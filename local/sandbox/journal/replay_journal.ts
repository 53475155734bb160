import { addAccount, setBanned } from "../accounts/accounts.ts";
import { reachStatus } from "../messages/delivery_runner.ts";
import { restoreInbound } from "../people/receive_message.ts";
import type { Platform } from "../platform.ts";
import type { VoiceEntry } from "../voice/calls/call.ts";
import { replayVoice } from "../voice/calls/replay_calls.ts";
import type { WebhookUpdate } from "../webhooks/update.ts";
import type { JournalEntry } from "./journal.ts";

type MessagingEntry = Exclude<JournalEntry, VoiceEntry>;

/** Restores the platform from the journal and restarts what was not finished. */
export function replayJournal(platform: Platform, entries: JournalEntry[]): void {
  const delivered = new Set<string>();
  const waiting = new Map<string, WebhookUpdate>();
  for (const entry of entries) {
    if (isVoiceEntry(entry)) continue;
    if (entry.t === "webhooks_delivered") {
      for (const key of entry.keys) markDelivered(platform, delivered, key, entry.at);
    } else if (entry.t === "change_update") {
      waiting.set(entry.key, { kind: "change", key: entry.key, update: entry.update, onDelivered: () => {} });
    } else apply(platform, entry);
  }
  for (const stored of platform.ledger.all()) platform.delivery.start(stored, delivered);
  for (const { wabaId } of platform.accounts.list()) {
    for (const template of platform.templates.list(wabaId)) platform.reviews.start(template);
  }
  platform.sender.enqueue([...waiting.values()].filter((update) => !delivered.has(update.key)));
  replayVoice(platform.voice, entries.filter(isVoiceEntry));
}

function isVoiceEntry(entry: JournalEntry): entry is VoiceEntry {
  return entry.t === "voice_account" || entry.t.startsWith("call");
}

function apply(
  platform: Platform,
  entry: Exclude<MessagingEntry, { t: "webhooks_delivered" | "change_update" }>,
): void {
  switch (entry.t) {
    case "account":
      return addAccount(platform, entry.account);
    case "message":
      return platform.ledger.add(entry.stored);
    case "responded": {
      const stored = platform.ledger.get(entry.id);
      if (stored !== undefined) stored.message.answered_at = entry.at;
      return;
    }
    case "reached":
      for (const [id, step] of entry.steps) {
        const stored = platform.ledger.get(id);
        if (stored !== undefined) reachStatus(stored, step, entry.at);
      }
      return;
    case "template":
      platform.templates.put(entry.waba_id, entry.template);
      return;
    case "ban":
      setBanned(platform, entry.waba_id, entry.banned);
      return;
    case "person":
      return platform.people.restore(entry.person);
    case "inbound":
      return restoreInbound(platform, entry.inbound);
    case "media":
      return platform.media.restore(entry.media);
    case "template_removed":
      return platform.templates.restoreRemoval(entry.id, entry.blocked_until);
  }
}

/** Marks a webhook as delivered. Keys are `<message id>|<step>|<webhook>`; those of changes have no message. */
function markDelivered(platform: Platform, delivered: Set<string>, key: string, at: string): void {
  delivered.add(key);
  const [id, step] = key.split("|");
  const stored = platform.ledger.get(id!);
  const planned = stored?.plan[Number(step)];
  const status = stored?.message.statuses.find((each) => each.status === planned?.status);
  if (status !== undefined) status.webhook_at ??= at;
}
