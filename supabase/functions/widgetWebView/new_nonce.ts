import { encodeBase64Url } from "../_shared/crypto/base64url.ts";

/** What marks our own script and style in a page's policy; a new one for each page. */
export function newNonce(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(18)));
}
