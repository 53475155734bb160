import { makeElement } from "../../shared/page.ts";
import type { ConversationView } from "../conversation.ts";
import type { Texts } from "../texts.ts";

export interface QuickReplies {
  element: HTMLElement;
  show(view: Pick<ConversationView, "messages" | "pending" | "isClosed">): void;
}

export interface QuickRepliesOptions {
  texts: Texts;
  /** The widget's own, with the welcome. */
  ofWidget: readonly string[];
  /** `isQuickReply`: it is one of the widget's own. */
  onChoose: (text: string, options: { isQuickReply: boolean }) => void;
}

/**
 * Makes the quick replies below the last message: those that it offers, or the widget's own before there is any. They are
 * gone once a message follows.
 */
export function createQuickReplies({ texts, ofWidget, onChoose }: QuickRepliesOptions): QuickReplies {
  const element = makeElement("div", {
    class: "quick-replies",
    role: "group",
    "aria-label": texts("quick_replies"),
  });
  let shown: readonly string[] = [];
  element.hidden = true;

  return {
    element,
    show({ messages, pending, isClosed }) {
      const isFirst = messages.length === 0;
      const offered = isFirst ? ofWidget : messages.at(-1)!.quick_replies ?? [];
      const replies = pending.length > 0 || isClosed ? [] : offered;
      if (replies === shown || replies.length === 0 && shown.length === 0) return;
      shown = replies;
      element.hidden = replies.length === 0;
      element.replaceChildren(...replies.map((text) => {
        const button = makeElement("button", { type: "button", dir: "auto" }, text);
        button.addEventListener("click", () => onChoose(text, { isQuickReply: isFirst }));
        return button;
      }));
    },
  };
}
