import type { Mode } from "../../sdk/widget/src/page_api.ts";
import { baseOf } from "../shared/language.ts";
import { makeElement, makeIcon } from "../shared/page.ts";

/** The button's built-in labels, by language. */
const OPEN_LABELS: Record<string, Record<Mode, string>> = {
  en: { chat: "Open the chat", voice: "Open the voice assistant" },
  es: { chat: "Abrir el chat", voice: "Abrir el asistente de voz" },
  pt: { chat: "Abrir o chat", voice: "Abrir o assistente de voz" },
  fr: { chat: "Ouvrir la discussion", voice: "Ouvrir l’assistant vocal" },
  de: { chat: "Chat öffnen", voice: "Sprachassistenten öffnen" },
};

/** Returns the built-in label of a button in a language, or in English. */
export function openLabelIn(language: string, mode: Mode): string {
  return (OPEN_LABELS[baseOf(language)] ?? OPEN_LABELS.en!)[mode];
}

export interface Button {
  element: HTMLButtonElement;
  /** Shows whether a press opens or closes. */
  setOpen(isOpen: boolean): void;
  /** Shows the number of messages since the panel was closed. */
  setUnread(count: number): void;
}

export interface ButtonOptions {
  mode: Mode;
  openLabel: string;
  closeLabel: string;
  newMessages: string;
  /** Whether a press closes an open panel. */
  closable: boolean;
  onPress: () => void;
}

/** Makes the round button that opens a widget and, unless visitors may not close it, closes it. */
export function createButton(options: ButtonOptions): Button {
  const { openLabel, closeLabel, closable } = options;
  const icons = { closed: makeIcon(options.mode), open: makeIcon("close") };
  const badge = makeElement("span", { class: "badge", "aria-hidden": "true", hidden: true });
  const element = makeElement("button", { type: "button", class: "button" }, icons.closed, badge);
  let isOpen = false;
  let unread = 0;

  function describe(): void {
    const unreadLabel = unread > 0 ? ` (${options.newMessages}: ${unread})` : "";
    element.setAttribute("aria-label", isOpen && closable ? closeLabel : `${openLabel}${unreadLabel}`);
    element.setAttribute("aria-expanded", String(isOpen));
    badge.hidden = isOpen || unread === 0;
    badge.textContent = String(unread);
  }

  element.addEventListener("click", options.onPress);
  describe();
  return {
    element,
    setOpen(value) {
      isOpen = value;
      element.firstElementChild!.replaceWith(isOpen && closable ? icons.open : icons.closed);
      describe();
    },
    setUnread(count) {
      unread = count;
      describe();
    },
  };
}
