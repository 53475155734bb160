import { encodeBase64Url } from "../crypto/base64url.ts";

const RANDOM_BYTES = 24;

/** A fresh publishable key. It is no secret, but nobody should come upon another company's by guessing. */
export function newPublishableKey(): string {
  return `pk_${encodeBase64Url(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)))}`;
}
