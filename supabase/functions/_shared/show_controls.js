// JavaScript, because the sandbox's pages load this file as it is.

/** Controls, and characters that change the direction of text or break its line. */
const UNSAFE = /\r(?!\n)|[^\P{Cc}\n\t\r]|[\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Returns a text for people, with characters that would steer the terminal or turn the text round written as `<U+202E>`.
 *
 * @param {string} text
 */
export function showControls(text) {
  return text.replace(UNSAFE, (character) => `<U+${hexOf(character)}>`);
}

/**
 * The number of a character, as in `U+202E`.
 *
 * @param {string} character
 */
export function hexOf(character) {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
}
