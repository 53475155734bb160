import { signal } from "@preact/signals";
import { api, ask } from "../../../data/client.ts";
import { Problem } from "../../../data/problem.ts";
import { replyInConversation } from "../../../data/sdk.ts";
import type { ConversationPath } from "../inbox_data.ts";

/** A reply that the list of messages does not show yet. */
export interface PendingReply {
  /** Made here; the API takes the same one once. */
  id: string;
  conversationId: string;
  text: string;
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
export function sendReply(path: ConversationPath, text: string): Promise<boolean> {
  const id = crypto.randomUUID();
  const pending = {
    ...{ id, conversationId: path.conversation_id, text, at: Date.now() },
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

async function deliver(path: ConversationPath, { id, text }: PendingReply): Promise<boolean> {
  try {
    const body = { text, client_message_id: id };
    const { message_id } = await ask(replyInConversation({ client: api(), path, body }));
    change(id, { messageId: message_id });
    return true;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    change(id, { problem: error });
    return false;
  }
}

function change(id: string, changes: Partial<PendingReply>): void {
  all.value = all.value.map((each) => each.id === id ? { ...each, ...changes } : each);
}
