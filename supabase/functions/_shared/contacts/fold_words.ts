/** Letters that Unicode does not decompose, but that people leave out or replace when they type in a hurry. */
const LETTERS: Record<string, string> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ı: "i",
};

/**
 * Marks that a reader does without: accents, optional vowels, styles of emoji. Marks of scripts in which they are letters of
 * their own, such as the vowel signs of Devanagari, do not belong to them.
 */
const OPTIONAL_MARKS = /\p{Script=Inherited}|(?=[\p{Script=Arabic}\p{Script=Hebrew}])\p{Mn}/gu;

/** Characters without a shape of their own, and the line by which Arabic words are stretched. */
const INVISIBLE = /[\p{Cf}\u0640]/gu;

/** Everything before the first letter or digit and after the last one, and after the marks that belong to it. */
const AROUND = /^[^\p{L}\p{N}]+|(?<![^\p{L}\p{N}\p{M}])[^\p{L}\p{N}\p{M}]+$/gu;

/**
 * Folds a text so that ways to write the same words become equal: upper and lower case, accents, styled letters (𝗦𝗧𝗢𝗣),
 * punctuation, symbols and emoji around it, and the number of spaces within. Folding twice changes nothing. Words are
 * compared whole: no part of a text is ever cut off except around it.
 *
 * @returns the folded text; empty for a text without letters and digits
 */
export function foldWords(text: string): string {
  const folded = text.toWellFormed().normalize("NFKD").toLowerCase().normalize("NFKD")
    .replace(INVISIBLE, "")
    .replace(OPTIONAL_MARKS, "")
    .replace(/[ßæœøłđı]/g, (letter) => LETTERS[letter]!)
    .replace(/\p{Pd}/gu, "-")
    .replace(/[’‘ʼ´`]/g, "'")
    .replace(/\s+/g, " ");
  return folded.replace(AROUND, "").normalize("NFC");
}
