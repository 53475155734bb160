import { makeElement, makeIcon, makeLogo } from "../shared/page.ts";
import { createAwayNotice } from "./away_notice.ts";
import type { AwayOptions } from "./away_state.ts";
import { type ComposerOptions, createComposer } from "./composer.ts";
import { takeDroppedFiles } from "./composing/file_drop.ts";
import { createConsentNotice } from "./consent_notice.ts";
import type { ConversationView } from "./conversation.ts";
import { createEndedPanel } from "./ended_panel.ts";
import { createMenu } from "./menu.ts";
import type { LinkFile } from "./messages/file_view.ts";
import { createPersonButton } from "./person_button.ts";
import { createMessageList } from "./messages/message_list.ts";
import { createStatusLine } from "./status_line.ts";
import type { Texts } from "./texts.ts";

export interface ChatOptions extends AwayOptions {
  texts: Texts;
  language: string;
  /** The picture in the header, as the configuration has it. */
  logo: unknown;
  /** Whether there is a button to close it. */
  showClose: boolean;
  features: ComposerOptions["features"];
  /** The widget's own quick replies. */
  quickReplies: readonly string[];
  onSend: (text: string, options?: { isQuickReply: boolean }) => void;
  onFile: (file: File) => void;
  /** Loads messages before the first one. */
  onEarlier: () => Promise<void>;
  linkFile: LinkFile;
  /** Saves the conversation as a text. */
  onTranscript: () => void;
  onTyping: (isTyping: boolean) => void;
  onRetry: (id: string) => void;
  onStartAnew: () => void;
  onAcceptConsent: () => void;
  /** Whether the visitor is asked to rate a conversation that ended. */
  asksRating: boolean;
  /** Both reject when nothing was stored. */
  onRate: (rating: { rating: number; comment: string }) => Promise<void>;
  onEmail: (email: string) => Promise<void>;
  /** Asks for a person. Undefined where no machine replies. */
  onRequestPerson: (() => Promise<void>) | undefined;
  onClose: () => void;
}

export interface Chat {
  element: HTMLElement;
  show(view: ConversationView): void;
  /** Moves the keyboard focus to the next thing to do. */
  focus(): void;
}

/** Makes the whole interface: title, messages, status line, notices and text field. */
export function createChat(options: ChatOptions): Chat {
  const { texts, onStartAnew, onAcceptConsent } = options;
  const title = makeElement("h1", { tabindex: -1 }, texts("title"));
  const list = createMessageList({
    ...options,
    onQuickReply(text, quickReply) {
      options.onSend(text, quickReply);
      // Its button is gone.
      focus();
    },
  });
  const status = createStatusLine(texts);
  const composer = createComposer(options);
  const away = createAwayNotice(options);
  const consent = createConsentNotice({ ...options, onAccept: () => goOn(onAcceptConsent) });
  const ended = createEndedPanel({ ...options, onStartAnew: () => goOn(onStartAnew) });
  const notices = makeElement("div", { class: "notices" }, status.element, away.element);
  const person = createPersonButton(options);
  const element = makeElement(
    "main",
    { class: "chat" },
    makeHeader(title, options),
    list.element,
    notices,
    person.element,
    composer.element,
    consent.element,
    ended.element,
  );

  takeDroppedFiles(element, {
    canTake: () => options.features.files === true && !composer.element.hidden,
    onFile: options.onFile,
  });

  function goOn(act: () => void): void {
    act();
    composer.focus();
  }

  function focus(): void {
    // On a touch screen, focusing the text field would open a keyboard over half of the chat.
    if (matchMedia("(pointer: coarse)").matches) title.focus();
    else focusNext();
  }

  function focusNext(): void {
    if (!composer.element.hidden) composer.focus();
    else if (!consent.element.hidden) consent.focus();
    else ended.focus();
  }

  return {
    element,
    show(view) {
      const { messages, pending, isClosed, consent: asked } = view;
      element.classList.toggle("fresh", messages.length + pending.length === 0 && !isClosed);
      element.classList.toggle("closed", isClosed);
      list.show(view);
      status.show(view);
      away.show(view);
      consent.show(isClosed ? undefined : asked);
      ended.show(view);
      if (!person.show(view)) composer.focus();
      const hadFocus = composer.element.contains(document.activeElement);
      composer.element.hidden = isClosed || asked !== undefined;
      if (hadFocus && composer.element.hidden) focusNext();
    },
    focus,
  };
}

function makeHeader(title: HTMLElement, options: ChatOptions): HTMLElement {
  const { texts, logo, showClose, onClose, onTranscript } = options;
  const titles = makeElement("div", {}, title);
  if (texts("subtitle")) titles.append(makeElement("p", {}, texts("subtitle")));
  const picture = makeLogo(logo);
  const menu = createMenu(texts("menu"), [{ label: texts("transcript"), onChoose: onTranscript }]);
  const header = makeElement("header", {}, ...(picture ? [picture] : []), titles, menu);
  if (!showClose) return header;
  const close = makeElement("button", { type: "button", class: "close", "aria-label": texts("close_label") });
  close.append(makeIcon("close"));
  close.addEventListener("click", onClose);
  header.append(close);
  return header;
}
