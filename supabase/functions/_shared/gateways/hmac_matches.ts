/**
 * Whether `hex` is the HMAC-SHA256 of exactly these bytes under `secret`. The comparison is WebCrypto's own, in
 * constant time. Without a secret nothing matches: everybody could sign.
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
