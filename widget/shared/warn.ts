/** Starts each of our lines in the browser's console, so that the page's owner knows where it comes from. */
const PREFIX = "[outbound]";

/** Writes a warning to the console. Callers must not include keys or visitors' messages. */
export function warn(text: string): void {
  // deno-lint-ignore no-console -- the console is the only way to reach a page's developer
  console.warn(PREFIX, text);
}
