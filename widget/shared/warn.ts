/** What every line of ours in a browser's console begins with, so that the owner of a page knows whose it is. */
const PREFIX = "[outbound]";

/** Says in the console what is wrong; never throws, and never names a key or what a visitor wrote. */
export function warn(text: string): void {
  // deno-lint-ignore no-console -- it is the only way to reach whoever puts a widget on a page
  console.warn(PREFIX, text);
}
