import { makeElement } from "../../shared/page.ts";
import type { ConversationView } from "../conversation.ts";
import { lastIndexWhere } from "./message_log.ts";
import { createMessageView, type MessageView } from "./message_view.ts";
import type { Pending } from "../stored.ts";
import type { Message } from "../schemas.ts";
import type { Texts } from "../texts.ts";

export interface MessageList {
  /** The scrolling list, and the button that scrolls down. */
  element: HTMLElement;
  show(view: Pick<ConversationView, "messages" | "pending" | "operatorRead">): void;
  /** Scrolls to the newest message. */
  scrollDown(): void;
}

export interface MessageListOptions {
  texts: Texts;
  language: string;
  onRetry: (id: string) => void;
}

/** A visitor this close to the end is reading the newest messages, in pixels. */
const NEAR_PX = 80;

/**
 * Makes the list of messages, oldest first, after the welcome. It is a live region: screen readers read out what is
 * added. A message keeps its element from writing to confirmation, so that it is read out once.
 */
export function createMessageList({ texts, language, onRetry }: MessageListOptions): MessageList {
  const list = makeElement("ol", { role: "list" });
  const scroller = makeElement("div", {
    class: "log",
    role: "log",
    "aria-label": texts("messages_label"),
    "aria-relevant": "additions",
    tabindex: 0,
  }, list);
  const below = makeElement(
    "button",
    { type: "button", class: "below", hidden: true },
    texts("new_messages"),
  );
  const views = new Map<string, MessageView>();

  const isNearEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_PX;

  function viewOf(key: string, message: Pick<Message, "author" | "text" | "sender">): MessageView {
    const existing = views.get(key);
    if (existing) return existing;
    const view = createMessageView({ ...message, texts, language, onRetry: () => onRetry(key) });
    views.set(key, view);
    return view;
  }

  function storedView(message: Message): MessageView {
    const view = viewOf(message.client_message_id ?? message.id, message);
    view.showStored(message);
    return view;
  }

  function pendingView(pending: Pending): MessageView {
    const view = viewOf(pending.id, { author: "visitor", text: pending.text });
    view.showPending(pending);
    return view;
  }

  /** Puts the elements in this order and moves only misplaced ones. Returns how many it moved or added. */
  function arrange(elements: HTMLElement[]): number {
    const wanted = new Set<Element>(elements);
    for (const child of [...list.children]) if (!wanted.has(child)) child.remove();
    let added = 0;
    for (const [index, element] of elements.entries()) {
      const current = list.children[index];
      if (current === element) continue;
      list.insertBefore(element, current ?? null);
      added++;
    }
    return added;
  }

  function scrollDown(): void {
    scroller.scrollTop = scroller.scrollHeight;
    below.hidden = true;
  }

  const welcome = createMessageView({
    author: "system",
    text: texts("welcome"),
    texts,
    language,
    onRetry: () => {},
  }).element;
  below.addEventListener("click", scrollDown);
  scroller.addEventListener("scroll", () => isNearEnd() && (below.hidden = true), { passive: true });
  new ResizeObserver(() => below.hidden && scrollDown()).observe(scroller);

  return {
    element: makeElement("div", { class: "messages" }, scroller, below),
    show({ messages, pending, operatorRead }) {
      const follows = isNearEnd();
      const shown = [...messages.map(storedView), ...pending.map(pendingView)];
      const lastSeen = lastIndexWhere(
        messages,
        ({ author, sequence }) => author === "visitor" && sequence <= operatorRead,
      );
      messages.forEach((message, index) => {
        const row = {
          isSeen: index === lastSeen,
          isContinued: hasSameWriter(messages[index - 1], message),
        };
        shown[index]!.showRow(row);
      });
      const elements = [...(texts("welcome") ? [welcome] : []), ...shown.map(({ element }) => element)];
      if (arrange(elements) === 0) return;
      if (follows || pending.length > 0) scrollDown();
      else below.hidden = false;
    },
    scrollDown,
  };
}

function hasSameWriter(one: Message | undefined, other: Message): boolean {
  return one?.author === other.author && one.sender?.name === other.sender?.name &&
    one.sender?.avatar_url === other.sender?.avatar_url;
}
