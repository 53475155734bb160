import { makeElement } from "../../shared/page.ts";
import type { Pending } from "../stored.ts";
import type { Message } from "../schemas.ts";
import { showMachine } from "./machine_parts.ts";
import { splitLinks } from "./split_links.ts";
import type { Texts } from "../texts.ts";

/** A message in the list, stored or pending. */
export interface MessageView {
  element: HTMLLIElement;
  showStored(message: Message): void;
  showPending(pending: Pending): void;
}

export interface MessageViewOptions {
  author: Message["author"];
  text: string;
  texts: Texts;
  language: string;
  onRetry: () => void;
}

/** Makes a message's element. Its text has its own direction, independent of the widget's. */
export function createMessageView(
  { author, text, texts, language, onRetry }: MessageViewOptions,
): MessageView {
  const who = author === "visitor" ? texts("you") : author === "operator" ? texts("operator") : "";
  const body = makeElement("p", { dir: "auto" }, ...splitLinks(text).map(makePiece));
  const meta = makeElement("div", { class: "meta" });
  const bubble = makeElement("div", { class: "bubble" }, body);
  if (who) bubble.prepend(makeElement("span", { class: "unseen" }, `${who}: `));
  const element = makeElement("li", { class: author }, bubble, meta);

  return {
    element,
    showStored(message) {
      element.classList.remove("pending", "refused");
      showMachine(bubble, message, texts);
      const time = makeElement(
        "time",
        { datetime: message.created_at },
        timeOf(message.created_at, language),
      );
      meta.replaceChildren(time);
    },
    showPending({ isRefused }) {
      element.classList.toggle("pending", !isRefused);
      element.classList.toggle("refused", isRefused === true);
      if (!isRefused) return meta.replaceChildren(makeElement("span", { class: "late" }, texts("sending")));
      const retry = makeElement("button", { type: "button", class: "link" }, texts("not_sent"));
      retry.addEventListener("click", onRetry);
      meta.replaceChildren(retry);
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
