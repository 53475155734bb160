import { makeElement } from "../../shared/page.ts";
import type { Message } from "../schemas.ts";

/**
 * Returns the function that makes the separator between two messages of different days; undefined within a day, and before
 * the first message. Days are those of the visitor's clock. Each separator is made once.
 */
export function createDays(
  language: string,
): (previous: Message | undefined, message: Message) => HTMLElement | undefined {
  const separators = new WeakMap<Message, HTMLElement>();
  const days = new WeakMap<Message, string>();
  const format = new Intl.DateTimeFormat(language, { dateStyle: "full" });

  function dayOf(message: Message): string {
    const known = days.get(message);
    if (known !== undefined) return known;
    const day = new Date(message.created_at).toDateString();
    days.set(message, day);
    return day;
  }

  return (previous, message) => {
    if (previous === undefined || dayOf(previous) === dayOf(message)) return undefined;
    const known = separators.get(message);
    if (known !== undefined) return known;
    const separator = makeElement("li", { class: "day" }, format.format(new Date(message.created_at)));
    separators.set(message, separator);
    return separator;
  };
}
