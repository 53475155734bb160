import type { ConversationNews, ConversationStatus } from "../_shared/db/conversations.ts";
import type { ConversationFeed } from "../_shared/widgets/conversation_feed.ts";
import type { KnownConversation } from "../_shared/http/require_conversation.ts";

export interface StreamOptions {
  /** The number of the last message the reader has. */
  after: number;
  /** How long the stream lasts, in milliseconds. */
  lastsMs: number;
}

/** Keeps proxies from taking a silent stream for a dead one. */
const HEARTBEAT_MS = 15_000;

/** What the reader's browser waits before it comes back, in milliseconds. */
const RETRY_MS = 1000;

/** A reader that takes nothing while this many events wait for it is gone, whatever its connection says. */
const MOST_WAITING = 500;

/**
 * The events of a conversation as a `text/event-stream` body: `message` (with its number as the event's id), `typing`
 * of the other side, and `status`. It starts with the messages the reader does not have, and ends by itself: hosted
 * functions may not run for ever, and the reader comes back with the last number it saw.
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
      const tell = teller(conversation, write);
      const follower = {
        companyId: conversation.companyId,
        conversationId: conversation.conversationId,
        after,
        tell(news: ConversationNews) {
          if ((controller.desiredSize ?? 0) < -MOST_WAITING) return end();
          tell(news);
          follower.after = news.messages.at(-1)?.sequence ?? follower.after;
        },
        end,
      };
      write(`retry: ${RETRY_MS}\n\n`);
      const heartbeat = setInterval(() => write(": still here\n\n"), HEARTBEAT_MS);
      const lifetime = setTimeout(end, lastsMs);
      stops.push(() => clearInterval(heartbeat), () => clearTimeout(lifetime), feed.follow(follower));
    },
    cancel: stop,
  });
}

/** Writes what is new; status and typing only when they change. */
function teller(
  { author }: KnownConversation,
  write: (text: string) => void,
): (news: ConversationNews) => void {
  let status: ConversationStatus | undefined;
  let isTyping = false;
  const other = author === "visitor" ? "operator" : "visitor";

  return (news) => {
    for (const message of news.messages) write(event("message", message, message.sequence));
    if (news.status !== status) write(event("status", { status: news.status }));
    if (news[`${other}_typing`] !== isTyping) {
      write(event("typing", { author: other, is_typing: !isTyping }));
      isTyping = !isTyping;
    }
    status = news.status;
  };
}

/** JSON holds no line break, so one data line is always enough. */
function event(name: string, data: unknown, id?: number): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
