import { drawIcon, makeElement, MORE_ICON } from "../shared/page.ts";

export interface MenuItem {
  label: string;
  onChoose: () => void;
}

/** Makes a button that opens a list of things to do. */
export function createMenu(label: string, items: MenuItem[]): HTMLElement {
  const button = makeElement(
    "button",
    { type: "button", class: "close", "aria-label": label, title: label, "aria-expanded": "false" },
    drawIcon(MORE_ICON),
  );
  const list = makeElement("div", { class: "menu-items", hidden: true }, ...items.map(makeItem));
  const element = makeElement("div", { class: "menu" }, button, list);

  function toggle(isOpen: boolean): void {
    list.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) list.querySelector("button")!.focus();
  }

  function makeItem({ label, onChoose }: MenuItem): HTMLElement {
    const item = makeElement("button", { type: "button" }, label);
    item.addEventListener("click", () => {
      toggle(false);
      button.focus();
      onChoose();
    });
    return item;
  }

  button.addEventListener("click", () => toggle(list.hidden !== false));
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || list.hidden !== false) return;
    // Otherwise it would close the chat.
    event.stopPropagation();
    toggle(false);
    button.focus();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (!list.hidden && !element.contains(target as Node)) toggle(false);
  });
  return element;
}
