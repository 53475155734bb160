import { z } from "@hono/zod-openapi";
import { isPlainText, WITHOUT_CONTROLS } from "../values/control_characters.ts";
import { cellInKey } from "../cells.ts";
import { encodeBase64Url, sha256Hex } from "../crypto/digests.ts";

const MAX_CHARACTERS = 4000;

/** Text that is not empty without the spaces around it, and has no control characters but tabs and line ends. */
const NOT_BLANK =
  "^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*\\S[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$";

/** The text of a chat message. Line breaks and tabs are allowed, other control characters are not. */
export const messageTextSchema = z.string({ error: "text" }).trim().min(1, "text that is not empty")
  // Counts characters, as the database does, not UTF-16 units.
  .refine((text) => [...text].length <= MAX_CHARACTERS, `at most ${MAX_CHARACTERS} characters`)
  .overwrite((text) => text.replace(/\r\n?/g, "\n"))
  .refine(isPlainText, WITHOUT_CONTROLS)
  .openapi({ maxLength: MAX_CHARACTERS, pattern: NOT_BLANK });

const RANDOM_BYTES = 32;

/** Creates the visitor's token for one conversation. Only its hash is stored. */
export function newVisitorToken(companyId: string): { token: string; hash: string } {
  const token = `vt_${cellInKey(companyId)}${
    encodeBase64Url(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)))
  }`;
  return { token, hash: hashVisitorToken(token) };
}

/** Returns the hash by which a token is stored and found. With 256 random bits, it needs no salt or slow hash. */
export function hashVisitorToken(token: string): string {
  return sha256Hex(token);
}
