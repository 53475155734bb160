import { EMOJI } from "../../shared/emoji.ts";
import { drawIcon, makeElement, SMILE_ICON } from "../../shared/page.ts";
import type { Texts } from "../texts.ts";

/** Makes the button that opens emoji to choose from. They are made when it is first pressed. */
export function createEmojiPicker(texts: Texts, onChoose: (emoji: string) => void): HTMLElement {
  const button = makeElement(
    "button",
    {
      type: "button",
      class: "tool",
      "aria-label": texts("emoji"),
      title: texts("emoji"),
      "aria-expanded": "false",
    },
    drawIcon(SMILE_ICON),
  );
  const choices = makeElement("div", {
    class: "emoji",
    role: "group",
    "aria-label": texts("emoji"),
    hidden: true,
  });
  const element = makeElement("div", { class: "emoji-box" }, button, choices);

  function toggle(isOpen: boolean): void {
    choices.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen && choices.childElementCount === 0) choices.append(...EMOJI.map(makeChoice));
    if (isOpen) choices.querySelector("button")!.focus();
  }

  function makeChoice(emoji: string): HTMLElement {
    const choice = makeElement("button", { type: "button" }, emoji);
    choice.addEventListener("click", () => {
      toggle(false);
      onChoose(emoji);
    });
    return choice;
  }

  button.addEventListener("click", () => toggle(choices.hidden !== false));
  choices.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const all = [...choices.children] as HTMLElement[];
    const to = all.indexOf(document.activeElement as HTMLElement) + step * (isRightToLeft() ? -1 : 1);
    all[Math.max(0, Math.min(all.length - 1, to))]!.focus();
  });
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || choices.hidden) return;
    // Otherwise it would close the chat.
    event.stopPropagation();
    toggle(false);
    button.focus();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (!choices.hidden && !element.contains(target as Node)) toggle(false);
  });
  return element;
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

function isRightToLeft(): boolean {
  return document.documentElement.dir === "rtl";
}
