import type { ConversationStatus, ConversationUpdate } from "../_shared/db/widgets/conversations.ts";
import type { ConversationFeed } from "../_shared/widgets/conversation_feed.ts";
import { type EventSource, eventText } from "../_shared/http/app/event_stream.ts";
import type { KnownConversation } from "../_shared/http/guards/require_conversation.ts";

/**
 * The events of a conversation: `message` (with its number as the event's id), `typing` of the other side, `read`, how far
 * the other side has read, and `status`.
 * It starts with the messages that the reader lacks.
 *
 * @param after the number of the last message the reader has
 */
export function conversationEventSource(
  feed: ConversationFeed,
  conversation: KnownConversation,
  after: number,
): EventSource {
  const { companyId, conversationId } = conversation;
  return {
    follow(write, end) {
      const textOf = updateWriter(conversation);
      const follower = {
        ...{ companyId, conversationId, after, end },
        receive(update: ConversationUpdate) {
          write(textOf(update));
          follower.after = update.messages.at(-1)?.sequence ?? follower.after;
        },
      };
      return feed.follow(follower);
    },
  };
}

/** Returns the function that writes updates as events: all but messages only when they change. */
function updateWriter({ author }: KnownConversation): (update: ConversationUpdate) => string {
  let status: ConversationStatus | undefined;
  let typing: object = { is_typing: false };
  let read = 0;
  const other = author === "visitor" ? "operator" : "visitor";

  return (update) => {
    const texts: string[] = [];
    if (update[`${other}_read`] !== read) {
      read = update[`${other}_read`];
      texts.push(eventText("read", { author: other, sequence: read }));
    }
    texts.push(...update.messages.map((message) => eventText("message", message, message.sequence)));
    if (update.status !== status) texts.push(eventText("status", { status: update.status }));
    const typingNow = typingOf(update, other);
    if (JSON.stringify(typingNow) !== JSON.stringify(typing)) {
      texts.push(eventText("typing", { author: other, ...typingNow }));
      typing = typingNow;
    }
    status = update.status;
    return texts.join("");
  };
}

function typingOf(update: ConversationUpdate, author: "visitor" | "operator"): object {
  const isTyping = update[`${author}_typing`];
  const name = author === "operator" ? update.operator_typing_name : null;
  return { is_typing: isTyping, ...(isTyping && name !== null && { name }) };
}
