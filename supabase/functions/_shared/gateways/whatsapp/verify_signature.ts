const HEADER = /^sha256=([0-9a-f]{64})$/i;

/**
 * True when `X-Hub-Signature-256` is the HMAC-SHA256 of exactly these bytes under the app's secret. The comparison is
 * WebCrypto's own, in constant time. Source: WhatsApp Cloud API, webhooks.
 */
export async function verifySignature(
  rawBody: Uint8Array,
  header: string | null,
  appSecret: string,
): Promise<boolean> {
  const hex = HEADER.exec(header ?? "")?.[1];
  // Without a secret everybody could sign.
  if (hex === undefined || appSecret === "") return false;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secret = new TextEncoder().encode(appSecret);
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["verify"]);
  return await crypto.subtle.verify("HMAC", key, bytesOf(hex), rawBody as BufferSource);
}

function bytesOf(hex: string): BufferSource {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}
