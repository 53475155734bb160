import { session } from "../../../data/session/session.ts";

/** In this tab only, and until the session ends. */
const KEY = "outbound-console.drafts";

/** Also after a session ended: who logs in again in this page goes on writing. */
const drafts = new Map<string, string>(readKept());

/** Returns what the person began to write in a conversation. */
export function readDraft(conversationId: string): string {
  return drafts.get(nameOf(conversationId)) ?? "";
}

/** Keeps it; an empty text removes it. */
export function keepDraft(conversationId: string, text: string): void {
  if (text === "") drafts.delete(nameOf(conversationId));
  else drafts.set(nameOf(conversationId), text);
  sessionStorage.setItem(KEY, JSON.stringify([...drafts]));
}

/** Another person in the same tab finds nothing. */
function nameOf(conversationId: string): string {
  return `${session.peek()?.userId} ${conversationId}`;
}

function readKept(): [string, string][] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as [string, string][];
  } catch {
    return [];
  }
}
