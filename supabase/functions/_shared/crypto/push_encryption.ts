import { Buffer } from "node:buffer";

/** The keys of a browser, in base64url, as `PushSubscription.toJSON()` names them. */
export interface BrowserKeys {
  p256dh: string;
  auth: string;
}

const CURVE = { name: "ECDH", namedCurve: "P-256" };
const SALT_BYTES = 16;
const RECORD_BYTES = 4096;
/** Follows the text of the last record. */
const LAST_RECORD = 2;

/** Returns whether messages can be encrypted for keys. Importing a key does not check that it is a point of the curve. */
export async function areBrowserKeys(keys: BrowserKeys): Promise<boolean> {
  return await encryptPush("", keys).then(() => true, () => false);
}

/**
 * Encrypts a short text for a browser, as one record of `aes128gcm`. Source: RFC 8291, sections 3 and 4, and RFC 8188.
 *
 * @param once what no other message may have; given by tests of the RFC's figures
 * @throws when the browser's keys are malformed
 */
export async function encryptPush(
  text: string,
  { p256dh, auth }: BrowserKeys,
  once: { salt?: Uint8Array<ArrayBuffer>; keys?: CryptoKeyPair } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const salt = once.salt ?? crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const keys = once.keys ?? await crypto.subtle.generateKey(CURVE, false, ["deriveBits"]) as CryptoKeyPair;
  const ours = new Uint8Array(await crypto.subtle.exportKey("raw", keys.publicKey));
  const theirs = Buffer.from(p256dh, "base64url");
  const theirKey = await crypto.subtle.importKey("raw", theirs, CURVE, true, []);
  const shared = await crypto.subtle.deriveBits({ name: "ECDH", public: theirKey }, keys.privateKey, 256);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), theirs, ours]);
  const secret = await expand(shared, { salt: Buffer.from(auth, "base64url"), info, bytes: 32 });
  const named = (name: string, bytes: number) =>
    expand(secret, { salt, info: Buffer.from(`Content-Encoding: ${name}\0`), bytes });
  const key = await crypto.subtle.importKey("raw", await named("aes128gcm", 16), "AES-GCM", false, [
    "encrypt",
  ]);
  const record = new Uint8Array([...new TextEncoder().encode(text), LAST_RECORD]);
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv: await named("nonce", 12) }, key, record);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_BYTES);
  return new Uint8Array([...salt, ...size, ours.length, ...ours, ...new Uint8Array(sealed)]);
}

/** HKDF with SHA-256. */
async function expand(
  secret: ArrayBuffer,
  { salt, info, bytes }: { salt: Uint8Array<ArrayBuffer>; info: Uint8Array<ArrayBuffer>; bytes: number },
): Promise<ArrayBuffer> {
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  return await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info }, key, bytes * 8);
}
