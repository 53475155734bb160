const LONGEST = 300;
const SHORTEST_SECRET = 8;

/**
 * A platform's own words about a refusal, fit for a log line and for Postgres, which takes neither NUL nor half of a
 * surrogate pair. They may quote the request, so the secret it was made with is blotted out of them.
 */
export function platformWords(text: string, secret = ""): string {
  // deno-lint-ignore no-control-regex
  const clean = withoutSecret(text, secret).replace(/[\s\u0000-\u001f]+/g, " ").trim();
  const short = clean.length > LONGEST ? `${clean.slice(0, LONGEST)}…` : clean;
  return short.toWellFormed();
}

/** Real secrets are far longer; blotting out a short one would only maim the text. */
function withoutSecret(text: string, secret: string): string {
  return secret.length < SHORTEST_SECRET ? text : text.replaceAll(secret, "[token]");
}
