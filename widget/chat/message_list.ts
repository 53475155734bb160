import { makeElement } from "../shared/make_element.ts";
import type { ConversationState } from "./conversation.ts";
import { createMessageView, type MessageView } from "./message_view.ts";
import type { Pending } from "./outbox.ts";
import type { Message } from "./schemas.ts";
import type { Texts } from "./texts.ts";

export interface MessageList {
  /** The part that scrolls, and its button to what is below. */
  element: HTMLElement;
  show(state: Pick<ConversationState, "messages" | "pending">): void;
  /** Goes to the newest message. */
  scrollDown(): void;
}

export interface MessageListOptions {
  texts: Texts;
  language: string;
  onRetry: (id: string) => void;
}

/** How far from the end one still counts as reading the newest, in pixels. */
const NEAR_PX = 80;

/**
 * The messages, oldest first, under the welcome. A live region: screen readers say what is added. A message stays the
 * same element from the moment it is written until it is confirmed, so it is said once.
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

  function viewOf(key: string, author: Message["author"], text: string): MessageView {
    const known = views.get(key);
    if (known) return known;
    const made = createMessageView({ author, text, texts, language, onRetry: () => onRetry(key) });
    views.set(key, made);
    return made;
  }

  function storedView(message: Message): MessageView {
    const view = viewOf(message.client_message_id ?? message.id, message.author, message.text);
    view.showStored(message);
    return view;
  }

  function pendingView(pending: Pending): MessageView {
    const view = viewOf(pending.id, "visitor", pending.text);
    view.showPending(pending);
    return view;
  }

  /** Puts the elements in this order, touching only those that are elsewhere. */
  function arrange(elements: HTMLElement[]): number {
    const wanted = new Set<Element>(elements);
    for (const child of [...list.children]) if (!wanted.has(child)) child.remove();
    let added = 0;
    for (const [index, element] of elements.entries()) {
      const there = list.children[index];
      if (there === element) continue;
      list.insertBefore(element, there ?? null);
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
    show({ messages, pending }) {
      const follows = isNearEnd();
      const shown = [...messages.map(storedView), ...pending.map(pendingView)];
      const elements = [...(texts("welcome") ? [welcome] : []), ...shown.map(({ element }) => element)];
      if (arrange(elements) === 0) return;
      if (follows || pending.length > 0) scrollDown();
      else below.hidden = false;
    },
    scrollDown,
  };
}
