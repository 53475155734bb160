/** C0, DEL and C1: they draw nothing, and steer the terminal that shows them. */
const CONTROLS = /\p{Cc}/u;
const CONTROLS_BUT_LINES = /\r(?!\n)|[^\P{Cc}\n\t\r]/u;

/** What must not reach a terminal: controls, and what turns the direction of the text after it or breaks its line. */
const UNSAFE = /\r(?!\n)|[^\P{Cc}\n\t\r]|[\u2028-\u202e\u2066-\u2069]/gu;
/** Escaped where JSON does not do so itself. */
const UNSAFE_IN_JSON = /[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

/** What is expected of a text that holds control characters. */
export const WITHOUT_CONTROLS = "text without control characters";

/** Whether a text is one line without control characters, as a name is. */
export function isOneLine(text: string): boolean {
  return !CONTROLS.test(text);
}

/** Whether a text holds no control characters but line ends and tabs. */
export function isPlainText(text: string): boolean {
  return !CONTROLS_BUT_LINES.test(text);
}

/** The text as it may be shown in a terminal: what would steer it stands there as `<U+001B>`. */
export function showControls(text: string): string {
  return text.replace(UNSAFE, (character) => `<U+${hex(character)}>`);
}

/** The same JSON value in characters that a terminal may show. */
export function terminalJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE_IN_JSON, (character) => `\\u${hex(character).toLowerCase()}`);
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
}
