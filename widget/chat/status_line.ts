import { makeElement } from "../shared/page.ts";
import type { ConversationView } from "./conversation.ts";
import type { TextName, Texts } from "./texts.ts";

/** Connecting is shown only if it takes longer than this. */
const CONNECTING_DELAY_MS = 800;

/** Makes the line under the messages, for the connection, typing and the end. Screen readers read it out. */
export function createStatusLine(
  texts: Texts,
): { element: HTMLElement; show(view: ConversationView): void } {
  const text = makeElement("span");
  const dots = makeElement(
    "span",
    { class: "dots", "aria-hidden": "true" },
    ...[1, 2, 3].map(() => makeElement("i")),
  );
  const element = makeElement("p", { class: "status", role: "status" }, text);
  let shown: string | undefined;
  let timer: number | undefined;

  function write(name: TextName | undefined, writer: string): void {
    text.textContent = name ? texts(name).replace("{name}", () => writer) : "";
    if (name === "typing" || name === "typing_named") element.prepend(dots);
    else dots.remove();
    element.classList.toggle("trouble", TROUBLE.includes(name!));
  }

  return {
    element,
    show(view) {
      const name = nameOf(view);
      const writer = view.typingName ?? "";
      if (`${name} ${writer}` === shown) return;
      shown = `${name} ${writer}`;
      clearTimeout(timer);
      if (name === "connecting") timer = setTimeout(() => write(name, writer), CONNECTING_DELAY_MS);
      else write(name, writer);
    },
  };
}

const TROUBLE: TextName[] = ["offline", "reconnecting", "unavailable", "too_many", "limit_reached"];

function nameOf(view: ConversationView): TextName | undefined {
  if (view.connection === "refused") return "unavailable";
  if (view.isClosed) return "closed";
  if (!navigator.onLine) return "offline";
  if (view.connection === "reconnecting") return "reconnecting";
  if (view.limit) return view.limit;
  if (view.connection === "connecting") return "connecting";
  if (!view.otherIsTyping) return undefined;
  return view.typingName === undefined ? "typing" : "typing_named";
}
