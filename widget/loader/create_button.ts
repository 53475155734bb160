import { makeElement } from "../shared/make_element.ts";
import { makeIcon } from "../shared/make_icon.ts";
import type { Mode } from "./attributes.ts";

export interface Button {
  element: HTMLButtonElement;
  /** Shows what a press does now. */
  setOpen(isOpen: boolean): void;
  /** Shows how many messages came while the panel was closed. */
  setUnread(count: number): void;
}

export interface ButtonOptions {
  mode: Mode;
  openLabel: string;
  closeLabel: string;
  newMessages: string;
  /** Whether a press closes what is open. */
  closable: boolean;
  onPress: () => void;
}

/** The round button that opens a widget and, where it may be closed, closes it. */
export function createButton(options: ButtonOptions): Button {
  const { openLabel, closeLabel, closable } = options;
  const icons = { closed: makeIcon(options.mode), open: makeIcon("close") };
  const badge = makeElement("span", { class: "badge", "aria-hidden": "true", hidden: true });
  const element = makeElement("button", { type: "button", class: "button" }, icons.closed, badge);
  let isOpen = false;
  let unread = 0;

  function describe(): void {
    const news = unread > 0 ? ` (${options.newMessages}: ${unread})` : "";
    element.setAttribute("aria-label", isOpen && closable ? closeLabel : `${openLabel}${news}`);
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
