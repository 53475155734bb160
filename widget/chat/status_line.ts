import { makeElement } from "../shared/make_element.ts";
import type { ConversationState } from "./conversation.ts";
import type { TextName, Texts } from "./texts.ts";

/** A line that comes at once is on its way; only one that takes longer is worth a word. */
const PATIENCE_MS = 800;

/** The line under the messages: how the connection is, that somebody types, that it is over. Screen readers say it. */
export function createStatusLine(
  texts: Texts,
): { element: HTMLElement; show(state: ConversationState): void } {
  const text = makeElement("span");
  const dots = makeElement(
    "span",
    { class: "dots", "aria-hidden": "true" },
    ...[1, 2, 3].map(() => makeElement("i")),
  );
  const element = makeElement("p", { class: "status", role: "status" }, text);
  let said: TextName | undefined;
  let timer: number | undefined;

  function say(name: TextName | undefined): void {
    text.textContent = name ? texts(name) : "";
    if (name === "typing") element.prepend(dots);
    else dots.remove();
    element.classList.toggle("trouble", TROUBLE.includes(name!));
  }

  return {
    element,
    show(state) {
      const name = nameOf(state);
      if (name === said) return;
      said = name;
      clearTimeout(timer);
      if (name === "connecting") timer = setTimeout(() => say(name), PATIENCE_MS);
      else say(name);
    },
  };
}

const TROUBLE: TextName[] = ["offline", "reconnecting", "unavailable", "too_many", "limit_reached"];

function nameOf(state: ConversationState): TextName | undefined {
  if (state.connection === "refused") return "unavailable";
  if (state.isClosed) return "closed";
  if (state.connection === "reconnecting") return navigator.onLine ? "reconnecting" : "offline";
  if (state.limit) return state.limit;
  if (state.connection === "connecting") return "connecting";
  return state.otherIsTyping ? "typing" : undefined;
}
