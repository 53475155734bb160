import { hexOf } from "../show_controls.js";

/** C0, DEL and C1: invisible characters that control the terminal that prints them. */
const CONTROLS = /\p{Cc}/u;
const CONTROLS_BUT_LINES = /\r(?!\n)|[^\P{Cc}\n\t\r]/u;

/** Escaped where JSON does not do so itself. */
const UNSAFE_IN_JSON = /[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

/** The expected format of a text without control characters, for messages. */
export const WITHOUT_CONTROLS = "text without control characters";

/** The texts that `isOneLine` and `isPlainText` accept, as patterns for the API document: JSON Schema has no `\p{Cc}` everywhere. */
export const ONE_LINE = "^[^\\x00-\\x1f\\x7f-\\x9f]*$";
export const PLAIN_TEXT = "^(\\r\\n|[\\t\\n]|[^\\x00-\\x1f\\x7f-\\x9f])*$";

/** One line that is not empty, without the spaces around it. */
export const TRIMMED_LINE =
  "^\\s*[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?\\s*$";

/** Returns whether a text is one line without control characters, as a name is. */
export function isOneLine(text: string): boolean {
  return !CONTROLS.test(text);
}

/** Returns whether a text holds no control characters but line ends and tabs. */
export function isPlainText(text: string): boolean {
  return !CONTROLS_BUT_LINES.test(text);
}

/** Removes what steers a terminal: text from elsewhere may hold any character. */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, "");
}

/** Returns a value as JSON, in characters that are safe in a terminal. */
export function terminalJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE_IN_JSON, (character) => `\\u${hexOf(character).toLowerCase()}`);
}
