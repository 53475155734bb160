import { createHash, timingSafeEqual } from "node:crypto";
import { Buffer } from "node:buffer";

/** Returns the lower-case hex SHA-256 of `text` in UTF-8. */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Compares two secrets in a time that does not depend on where, or by how much, they differ. */
export function equalSecrets(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** Returns `bytes` as unpadded base64url. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

/** Returns the bytes of `text`, which is unpadded base64url. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, "base64url"));
}

/**
 * Returns whether `hex` is the HMAC-SHA256 of exactly these bytes under `secret`. The comparison is WebCrypto's own, in
 * constant time. Without a secret nothing matches: any caller could sign.
 */
export async function hmacMatches(bytes: Uint8Array, hex: string, secret: string): Promise<boolean> {
  if (secret === "") return false;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const raw = new TextEncoder().encode(secret);
  const key = await crypto.subtle.importKey("raw", raw, algorithm, false, ["verify"]);
  return await crypto.subtle.verify("HMAC", key, bytesOf(hex), bytes as BufferSource);
}

function bytesOf(hex: string): BufferSource {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}
