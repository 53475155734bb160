import { reachStatus } from "../messages/delivery_runner.ts";
import { addAccount } from "../add_account.ts";
import { setBanned } from "../set_banned.ts";
import type { Platform } from "../platform.ts";
import type { WebhookUpdate } from "../webhooks/update.ts";
import { replayVoice } from "../voice/replay_voice.ts";
import type { VoiceLine } from "../voice/voice_line.ts";
import type { JournalLine } from "./journal.ts";

type MessagingLine = Exclude<JournalLine, VoiceLine>;

/** Brings the platform to the state the journal tells of and starts again what was not finished. */
export function replayJournal(platform: Platform, lines: JournalLine[]): void {
  const told = new Set<string>();
  const waiting = new Map<string, WebhookUpdate>();
  for (const line of lines) {
    if (isVoiceLine(line)) continue;
    if (line.t === "told") { for (const key of line.keys) markTold(platform, told, key, line.at); }
    else if (line.t === "change_update") {
      waiting.set(line.key, { kind: "change", key: line.key, update: line.update, told: () => {} });
    } else apply(platform, line);
  }
  for (const stored of platform.ledger.all()) platform.delivery.start(stored, told);
  for (const { wabaId } of platform.accounts.list()) {
    for (const template of platform.templates.list(wabaId)) platform.reviews.start(template);
  }
  platform.sender.enqueue([...waiting.values()].filter((update) => !told.has(update.key)));
  replayVoice(platform.voice, lines.filter(isVoiceLine));
}

function isVoiceLine(line: JournalLine): line is VoiceLine {
  return line.t === "voice_account" || line.t.startsWith("call");
}

function apply(platform: Platform, line: Exclude<MessagingLine, { t: "told" | "change_update" }>): void {
  switch (line.t) {
    case "account":
      return addAccount(platform, line.account);
    case "message":
      return platform.ledger.add(line.stored);
    case "answered": {
      const stored = platform.ledger.get(line.id);
      if (stored !== undefined) stored.message.answered_at = line.at;
      return;
    }
    case "reached":
      for (const [id, step] of line.steps) {
        const stored = platform.ledger.get(id);
        if (stored !== undefined) reachStatus(stored, step, line.at);
      }
      return;
    case "template":
      platform.templates.put(line.waba_id, line.template);
      return;
    case "ban":
      setBanned(platform, line.waba_id, line.banned);
      return;
    case "template_removed":
      return platform.templates.restoreRemoval(line.id, line.blocked_until);
  }
}

/** Keys are `<message id>|<step>|<telling>`; those of changes have no message. */
function markTold(platform: Platform, told: Set<string>, key: string, at: string): void {
  told.add(key);
  const [id, step] = key.split("|");
  const stored = platform.ledger.get(id!);
  const planned = stored?.plan[Number(step)];
  const status = stored?.message.statuses.find((each) => each.status === planned?.status);
  if (status !== undefined) status.webhook_at ??= at;
}
