const LONGEST = 300;
const SHORTEST_TOKEN = 8;

/**
 * The platform's own words, fit for a log line, for an answer, and for Postgres, which takes neither NUL nor half of a
 * surrogate pair. They may quote the request, so the token it was made with is blotted out.
 */
export function platformWords(text: string, token = ""): string {
  // deno-lint-ignore no-control-regex
  const clean = withoutToken(text, token).replace(/[\s\u0000-\u001f]+/g, " ").trim();
  const short = clean.length > LONGEST ? `${clean.slice(0, LONGEST)}…` : clean;
  return short.toWellFormed();
}

/** Real tokens are far longer; blotting out a short one would only maim the text. */
function withoutToken(text: string, token: string): string {
  return token.length < SHORTEST_TOKEN ? text : text.replaceAll(token, "[token]");
}
