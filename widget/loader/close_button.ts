import { makeElement, makeIcon } from "../shared/page.ts";

/** Makes a button with a cross. */
export function closeButton(name: "dismiss" | "out", label: string, onPress: () => void): HTMLElement {
  const button = makeElement(
    "button",
    { type: "button", class: name, "aria-label": label },
    makeIcon("close"),
  );
  button.addEventListener("click", onPress);
  return button;
}
