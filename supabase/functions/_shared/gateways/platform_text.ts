import { z } from "zod";

const MAX_LENGTH = 300;
const MIN_SECRET_LENGTH = 8;

/**
 * Cleans a platform's own words about a refusal for a log line and for Postgres, which accepts neither NUL nor half of a
 * surrogate pair. The words may quote the request, so its secret is removed from them.
 */
export function platformWords(text: string, secret = ""): string {
  // deno-lint-ignore no-control-regex
  const clean = withoutSecret(text, secret).replace(/[\s\u0000-\u001f]+/g, " ").trim();
  const short = clean.length > MAX_LENGTH ? `${clean.slice(0, MAX_LENGTH)}…` : clean;
  return short.toWellFormed();
}

/** Real secrets are far longer; removing a short one would only damage the text. */
function withoutSecret(text: string, secret: string): string {
  return secret.length < MIN_SECRET_LENGTH ? text : text.replaceAll(secret, "[token]");
}

/** Real ids have about a hundred characters. An index of Postgres takes 2704 bytes, three for each of these at most. */
const MAX_ID_LENGTH = 512;

/** A platform's id of a message or a call, as far as Postgres can keep it: not too long, no NUL, no half of a surrogate. */
export const platformIdSchema = z.string().min(1).max(MAX_ID_LENGTH)
  .refine((id) => !id.includes("\0") && id.isWellFormed());
