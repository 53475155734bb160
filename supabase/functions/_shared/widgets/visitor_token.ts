import { encodeBase64Url } from "../crypto/base64url.ts";
import { sha256Hex } from "../crypto/sha256_hex.ts";

const RANDOM_BYTES = 32;

/** A fresh token for the visitor of one conversation; only its hash is kept. */
export function newVisitorToken(): { token: string; hash: string } {
  const token = `vt_${encodeBase64Url(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)))}`;
  return { token, hash: hashVisitorToken(token) };
}

/** What a token is stored and looked up by; it has 256 bits, so no salt or slow hash is needed. */
export function hashVisitorToken(token: string): string {
  return sha256Hex(token);
}
