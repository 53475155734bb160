import { encodeBase64Url } from "../../crypto/digests.ts";

/** Creates the nonce for a page's own script and style. */
export function newNonce(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(18)));
}

/** Returns a value as JSON that cannot end a script element or contain markup. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
