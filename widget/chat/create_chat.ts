import { makeElement, makeIcon, makeLogo } from "../shared/page.ts";
import { createComposer } from "./composer.ts";
import type { ConversationView } from "./conversation.ts";
import { createMessageList } from "./messages/message_list.ts";
import { createStatusLine } from "./status_line.ts";
import type { Texts } from "./texts.ts";

export interface ChatOptions {
  texts: Texts;
  language: string;
  /** The picture in the header, as the configuration has it. */
  logo: unknown;
  /** Whether there is a button to close it. */
  showClose: boolean;
  onSend: (text: string) => void;
  onTyping: (isTyping: boolean) => void;
  onRetry: (id: string) => void;
  onStartAnew: () => void;
  onClose: () => void;
}

export interface Chat {
  element: HTMLElement;
  show(view: ConversationView): void;
  /** Moves the keyboard focus to the next thing to do. */
  focus(): void;
}

/** Makes the whole interface: title, messages, status line and text field. */
export function createChat(options: ChatOptions): Chat {
  const { texts, onRetry, onStartAnew } = options;
  const title = makeElement("h1", { tabindex: -1 }, texts("title"));
  const list = createMessageList({ texts, language: options.language, onRetry });
  const status = createStatusLine(texts);
  const composer = createComposer(options);
  const anew = makeElement("button", { type: "button", class: "anew" }, texts("new_conversation"));
  const ended = makeElement("div", { class: "ended", hidden: true }, anew);
  anew.addEventListener("click", () => {
    onStartAnew();
    composer.focus();
  });
  const element = makeElement(
    "main",
    { class: "chat" },
    makeHeader(title, options),
    list.element,
    status.element,
    composer.element,
    ended,
  );

  return {
    element,
    show(view) {
      list.show(view);
      status.show(view);
      const hadFocus = composer.element.contains(document.activeElement);
      composer.element.hidden = view.isClosed;
      ended.hidden = !view.isClosed;
      if (view.isClosed && hadFocus) anew.focus();
    },
    focus() {
      // On a touch screen, focusing the text field would open a keyboard over half of the chat.
      if (matchMedia("(pointer: coarse)").matches) title.focus();
      else if (composer.element.hidden) anew.focus();
      else composer.focus();
    },
  };
}

function makeHeader(title: HTMLElement, { texts, logo, showClose, onClose }: ChatOptions): HTMLElement {
  const titles = makeElement("div", {}, title);
  if (texts("subtitle")) titles.append(makeElement("p", {}, texts("subtitle")));
  const picture = makeLogo(logo);
  const header = makeElement("header", {}, ...(picture ? [picture] : []), titles);
  if (!showClose) return header;
  const close = makeElement("button", { type: "button", class: "close", "aria-label": texts("close_label") });
  close.append(makeIcon("close"));
  close.addEventListener("click", onClose);
  header.append(close);
  return header;
}
