import { makeElement } from "../shared/make_element.ts";
import { makeIcon } from "../shared/make_icon.ts";
import type { Texts } from "./texts.ts";

export interface Composer {
  element: HTMLElement;
  focus(): void;
}

export interface ComposerOptions {
  texts: Texts;
  onSend: (text: string) => void;
  /** Called with every key while there is something written, and when there is not any more. */
  onTyping: (isTyping: boolean) => void;
}

/** What the API takes. */
const LONGEST = 4000;

/** Where the visitor writes. Enter sends, Shift+Enter begins a line; while a word is being composed, Enter ends that. */
export function createComposer({ texts, onSend, onTyping }: ComposerOptions): Composer {
  const field = makeElement("textarea", {
    rows: 1,
    maxlength: LONGEST,
    placeholder: texts("placeholder"),
    "aria-label": texts("placeholder"),
    enterkeyhint: "send",
    autocomplete: "off",
    dir: "auto",
  });
  const button = makeElement(
    "button",
    { type: "submit", class: "send", "aria-label": texts("send") },
    makeIcon("send"),
  );
  const form = makeElement("form", { class: "composer" }, field, button);

  function describe(): void {
    // Not `disabled`: that would take the focus away from whoever has it there.
    button.setAttribute("aria-disabled", String(field.value.trim() === ""));
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight + 2}px`;
  }

  function send(): void {
    const text = field.value.trim();
    if (text === "") return field.focus();
    field.value = "";
    describe();
    onTyping(false);
    onSend(text);
    field.focus();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  });
  field.addEventListener("input", () => {
    describe();
    onTyping(field.value.trim() !== "");
  });
  describe();
  return { element: form, focus: () => field.focus() };
}
