import { createFeedbackForm } from "../shared/feedback_form.ts";
import { makeElement } from "../shared/page.ts";
import type { ConversationView } from "./conversation.ts";
import type { Texts } from "./texts.ts";

export interface EndedPanelOptions {
  texts: Texts;
  /** Whether the visitor is asked to rate the conversation. */
  asksRating: boolean;
  /** Rejects when the rating was not stored. */
  onRate: (rating: { rating: number; comment: string }) => Promise<void>;
  onStartAnew: () => void;
}

/** Makes what takes the place of the text field after the end: the rating, and the button for a new conversation. */
export function createEndedPanel(
  { texts, asksRating, onRate, onStartAnew }: EndedPanelOptions,
): { element: HTMLElement; show(view: ConversationView): void; focus(): void } {
  const thanks = makeElement("p", { role: "status" });
  const anew = makeElement("button", { type: "button", class: "anew" }, texts("new_conversation"));
  const element = makeElement("div", { class: "ended", hidden: true }, thanks, anew);
  let form: HTMLFormElement | undefined;
  let ratedId: string | undefined;
  anew.addEventListener("click", onStartAnew);

  /** Each conversation has a form of its own: another one may have been rated before. */
  function makeForm({ rating }: ConversationView): HTMLFormElement {
    const made = createFeedbackForm({
      texts: {
        question: texts("rating_question"),
        comment: texts("rating_comment"),
        send: texts("send"),
        skip: texts("rating_skip"),
        stars: texts("stars"),
        failed: texts("not_sent"),
      },
      onSend: onRate,
      onDone(sent) {
        if (sent) thanks.textContent = texts("rating_thanks");
        made.hidden = true;
        anew.focus();
      },
    });
    const chosen = made.querySelector<HTMLInputElement>(`input[value="${rating}"]`);
    if (chosen) chosen.checked = true;
    return made;
  }

  return {
    element,
    show(view) {
      element.hidden = !view.isClosed;
      if (!view.isClosed || view.conversationId === ratedId) return;
      ratedId = view.conversationId;
      form?.remove();
      thanks.textContent = "";
      form = asksRating && view.messages.length > 0 ? makeForm(view) : undefined;
      if (form) element.prepend(form);
    },
    focus: () => anew.focus(),
  };
}
