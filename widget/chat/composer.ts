import { drawIcon, makeElement, SEND_ICON } from "../shared/page.ts";
import { createEmojiPicker } from "./composing/emoji_picker.ts";
import { createFileChooser } from "./composing/file_chooser.ts";
import type { Texts } from "./texts.ts";

export interface Composer {
  element: HTMLElement;
  focus(): void;
}

export interface ComposerOptions {
  texts: Texts;
  features: { files?: boolean | undefined; emoji?: boolean | undefined };
  onFile: (file: File) => void;
  onSend: (text: string) => void;
  /** Called for every change of the text, with whether there is any. */
  onTyping: (isTyping: boolean) => void;
}

/** The API's limit. */
const MAX_LENGTH = 4000;

/** Makes the text field. Enter sends, Shift+Enter adds a line; while an input method composes a word, Enter ends that. */
export function createComposer({ texts, features, onSend, onFile, onTyping }: ComposerOptions): Composer {
  const field = makeElement("textarea", {
    rows: 1,
    maxlength: MAX_LENGTH,
    placeholder: texts("placeholder"),
    "aria-label": texts("placeholder"),
    enterkeyhint: "send",
    autocomplete: "off",
    dir: "auto",
  });
  const button = makeElement(
    "button",
    { type: "submit", class: "send", "aria-label": texts("send") },
    drawIcon(SEND_ICON),
  );
  const form = makeElement("form", { class: "composer" }, field, button);
  if (features.emoji) form.prepend(createEmojiPicker(texts, (emoji) => insert(emoji)));
  if (features.files) form.prepend(...createFileChooser(texts, onFile));

  function update(): void {
    // Not `disabled`: that would remove the focus from the button.
    button.setAttribute("aria-disabled", String(field.value.trim() === ""));
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight}px`;
  }

  function insert(text: string): void {
    field.focus();
    field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
    field.dispatchEvent(new Event("input"));
  }

  function send(): void {
    const text = field.value.trim();
    if (text === "") return field.focus();
    field.value = "";
    update();
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
  field.addEventListener("paste", (event) => {
    const files = [...event.clipboardData?.files ?? []];
    if (!features.files || files.length === 0) return;
    event.preventDefault();
    files.forEach(onFile);
  });
  field.addEventListener("input", () => {
    update();
    onTyping(field.value.trim() !== "");
  });
  update();
  return { element: form, focus: () => field.focus() };
}

/** The server shows typing for eight seconds. */
const RESEND_MS = 4000;

/**
 * Throttles the typing reports of every key: one when the visitor starts to write, one every four seconds, and one when
 * the field is empty again.
 */
export function throttleTyping(send: (isTyping: boolean) => void): (isTyping: boolean) => void {
  let sentAt = 0;
  return (isTyping) => {
    const hasExpired = Date.now() - sentAt > RESEND_MS;
    if (isTyping && hasExpired) {
      sentAt = Date.now();
      send(true);
    }
    if (!isTyping && !hasExpired) send(false);
    if (!isTyping) sentAt = 0;
  };
}
