import { createHash } from "node:crypto";

/** The minimum; a key must also be random. */
const MIN_KEY_CHARACTERS = 32;

const ID_CHARACTERS = 8;

/** One key of OUTBOUND_SECRETS_KEY. */
export interface SecretsKey {
  /** The name of the key in sealed texts: the start of a hash, which reveals nothing about the key. */
  id: string;
  /** Derives the bytes for one purpose, so that a text sealed for one is useless for another. */
  derive(purpose: string): Uint8Array<ArrayBuffer>;
}

/** The keys of OUTBOUND_SECRETS_KEY in their order: the first seals and signs, all of them open and verify. */
export type SecretsKeys = [SecretsKey, ...SecretsKey[]];

/** Reads OUTBOUND_SECRETS_KEY, one key or several separated by commas. */
export function readSecretsKeys(setting: string): SecretsKeys {
  const [first, ...others] = splitKeys(setting);
  return [secretsKey(first!), ...others.map(secretsKey)];
}

/** Describes the fault of an OUTBOUND_SECRETS_KEY, without quoting it; undefined when it has none. */
export function secretsKeyProblem(setting: string): string | undefined {
  const keys = splitKeys(setting);
  if (keys.some((key) => key.length < MIN_KEY_CHARACTERS)) {
    return `expected keys of at least ${MIN_KEY_CHARACTERS} characters, separated by commas`;
  }
  return new Set(keys).size < keys.length ? "expected each key once" : undefined;
}

function splitKeys(setting: string): string[] {
  return setting.split(",").map((key) => key.trim());
}

function secretsKey(key: string): SecretsKey {
  const hash = (purpose: string) => createHash("sha256").update(`${purpose}\n${key}`).digest();
  return {
    id: hash("key-id").toString("hex").slice(0, ID_CHARACTERS),
    derive: (purpose) => new Uint8Array(hash(purpose)),
  };
}
