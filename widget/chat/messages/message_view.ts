import { makeElement } from "../../shared/page.ts";
import type { Pending } from "../stored.ts";
import type { ChatFile, Message } from "../schemas.ts";
import { createCardView } from "./card_view.ts";
import { createFileView, type LinkFile } from "./file_view.ts";
import { showMachine } from "./machine_parts.ts";
import { makeSenderLine } from "./sender_line.ts";
import { splitLinks } from "./split_links.ts";
import type { Texts } from "../texts.ts";

/** A message in the list, stored or pending. */
export interface MessageView {
  element: HTMLLIElement;
  /** Shows a message as stored; the same one again changes nothing. */
  showStored(message: Message): void;
  showPending(pending: Pending): void;
  /** Whether the other side has seen it, and whether it follows one of the same writer. */
  showRow(row: { isSeen: boolean; isContinued: boolean }): void;
}

export interface MessageViewOptions {
  author: Message["author"];
  text: string;
  file?: ChatFile | undefined;
  sender?: Message["sender"];
  texts: Texts;
  language: string;
  onRetry: () => void;
  linkFile: LinkFile;
}

/** Makes a message's element. Its text has its own direction, independent of the widget's. */
export function createMessageView(options: MessageViewOptions): MessageView {
  const { author, text, file, sender, texts, language, onRetry, linkFile } = options;
  const operator = sender?.name ?? texts("operator");
  const who = author === "visitor" ? texts("you") : author === "operator" ? operator : "";
  const body = makeElement("p", { dir: "auto" }, ...splitLinks(text).map(makePiece));
  const meta = makeElement("div", { class: "meta" });
  const seen = makeElement("span", { class: "seen" }, texts("seen"));
  const bubble = makeElement("div", { class: "bubble" });
  const fileView = file && createFileView({ file, texts, language, linkFile });
  if (who) bubble.append(makeElement("span", { class: "unseen" }, `${who}: `));
  if (fileView) bubble.append(fileView.element);
  // Without a caption, the text is the name of the file.
  if (text !== file?.file_name) bubble.append(body);
  const element = makeElement(
    "li",
    { class: author },
    // A machine's name is within its message.
    ...(sender && !sender.is_machine ? [makeSenderLine(sender)] : []),
    bubble,
    meta,
  );
  let shown: Message | undefined;

  return {
    element,
    showStored(message) {
      if (message === shown) return;
      shown = message;
      element.classList.remove("pending", "refused");
      const { created_at, card, sequence } = message;
      meta.replaceChildren(makeElement("time", { datetime: created_at }, timeOf(created_at, language)));
      fileView?.open(sequence);
      showMachine(bubble, message, texts);
      if (!card) return;
      bubble.append(createCardView(card, sequence, linkFile));
      if (text === card.title) body.remove();
    },
    showPending({ isRefused, reason }) {
      element.classList.toggle("pending", !isRefused);
      element.classList.toggle("refused", isRefused === true);
      if (!isRefused) return meta.replaceChildren(makeElement("span", { class: "late" }, texts("sending")));
      const retry = makeElement("button", { type: "button", class: "link" }, texts("not_sent"));
      retry.addEventListener("click", onRetry);
      meta.replaceChildren(
        ...(reason ? [makeElement("span", { role: "alert" }, `${texts(reason)} `)] : []),
        retry,
      );
    },
    showRow({ isSeen, isContinued }) {
      element.classList.toggle("continued", isContinued);
      if (isSeen === meta.contains(seen)) return;
      if (isSeen) meta.append(seen);
      else seen.remove();
    },
  };
}

function makePiece({ text, isLink }: { text: string; isLink: boolean }): Node {
  if (!isLink) return document.createTextNode(text);
  return makeElement("a", { href: text, target: "_blank", rel: "noopener noreferrer nofollow" }, text);
}

/** Formats the time of a message, with the day unless it is today. */
function timeOf(instant: string, language: string): string {
  const date = new Date(instant);
  const isToday = date.toDateString() === new Date().toDateString();
  const day = isToday ? {} : { day: "numeric", month: "short" } as const;
  return new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit", ...day }).format(date);
}
