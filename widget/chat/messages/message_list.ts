import { makeElement } from "../../shared/page.ts";
import type { ConversationView } from "../conversation.ts";
import { createDays } from "./days.ts";
import type { LinkFile } from "./file_view.ts";
import { hasEarlier, lastIndexWhere } from "./message_log.ts";
import { createMessageView, type MessageView, type MessageViewOptions } from "./message_view.ts";
import { createQuickReplies, type QuickRepliesOptions } from "./quick_replies.ts";
import type { Pending } from "../stored.ts";
import type { Message } from "../schemas.ts";
import type { Texts } from "../texts.ts";

export interface MessageList {
  /** The scrolling list, and the button that scrolls down. */
  element: HTMLElement;
  show(view: Pick<ConversationView, "messages" | "pending" | "operatorRead" | "isClosed">): void;
  /** Scrolls to the newest message. */
  scrollDown(): void;
}

export interface MessageListOptions {
  texts: Texts;
  language: string;
  /** The widget's own quick replies. */
  quickReplies: readonly string[];
  onRetry: (id: string) => void;
  onQuickReply: QuickRepliesOptions["onChoose"];
  /** Loads messages before the first one. */
  onEarlier: () => Promise<void>;
  linkFile: LinkFile;
}

/** A visitor this close to the end is reading the newest messages, in pixels. */
const NEAR_PX = 80;
/** A visitor this close to the beginning is about to read what is before it. */
const EARLIER_PX = 400;
/** So many messages at the end are always laid out; of those before, the ones in view. */
const ALWAYS_LAID_OUT = 40;

/**
 * Makes the list of messages, oldest first, after the welcome. It is a live region: screen readers read out what is
 * added. A message keeps its element from writing to confirmation, so that it is read out once. Earlier messages are loaded
 * when the visitor scrolls up; the browser lays out those in view only.
 */
export function createMessageList(options: MessageListOptions): MessageList {
  const { texts, language, onRetry, onEarlier, linkFile } = options;
  const list = makeElement("ol", { role: "list" });
  const earlier = makeElement("button", { type: "button", class: "earlier", hidden: true }, texts("earlier"));
  const quickReplies = createQuickReplies({
    texts,
    ofWidget: options.quickReplies,
    onChoose: options.onQuickReply,
  });
  const scroller = makeElement(
    "div",
    {
      class: "log",
      role: "log",
      "aria-label": texts("messages_label"),
      "aria-relevant": "additions",
      tabindex: 0,
    },
    earlier,
    list,
    quickReplies.element,
  );
  const below = makeElement(
    "button",
    { type: "button", class: "below", hidden: true },
    texts("new_messages"),
  );
  const views = new Map<string, MessageView>();
  const dayBetween = createDays(language);
  let shown: readonly Element[] = [];
  let first: Message | undefined;
  /** Whether the visitor was at the end when something last moved it. */
  let isFollowing = true;

  const isNearEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_PX;

  function viewOf(
    key: string,
    message: Pick<MessageViewOptions, "author" | "text" | "file" | "sender">,
  ): MessageView {
    const existing = views.get(key);
    if (existing) return existing;
    const view = createMessageView({ ...message, texts, language, linkFile, onRetry: () => onRetry(key) });
    views.set(key, view);
    return view;
  }

  function storedView(message: Message): MessageView {
    const view = viewOf(message.client_message_id ?? message.id, message);
    view.showStored(message);
    return view;
  }

  function pendingView(pending: Pending): MessageView {
    const { text, file: { type: content_type, size: bytes } = {} } = pending;
    const file = content_type === undefined ? undefined : { file_name: text, content_type, bytes: bytes! };
    const view = viewOf(pending.id, { author: "visitor", text, file });
    view.showPending(pending);
    return view;
  }

  /** Puts the elements in this order and moves only misplaced ones. Returns how many it moved or added. */
  function arrange(elements: readonly Element[]): number {
    let same = 0;
    while (same < shown.length && shown[same] === elements[same]) same++;
    const wanted = new Set(elements.slice(same));
    for (const gone of shown.slice(same)) if (!wanted.has(gone)) gone.remove();
    let next = same === 0 ? list.firstElementChild : elements[same - 1]!.nextElementSibling;
    let added = 0;
    for (const element of elements.slice(same)) {
      if (element === next) {
        next = next.nextElementSibling;
        continue;
      }
      list.insertBefore(element, next);
      added++;
    }
    // Once skipped, an element stays so: it is laid out when it comes into view.
    const until = elements.length - ALWAYS_LAID_OUT;
    for (const element of elements.slice(Math.max(0, Math.min(same, until) - 1), Math.max(0, until))) {
      element.classList.add("skipped");
    }
    shown = elements;
    return added;
  }

  /** Keeps what is in view where it is, and silent, while messages are put before it. */
  function arrangeAbove(elements: readonly Element[]): void {
    const anchor = [...list.children].find((each) => each.getBoundingClientRect().bottom > 0);
    const before = anchor?.getBoundingClientRect().top ?? 0;
    scroller.setAttribute("aria-live", "off");
    arrange(elements);
    scroller.scrollTop += (anchor?.getBoundingClientRect().top ?? 0) - before;
    setTimeout(() => scroller.removeAttribute("aria-live"), 1000);
  }

  function scrollDown(): void {
    scroller.scrollTop = scroller.scrollHeight;
    below.hidden = true;
  }

  function readEarlier(): void {
    if (!earlier.hidden) void onEarlier().catch(() => {});
  }

  const welcome = createMessageView({
    author: "system",
    text: texts("welcome"),
    texts,
    language,
    linkFile,
    onRetry: () => {},
  }).element;
  below.addEventListener("click", scrollDown);
  earlier.addEventListener("click", readEarlier);
  scroller.addEventListener("scroll", () => {
    isFollowing = isNearEnd();
    if (isFollowing) below.hidden = true;
    if (scroller.scrollTop < EARLIER_PX) readEarlier();
  }, { passive: true });
  new ResizeObserver(() => below.hidden && scrollDown()).observe(scroller);
  // An image that is loaded moves the end.
  list.addEventListener("load", () => isFollowing && scrollDown(), { capture: true });

  return {
    element: makeElement("div", { class: "messages" }, scroller, below),
    show(view) {
      const { messages, pending, operatorRead } = view;
      const follows = isNearEnd();
      earlier.hidden = !hasEarlier(messages);
      const isAbove = first !== undefined && first !== messages[0] && messages.includes(first);
      first = messages[0];
      const lastSeen = lastIndexWhere(
        messages,
        ({ author, sequence }) => author === "visitor" && sequence <= operatorRead,
      );
      const elements: Element[] = earlier.hidden && texts("welcome") ? [welcome] : [];
      for (const [index, message] of messages.entries()) {
        const day = dayBetween(messages[index - 1], message);
        if (day) elements.push(day);
        const shown = storedView(message);
        shown.showRow({
          isSeen: index === lastSeen,
          isContinued: !day && continues(messages[index - 1], message),
        });
        elements.push(shown.element);
      }
      for (const each of pending) elements.push(pendingView(each).element);
      if (isAbove) return arrangeAbove(elements);
      quickReplies.show(view);
      const added = arrange(elements);
      if (added === 0) return;
      if (follows || pending.length > 0) scrollDown();
      else below.hidden = false;
    },
    scrollDown,
  };
}

/** Messages of one writer that follow within this time stand together. */
const TOGETHER_MS = 5 * 60_000;

function continues(one: Message | undefined, other: Message): boolean {
  return one?.author === other.author && one.sender?.name === other.sender?.name &&
    one.sender?.avatar_url === other.sender?.avatar_url &&
    Date.parse(other.created_at) - Date.parse(one.created_at) < TOGETHER_MS;
}
