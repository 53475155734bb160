import type { Mode } from "../../sdk/widget/src/page_api.ts";
import { drawIcon, makeElement, makeIcon } from "../shared/page.ts";

/** How the button looks, and its names. */
export interface ButtonLook {
  openLabel: string;
  closeLabel: string;
  newMessages: string;
  /** Shown beside the icon; empty for a round button. */
  text: string;
  /** SVG paths; empty for the icon of the kind of widget. */
  icon: string[];
}

export interface Button {
  element: HTMLButtonElement;
  dress(look: ButtonLook): void;
  /** Shows whether a press opens or closes. */
  setOpen(isOpen: boolean): void;
  /** Shows the number of messages since the panel was closed. */
  setUnread(count: number): void;
}

export interface ButtonOptions {
  mode: Mode;
  /** Whether a press closes an open panel. */
  closable: boolean;
  onPress: () => void;
}

/** Makes the button that opens a widget and, unless visitors may not close it, closes it. It is shown once dressed. */
export function createButton({ mode, closable, onPress }: ButtonOptions): Button {
  const label = makeElement("span", { class: "label" });
  const badge = makeElement("span", { class: "badge", "aria-hidden": "true", hidden: true });
  const element = makeElement("button", { type: "button", class: "button" });
  let look: ButtonLook;
  let isOpen = false;
  let unread = 0;

  function describe(): void {
    const { openLabel, closeLabel, newMessages, text, icon } = look;
    const closes = isOpen && closable;
    const isPill = text !== "" && !isOpen;
    const unreadLabel = unread > 0 ? ` (${newMessages}: ${unread})` : "";
    // Visitors who speak to their device say what is written on the button, so its name begins with that.
    const name = text === "" || openLabel.includes(text) ? openLabel : `${text}: ${openLabel}`;
    element.setAttribute("aria-label", closes ? closeLabel : `${name}${unreadLabel}`);
    element.setAttribute("aria-expanded", String(isOpen));
    element.classList.toggle("pill", isPill);
    label.textContent = text;
    badge.hidden = isOpen || unread === 0;
    badge.textContent = String(unread);
    const drawing = closes ? makeIcon("close") : icon.length > 0 ? drawIcon(icon) : makeIcon(mode);
    element.replaceChildren(drawing, ...(isPill ? [label] : []), badge);
  }

  element.addEventListener("click", onPress);
  return {
    element,
    dress(value) {
      look = value;
      describe();
    },
    setOpen(value) {
      isOpen = value;
      describe();
    },
    setUnread(count) {
      unread = count;
      describe();
    },
  };
}
