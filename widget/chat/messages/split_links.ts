/** A piece of a message: text or a link. */
export interface Piece {
  text: string;
  isLink: boolean;
}

/** Only https, without punctuation at the end. */
const LINK = /https:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}]/g;

/** Splits a message into text and links. */
export function splitLinks(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: link, index } of text.matchAll(LINK)) {
    if (index > end) pieces.push({ text: text.slice(end, index), isLink: false });
    pieces.push({ text: link, isLink: true });
    end = index + link.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isLink: false });
  return pieces;
}
