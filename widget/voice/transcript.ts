import { makeElement } from "../shared/make_element.ts";

/** Who says a line of the transcript. */
export type Speaker = "user" | "agent";

export interface Transcript {
  element: HTMLElement;
  /** What was said; a sentence that the visitor has just written, and comes back, is not shown twice. */
  add(line: { role: Speaker; text: string; eventId: number | undefined }): void;
  /** What the visitor has just written. */
  addWritten(text: string): void;
  /** What the agent really said of a line before it was interrupted. */
  correct(correction: { text: string; eventId: number }): void;
  clear(): void;
  /** Whether new lines are read out: not while they are heard anyway. */
  readOut(on: boolean): void;
}

/** The lines of a conversation. Everything in it is text: nothing an agent says becomes part of the page. */
export function createTranscript(texts: Record<string, string>): Transcript {
  const list = makeElement("ol");
  // Whoever has only a keyboard scrolls it.
  const element = makeElement("div", { class: "transcript", role: "log", tabindex: "0", hidden: true }, list);
  element.setAttribute("aria-label", texts.transcript ?? "");
  // What was said last stays in sight, also when the questions after a call take its place.
  new ResizeObserver(() => element.scrollTop = element.scrollHeight).observe(element);
  const agentLines = new Map<number, HTMLElement>();
  const written: string[] = [];

  function append(role: Speaker, text: string): HTMLElement {
    const who = makeElement("span", { class: "who" }, (role === "user" ? texts.you : texts.agent) ?? "");
    const said = makeElement("span", { class: "said", dir: "auto" }, text);
    list.append(makeElement("li", { class: role }, who, said));
    element.hidden = false;
    element.scrollTop = element.scrollHeight;
    return said;
  }

  return {
    element,
    add({ role, text, eventId }) {
      if (role === "user" && written[0] === text) return void written.shift();
      const said = append(role, text);
      if (role === "agent" && eventId !== undefined) agentLines.set(eventId, said);
    },
    addWritten(text) {
      written.push(text);
      append("user", text);
    },
    correct({ text, eventId }) {
      const said = agentLines.get(eventId);
      if (said) said.textContent = text;
    },
    clear() {
      list.replaceChildren();
      agentLines.clear();
      written.length = 0;
      element.hidden = true;
    },
    readOut: (on) => element.setAttribute("aria-live", on ? "polite" : "off"),
  };
}
