import { makeElement } from "../shared/page.ts";
import { closeButton } from "./close_button.ts";

export interface Bubble {
  /** On the page from the beginning, so that screen readers read out what is shown in it. */
  element: HTMLElement;
  show(text: string): void;
  hide(): void;
}

export interface BubbleOptions {
  /** The name of the button that dismisses it. */
  closeLabel: () => string;
  onPress: () => void;
}

/** Makes the bubble beside the button for a message of the company's: pressing the text opens the widget. */
export function createBubble({ closeLabel, onPress }: BubbleOptions): Bubble {
  const element = makeElement("div", { class: "bubble", role: "status", hidden: true });
  const hide = () => {
    element.hidden = true;
    element.replaceChildren();
  };
  element.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  return {
    element,
    show(text) {
      const message = makeElement("button", { type: "button", class: "said", dir: "auto" }, text);
      message.addEventListener("click", onPress);
      element.hidden = false;
      element.replaceChildren(message, closeButton("dismiss", closeLabel(), hide));
    },
    hide,
  };
}
