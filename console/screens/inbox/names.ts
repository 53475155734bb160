import type { Assignee, InboxConversation } from "../../data/sdk.ts";
import { duration, phone } from "../../i18n/format.ts";
import { words } from "../../i18n/words.ts";

/** Returns whom a conversation is with: a number, a user id, or a visitor by the first letters of the conversation's id. */
export function nameOf({ kind, number, user_id, conversation_id }: InboxConversation): string {
  if (kind === "chat") return words().inbox.visitor(conversation_id.slice(0, 4).toUpperCase());
  return number === null ? user_id ?? words().inbox.unknown : phone(number);
}

/** Returns how a member is called; by the end of their id where the API has no name of them. */
export function memberName({ name, user_id }: Assignee): string {
  return name ?? words().inbox.member(user_id.slice(-6));
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
