import { encodeBase64Url } from "../crypto/base64url.ts";
import { sha256Hex } from "../crypto/sha256_hex.ts";

const RANDOM_BYTES = 32;

/** A fresh company access key: 256 random bits behind a prefix that secret scanners can look for. */
export function newAccessKey(): { key: string; hash: string } {
  const key = `outbound_${encodeBase64Url(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)))}`;
  return { key, hash: hashAccessKey(key) };
}

/** What a key is stored and looked up by; a key has 256 bits, so no salt or slow hash is needed. */
export function hashAccessKey(key: string): string {
  return sha256Hex(key);
}
