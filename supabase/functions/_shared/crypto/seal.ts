import { createExpiringCache } from "../concurrency/expiring_cache.ts";
import { decodeBase64Url, encodeBase64Url } from "./digests.ts";
import { readSecretsKeys, type SecretsKey } from "./secrets_keys.ts";

const IV_BYTES = 12;
const SEALED = /^([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/;

/** Every message needs its sender's token; to open it each time took an eighth of the time of sending. */
const OPENED = { ttlMs: 60_000, maxEntries: 1000 };

/**
 * Encrypts small secrets at rest (AES-256-GCM). A sealed text is `KEY_ID.DATA`: the id of the key that sealed it, and
 * base64url of IV and ciphertext. Key id and owner are authenticated with it.
 */
export interface Sealer {
  /** The id of the key that seals: the first of OUTBOUND_SECRETS_KEY. */
  readonly keyId: string;
  /** The ids of all keys, in the order of OUTBOUND_SECRETS_KEY. */
  readonly keyIds: readonly string[];
  seal(plain: string, owner: SecretOwner): Promise<string>;
  /** @throws {UnsealError} */
  open(sealed: string, owner: SecretOwner): Promise<string>;
}

/** A sealed text cannot be opened; the message says why and is safe to show. */
export class UnsealError extends Error {
  override readonly name = "UnsealError";
}

/**
 * Makes the sealer of a process.
 *
 * @param setting OUTBOUND_SECRETS_KEY: one key or several, each long and random
 */
export function createSealer(setting: string): Sealer {
  const keys = readSecretsKeys(setting).map((key) => ({ id: key.id, imported: importKey(key) }));
  const [first] = keys;
  const opened = createExpiringCache(open, OPENED);

  async function open([sealed, owner]: [sealed: string, owner: SecretOwner]): Promise<string> {
    const [, id, data] = SEALED.exec(sealed) ?? [];
    if (!id || !data) throw new UnsealError("it is not a sealed text");
    const key = keys.find((each) => each.id === id);
    if (!key) {
      throw new UnsealError(`it is sealed with the key ${id}, which OUTBOUND_SECRETS_KEY does not have`);
    }
    return await decrypt(await key.imported, decodeBase64Url(data), boundTo(id, owner));
  }

  return {
    keyId: first!.id,
    keyIds: keys.map(({ id }) => id),
    async seal(plain, owner) {
      const { id, imported } = first!;
      return `${id}.${encodeBase64Url(await encrypt(await imported, plain, boundTo(id, owner)))}`;
    },
    open: (sealed, owner) => opened.get([sealed, owner]),
  };
}

async function encrypt(
  key: CryptoKey,
  plain: string,
  additionalData: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const data = new TextEncoder().encode(plain);
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, data);
  const whole = new Uint8Array(IV_BYTES + sealed.byteLength);
  whole.set(iv);
  whole.set(new Uint8Array(sealed), IV_BYTES);
  return whole;
}

async function decrypt(
  key: CryptoKey,
  whole: Uint8Array<ArrayBuffer>,
  additionalData: Uint8Array<ArrayBuffer>,
): Promise<string> {
  try {
    const iv = whole.slice(0, IV_BYTES);
    const algorithm = { name: "AES-GCM", iv, additionalData };
    return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, key, whole.slice(IV_BYTES)));
  } catch (cause) {
    throw new UnsealError("it was altered, or sealed for another row", { cause });
  }
}

function boundTo(keyId: string, owner: SecretOwner): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${keyId}\n${owner}`);
}

async function importKey(key: SecretsKey): Promise<CryptoKey> {
  return await crypto.subtle.importKey("raw", key.derive("seal"), "AES-GCM", false, ["encrypt", "decrypt"]);
}

/**
 * The row a secret belongs to, in one text. A secret is sealed for its owner and opens for no other, so a person with
 * write access to the database cannot have one company's token used for another.
 */
export type SecretOwner = string & { readonly secretOwner: unique symbol };

/** The sealed text that shows whether an OUTBOUND_SECRETS_KEY is the right one. */
export const CANARY = owner("settings/secrets_canary");

/** Returns the owner of a company's access key. */
export function accessKeyOf(companyId: string, keyId: string): SecretOwner {
  return owner(`api_keys/${companyId}/${keyId}`);
}

/** Returns the owner of a sender's token. */
export function senderTokenOf(companyId: string, senderId: string): SecretOwner {
  return owner(`senders/${companyId}/${senderId}`);
}

/** Returns the owner of a webhook's secrets, current and previous: a rotation moves the sealed text between columns. */
export function webhookSecretOf(companyId: string): SecretOwner {
  return owner(`webhooks/${companyId}`);
}

/** Returns the owner of the key that hashes a company's erased contacts. */
export function erasureKeyOf(companyId: string): SecretOwner {
  return owner(`contact_rules/${companyId}`);
}

/** Returns the owner of the secret that a company's website signs its visitors with. */
export function identitySecretOf(companyId: string): SecretOwner {
  return owner(`identity_secrets/${companyId}`);
}

function owner(text: string): SecretOwner {
  return text.toLowerCase() as SecretOwner;
}
