import { makeElement } from "../shared/page.ts";

/** The speaker of a line. */
export type Speaker = "user" | "agent";

export interface Transcript {
  element: HTMLElement;
  /** Adds a line. The platform repeats what the visitor wrote; that line is not shown twice. */
  add(line: { role: Speaker; text: string; eventId: number | undefined }): void;
  /** Adds a line that the visitor wrote. */
  addWritten(text: string): void;
  /** Replaces a line by the part that the agent said before it was interrupted. */
  correct(correction: { text: string; eventId: number }): void;
  clear(): void;
  /** Switches on whether screen readers read new lines out; off in spoken sessions. */
  readOut(on: boolean): void;
}

/** Makes the list of lines. All of them are plain text: an agent cannot add markup to the page. */
export function createTranscript(texts: Record<string, string>): Transcript {
  const list = makeElement("ol");
  // The tabindex makes it scrollable by keyboard.
  const element = makeElement("div", { class: "transcript", role: "log", tabindex: "0", hidden: true }, list);
  element.setAttribute("aria-label", texts.transcript ?? "");
  // Keeps the last line visible when the feedback form makes the list smaller.
  new ResizeObserver(() => element.scrollTop = element.scrollHeight).observe(element);
  const agentLines = new Map<number, HTMLElement>();
  const written: string[] = [];

  function append(role: Speaker, text: string): HTMLElement {
    const who = makeElement("span", { class: "who" }, (role === "user" ? texts.you : texts.agent) ?? "");
    const words = makeElement("span", { class: "words", dir: "auto" }, text);
    list.append(makeElement("li", { class: role }, who, words));
    element.hidden = false;
    element.scrollTop = element.scrollHeight;
    return words;
  }

  return {
    element,
    add({ role, text, eventId }) {
      if (role === "user" && written[0] === text) return void written.shift();
      const line = append(role, text);
      if (role === "agent" && eventId !== undefined) agentLines.set(eventId, line);
    },
    addWritten(text) {
      written.push(text);
      append("user", text);
    },
    correct({ text, eventId }) {
      const line = agentLines.get(eventId);
      if (line) line.textContent = text;
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
