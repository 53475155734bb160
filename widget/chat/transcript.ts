import { makeElement } from "../shared/page.ts";
import type { Message } from "./schemas.ts";
import type { Texts } from "./texts.ts";

/** Returns a conversation as lines of text: when, who, and what; of a file its name, of a card its links. */
export function transcriptOf(messages: readonly Message[], texts: Texts, language: string): string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  const lines = messages.map(({ created_at, author, text, file, card }) => {
    const who = author === "visitor"
      ? texts("you")
      : author === "operator"
      ? texts("operator")
      : texts("title");
    const rest = [
      ...(file && file.file_name !== text ? [file.file_name] : []),
      ...(card ? [card.text ?? "", ...card.buttons.map(({ label, url }) => `${label}: ${url}`)] : []),
    ].filter((line) => line !== "");
    return [`[${format.format(new Date(created_at))}] ${who}: ${text}`, ...rest].join("\n");
  });
  return lines.join("\n\n") + "\n";
}

/** Has the browser save a text as a file. */
export function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const link = makeElement("a", { href: url, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
