import type { InboxConversation } from "../../data/sdk.ts";
import { duration, phone } from "../../i18n/format.ts";
import { words } from "../../i18n/words.ts";

/** Whom a conversation is with. */
export type Named = Pick<InboxConversation, "kind" | "number" | "user_id" | "conversation_id" | "contact">;

/** Returns whom a conversation is with: a name, a number, a user id, or a visitor by the first letters of the conversation's id. */
export function nameOf({ kind, number, user_id, conversation_id, contact }: Named): string {
  if (contact?.name) return contact.name;
  if (kind === "chat") return words().inbox.visitor(conversation_id.slice(0, 4).toUpperCase());
  return number === null ? user_id ?? words().inbox.unknown : phone(number);
}

/** Returns the number beside a name; undefined where the number is the name. */
export function numberBeside(conversation: Named): string | undefined {
  const { number } = conversation;
  if (number === null || nameOf(conversation) === phone(number)) return undefined;
  return phone(number);
}

/** Returns which of the five colours a label has: the same one everywhere. */
export function toneOf(label: string): number {
  return [...label].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 9973, 7) % 5;
}

/** Returns a page's address without what is the same everywhere. */
export function shortAddress(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/, "").replace(/\/$/, "");
}

const UNITS_S = [86_400, 3600, 60, 1];

/** Returns how long a visitor waits, in the largest unit alone: `2 hrs`. */
export function waitedSince(at: string, now: number): string {
  const seconds = Math.max(0, now - Date.parse(at)) / 1000;
  const unit = UNITS_S.find((each) => seconds >= each) ?? 1;
  return duration(Math.floor(seconds / unit) * unit);
}
