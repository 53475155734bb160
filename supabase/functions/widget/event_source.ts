import type { ConversationStatus, ConversationUpdate } from "../_shared/db/widgets/conversations.ts";
import type { ConversationFeed } from "../_shared/widgets/conversation_feed.ts";
import { type EventSource, eventText } from "../_shared/http/app/event_stream.ts";
import type { KnownConversation } from "../_shared/http/guards/require_conversation.ts";

/**
 * The events of a conversation: `message` (with its number as the event's id), `typing` of the other side, and `status`.
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

/** Returns the function that writes updates as events: status and typing only when they change. */
function updateWriter({ author }: KnownConversation): (update: ConversationUpdate) => string {
  let status: ConversationStatus | undefined;
  let isTyping = false;
  const other = author === "visitor" ? "operator" : "visitor";

  return (update) => {
    const texts = update.messages.map((message) => eventText("message", message, message.sequence));
    if (update.status !== status) texts.push(eventText("status", { status: update.status }));
    if (update[`${other}_typing`] !== isTyping) {
      texts.push(eventText("typing", { author: other, is_typing: !isTyping }));
      isTyping = !isTyping;
    }
    status = update.status;
    return texts.join("");
  };
}
