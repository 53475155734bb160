import type { ConversationStatus, ConversationUpdate } from "../_shared/db/widgets/conversations.ts";
import type { ConversationFeed } from "../_shared/widgets/conversation_feed.ts";
import type { KnownConversation } from "../_shared/http/guards/require_conversation.ts";

export interface StreamOptions {
  /** The number of the last message the reader has. */
  after: number;
  /** The stream's duration, in milliseconds. */
  lastsMs: number;
}

/** Keeps proxies from closing a silent stream. */
const HEARTBEAT_MS = 15_000;

/** The reader's delay before it reconnects. */
const RETRY_MS = 1000;

/** With more unread events than this, the reader counts as gone, even if its connection is open. */
const MAX_UNREAD_EVENTS = 500;

/**
 * Returns the events of a conversation as a `text/event-stream` body: `message` (with its number as the event's id),
 * `typing` of the other side, and `status`. It starts with the messages that the reader lacks. It ends by itself, because
 * hosted functions have a maximum duration; the reader reconnects with the last number it has.
 */
export function conversationStream(
  feed: ConversationFeed,
  conversation: KnownConversation,
  { after, lastsMs }: StreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const stops: (() => void)[] = [];
  const stop = () => stops.splice(0).forEach((each) => each());

  return new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string) => controller.enqueue(encoder.encode(text));
      const end = () => {
        if (stops.length === 0) return;
        stop();
        controller.close();
      };
      const writeUpdate = updateWriter(conversation, write);
      const follower = {
        companyId: conversation.companyId,
        conversationId: conversation.conversationId,
        after,
        receive(update: ConversationUpdate) {
          if ((controller.desiredSize ?? 0) < -MAX_UNREAD_EVENTS) return end();
          writeUpdate(update);
          follower.after = update.messages.at(-1)?.sequence ?? follower.after;
        },
        end,
      };
      write(`retry: ${RETRY_MS}\n\n`);
      const heartbeat = setInterval(() => write(": heartbeat\n\n"), HEARTBEAT_MS);
      const lifetime = setTimeout(end, lastsMs);
      stops.push(() => clearInterval(heartbeat), () => clearTimeout(lifetime), feed.follow(follower));
    },
    cancel: stop,
  });
}

/** Returns the function that writes updates. It writes status and typing only when they change. */
function updateWriter(
  { author }: KnownConversation,
  write: (text: string) => void,
): (update: ConversationUpdate) => void {
  let status: ConversationStatus | undefined;
  let isTyping = false;
  const other = author === "visitor" ? "operator" : "visitor";

  return (update) => {
    for (const message of update.messages) write(event("message", message, message.sequence));
    if (update.status !== status) write(event("status", { status: update.status }));
    if (update[`${other}_typing`] !== isTyping) {
      write(event("typing", { author: other, is_typing: !isTyping }));
      isTyping = !isTyping;
    }
    status = update.status;
  };
}

/** Formats an event. JSON contains no line break, so one data line is enough. */
function event(name: string, data: unknown, id?: number): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
