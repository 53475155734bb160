import type { ComponentChildren } from "preact";

/** Marks of WhatsApp and what they become. The longest is first. */
const MARKS = [
  { mark: "```", tag: "code" },
  { mark: "*", tag: "strong" },
  { mark: "_", tag: "em" },
  { mark: "~", tag: "s" },
] as const;

/** A message's text as WhatsApp shows it: `*bold*`, `_italic_`, `~strike~`, ```` ```mono``` ````, and else as it is. */
export function RichText({ text }: { text: string }) {
  return <>{partsOf(text)}</>;
}

function partsOf(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let plainFrom = 0;
  for (let at = 0; at < text.length;) {
    const found = markedAt(text, at);
    if (found === undefined) {
      at++;
      continue;
    }
    parts.push(text.slice(plainFrom, at));
    const { tag: Tag, inner, end } = found;
    parts.push(<Tag>{Tag === "code" ? inner : partsOf(inner)}</Tag>);
    at = plainFrom = end;
  }
  return [...parts, text.slice(plainFrom)];
}

/** A marked stretch that starts here: no letter outside its marks, no space inside them, on one line. */
function markedAt(text: string, start: number) {
  for (const { mark, tag } of MARKS) {
    if (!text.startsWith(mark, start) || isWord(text[start - 1])) continue;
    const close = text.indexOf(mark, start + mark.length + 1);
    if (close < 0 || isWord(text[close + mark.length])) continue;
    const inner = text.slice(start + mark.length, close);
    if (inner !== inner.trim() || (tag !== "code" && inner.includes("\n"))) continue;
    return { tag, inner, end: close + mark.length };
  }
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}
