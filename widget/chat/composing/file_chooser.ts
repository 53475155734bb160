import { drawIcon, makeElement } from "../../shared/page.ts";
import { CHAT_ICONS } from "../chat_icons.ts";
import type { Texts } from "../texts.ts";
import { ACCEPTED } from "../../shared/file_types.ts";

/** Makes the button that attaches files, and the field behind it. */
export function createFileChooser(texts: Texts, onFile: (file: File) => void): HTMLElement[] {
  const field = makeElement("input", { type: "file", multiple: true, accept: ACCEPTED, hidden: true });
  const button = makeElement(
    "button",
    { type: "button", class: "tool", "aria-label": texts("attach"), title: texts("attach") },
    drawIcon(CHAT_ICONS.clip),
  );
  button.addEventListener("click", () => field.click());
  field.addEventListener("change", () => {
    const files = [...field.files ?? []];
    // The same file may be chosen again.
    field.value = "";
    files.forEach(onFile);
    button.focus();
  });
  return [field, button];
}
