import { encodeBase64Url, sha256Hex } from "../crypto/digests.ts";

const ACCESS_KEY_BYTES = 32;

/** Creates a company access key: 256 random bits behind a prefix that secret scanners can look for. */
export function newAccessKey(): { key: string; hash: string } {
  const key = `outbound_${encodeBase64Url(crypto.getRandomValues(new Uint8Array(ACCESS_KEY_BYTES)))}`;
  return { key, hash: hashAccessKey(key) };
}

/** Returns the hash that a key is stored and looked up by. A key has 256 bits, so it needs no salt and no slow hash. */
export function hashAccessKey(key: string): string {
  return sha256Hex(key);
}

const PUBLISHABLE_KEY_BYTES = 24;

/** Creates a publishable key. It is not a secret, but another company's must not be guessed. */
export function newPublishableKey(): string {
  return `pk_${encodeBase64Url(crypto.getRandomValues(new Uint8Array(PUBLISHABLE_KEY_BYTES)))}`;
}
