import { makeElement } from "../shared/page.ts";
import { type AwayOptions, awayState } from "./away_state.ts";
import type { ConversationView } from "./conversation.ts";
import { backText } from "./back_text.ts";
import type { Texts } from "./texts.ts";

export interface AwayNoticeOptions extends AwayOptions {
  texts: Texts;
  language: string;
  /** Rejects when the address was not stored. */
  onEmail: (email: string) => Promise<void>;
}

/** Office hours begin and end, and waits grow, while the chat is open. */
const UPDATE_MS = 10_000;

/** Makes the notice above the text field: when members are back, and the form for an e-mail address. */
export function createAwayNotice(
  options: AwayNoticeOptions,
): { element: HTMLElement; show(view: ConversationView): void } {
  const { texts, language } = options;
  const back = makeElement("p", { role: "status" });
  const saved = makeElement("p", { role: "status" });
  const form = createEmailForm(options, () => saved.textContent = texts("email_saved"));
  const element = makeElement("div", { class: "away", hidden: true }, back, form, saved);
  let shown: ConversationView | undefined;

  function update(): void {
    if (!shown) return;
    const { isAway, backAt, asksEmail } = awayState(options, shown, Date.now());
    const text = isAway && !shown.isClosed ? backText(texts, language, backAt) : "";
    if (back.textContent !== text) back.textContent = text;
    if (!shown.hasEmail) saved.textContent = "";
    form.hidden = !asksEmail;
    element.hidden = !text && !asksEmail && !saved.textContent;
  }

  setInterval(update, UPDATE_MS);
  return {
    element,
    show(view) {
      shown = view;
      update();
    },
  };
}

function createEmailForm({ texts, onEmail }: AwayNoticeOptions, onSaved: () => void): HTMLFormElement {
  const field = makeElement("input", {
    type: "email",
    name: "email",
    required: true,
    maxlength: 254,
    autocomplete: "email",
    placeholder: texts("email_label"),
    "aria-label": texts("email_label"),
    dir: "auto",
  });
  const problem = makeElement("p", { role: "alert", class: "problem", hidden: true }, texts("email_invalid"));
  const save = makeElement("button", { type: "submit" }, texts("email_save"));
  const form = makeElement(
    "form",
    { class: "email", hidden: true, novalidate: true },
    makeElement("p", {}, texts("email_question")),
    makeElement("div", { class: "row" }, field, save),
    problem,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.hidden = field.validity.valid;
    if (!field.validity.valid) return field.focus();
    save.disabled = true;
    try {
      await onEmail(field.value.trim());
      onSaved();
    } catch {
      problem.hidden = false;
    } finally {
      save.disabled = false;
    }
  });
  return form;
}
