import { createExpiringCache } from "../expiring_cache.ts";
import { decodeBase64Url, encodeBase64Url } from "./base64url.ts";

const IV_BYTES = 12;
/** A sender's token is needed for every one of its messages; to open it each time took an eighth of sending. */
const OPENED = { ttlMs: 60_000, maxEntries: 1000 };

/** Encrypts small secrets at rest (AES-256-GCM); a sealed text is base64url of IV and ciphertext. */
export interface Sealer {
  seal(plain: string): Promise<string>;
  /** @throws when the text was sealed with another SECRETS_KEY, or altered */
  open(sealed: string): Promise<string>;
}

/** The AES key is the SHA-256 of `secretsKey`, which must itself be long and random. */
export function createSealer(secretsKey: string): Sealer {
  const key = importKey(secretsKey);
  const opened = createExpiringCache(open, OPENED);

  async function open(sealed: string): Promise<string> {
    const whole = decodeBase64Url(sealed);
    const iv = whole.slice(0, IV_BYTES);
    const plain = await crypto.subtle.decrypt({ name: "AES-GCM", iv }, await key, whole.slice(IV_BYTES));
    return new TextDecoder().decode(plain);
  }

  return {
    async seal(plain) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const data = new TextEncoder().encode(plain);
      const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await key, data));
      const whole = new Uint8Array(IV_BYTES + sealed.length);
      whole.set(iv);
      whole.set(sealed, IV_BYTES);
      return encodeBase64Url(whole);
    },
    open: (sealed) => opened.get(sealed),
  };
}

async function importKey(secretsKey: string): Promise<CryptoKey> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secretsKey));
  return crypto.subtle.importKey("raw", digest, "AES-GCM", false, ["encrypt", "decrypt"]);
}
