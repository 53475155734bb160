import { makeElement } from "../shared/page.ts";
import type { ConversationView } from "./conversation.ts";
import type { Message } from "./schemas.ts";
import type { Texts } from "./texts.ts";

export interface PersonButton {
  element: HTMLElement;
  /** Returns whether the keyboard focus is still where it was: false when the button had it and is hidden now. */
  show(view: Pick<ConversationView, "messages" | "isClosed">): boolean;
}

export interface PersonButtonOptions {
  texts: Texts;
  /** Undefined where no machine replies. */
  onRequestPerson: (() => Promise<void>) | undefined;
}

/** Makes the button that asks for a person. It is there until a person is asked for, or has replied. */
export function createPersonButton({ texts, onRequestPerson }: PersonButtonOptions): PersonButton {
  const button = makeElement("button", { type: "button", class: "person" }, texts("talk_to_person"));
  const problem = makeElement("p", { role: "alert" });
  const element = makeElement("div", { class: "ask", hidden: true }, problem, button);
  let isAsking = false;

  async function ask(): Promise<void> {
    if (isAsking || !onRequestPerson) return;
    setAsking(true);
    problem.textContent = "";
    try {
      await onRequestPerson();
    } catch {
      problem.textContent = texts("not_sent");
      setAsking(false);
    }
  }

  function setAsking(value: boolean): void {
    isAsking = value;
    // Not `disabled`: that would remove the focus from the button.
    button.setAttribute("aria-disabled", String(value));
  }

  button.addEventListener("click", ask);
  return {
    element,
    show({ messages, isClosed }) {
      const hadFocus = element.contains(document.activeElement);
      const isWanted = onRequestPerson !== undefined && !isClosed && !messages.some(isPersonal);
      if (isWanted && element.hidden) setAsking(false);
      element.hidden = !isWanted;
      return isWanted || !hadFocus;
    },
  };
}

/** A person takes care of the conversation from this message on. */
function isPersonal({ author, sender, notice }: Message): boolean {
  return notice === "person_requested" || author === "operator" && !sender?.is_machine;
}
