import { signal } from "@preact/signals";
import { api, ask } from "../../../data/client.ts";
import { Problem } from "../../../data/problem.ts";
import { type InboxReply, replyInConversation } from "../../../data/sdk.ts";
import type { MediaKind } from "../../../../widget/shared/file_types.ts";
import type { ConversationPath } from "../inbox_data.ts";
import type { ChatExtras } from "./chat_extras.tsx";

/** A file of the company that a reply carries. */
export interface SentFile {
  kind: MediaKind;
  mediaId: string;
  name: string;
}

/** The reply as a member wrote it. */
export type NewReply =
  & Pick<PendingReply, "text">
  & Partial<Pick<PendingReply, "media" | "replyTo" | "extras">>;

/** A reply that the list of messages does not show yet. */
export interface PendingReply {
  /** Made here; the API takes the same one once. */
  id: string;
  conversationId: string;
  /** The caption, where it has a file. */
  text: string;
  media: SentFile | undefined;
  /** In a chat: quick replies and a card. */
  extras: ChatExtras | undefined;
  /** The message that it replies to. */
  replyTo: string | undefined;
  at: number;
  /** The API's id, once it has it. */
  messageId: string | undefined;
  /** Why it was not sent. */
  problem: Problem | undefined;
}

const all = signal<PendingReply[]>([]);

/** Returns the replies of a conversation that are not among its messages yet, the oldest first. */
export function pendingOf(conversationId: string, isShown: (messageId: string) => boolean): PendingReply[] {
  return all.value.filter((each) =>
    each.conversationId === conversationId && !(each.messageId && isShown(each.messageId))
  );
}

/** Sends a reply, which shows at once. Returns whether the API took it. */
export function sendReply(
  path: ConversationPath,
  { text, media, extras, replyTo }: NewReply,
): Promise<boolean> {
  const id = crypto.randomUUID();
  const pending = {
    ...{ id, conversationId: path.conversation_id, text, media, extras, replyTo, at: Date.now() },
    ...{ messageId: undefined, problem: undefined },
  };
  all.value = [...all.value, pending];
  return deliver(path, pending);
}

/** Sends one again that failed. It arrives once, even if the first attempt arrived as well. */
export function resendReply(path: ConversationPath, reply: PendingReply): Promise<boolean> {
  change(reply.id, { problem: undefined });
  return deliver(path, reply);
}

/** Forgets one that was not sent. */
export function dropReply(id: string): void {
  all.value = all.value.filter((each) => each.id !== id);
}

async function deliver(path: ConversationPath, reply: PendingReply): Promise<boolean> {
  const { id, replyTo } = reply;
  try {
    const body = { ...contentOf(reply), client_message_id: id, ...(replyTo && { reply_to: replyTo }) };
    const { message_id } = await ask(replyInConversation({ client: api(), path, body }));
    change(id, { messageId: message_id });
    return true;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    change(id, { problem: error });
    return false;
  }
}

function contentOf(
  { text, media, extras }: PendingReply,
): Pick<InboxReply, "text" | "media" | "card" | "quick_replies"> {
  if (extras !== undefined) return { ...(text !== "" && { text }), ...extras };
  if (media === undefined) return { text };
  const { kind: type, mediaId: media_id, name: filename } = media;
  return {
    media: { type, media_id, ...(text && { caption: text }), ...(type === "document" && { filename }) },
  };
}

function change(id: string, changes: Partial<PendingReply>): void {
  all.value = all.value.map((each) => each.id === id ? { ...each, ...changes } : each);
}
