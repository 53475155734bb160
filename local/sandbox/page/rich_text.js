/** Marks of the messaging app and the elements they become. Longest first. */
const MARKS = [
  { mark: "```", tag: "code" },
  { mark: "*", tag: "strong" },
  { mark: "_", tag: "em" },
  { mark: "~", tag: "s" },
];

/**
 * Turns `*bold*`, `_italic_`, `~strike~` and ```` ```mono``` ```` into elements. Built node by node: whatever a
 * message holds, it can only become text.
 */
export function richText(text) {
  const fragment = document.createDocumentFragment();
  let plain = 0;
  for (let at = 0; at < text.length;) {
    const found = markedAt(text, at);
    if (found === null) {
      at += 1;
      continue;
    }
    fragment.append(text.slice(plain, at));
    const element = document.createElement(found.tag);
    element.append(found.tag === "code" ? found.inner : richText(found.inner));
    fragment.append(element);
    at = plain = found.end;
  }
  fragment.append(text.slice(plain));
  return fragment;
}

/** A marked stretch that starts here: mark against a word on both sides, on one line, not empty. */
function markedAt(text, start) {
  for (const { mark, tag } of MARKS) {
    if (!text.startsWith(mark, start) || isWord(text[start - 1])) continue;
    const from = start + mark.length;
    const close = text.indexOf(mark, from + 1);
    const inner = text.slice(from, close);
    if (close < 0 || inner !== inner.trim() || (tag !== "code" && inner.includes("\n"))) continue;
    if (isWord(text[close + mark.length])) continue;
    return { tag, inner, end: close + mark.length };
  }
  return null;
}

function isWord(character) {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}
