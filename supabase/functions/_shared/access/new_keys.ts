import { cellInKey } from "../cells.ts";
import { encodeBase64Url, sha256Hex } from "../crypto/digests.ts";

const ACCESS_KEY_BYTES = 32;

/**
 * Creates a company's access key: 256 random bits behind a prefix that secret scanners can look for, and the cell. That
 * of a test company begins with `outbound_test.`, or `outbound_test_7.` in cell 7.
 */
export function newAccessKey(companyId: string, { isTest = false } = {}): { key: string; hash: string } {
  const random = encodeBase64Url(crypto.getRandomValues(new Uint8Array(ACCESS_KEY_BYTES)));
  const cell = cellInKey(companyId);
  const prefix = isTest ? `test${cell === "" ? "." : `_${cell}`}` : cell;
  const key = `outbound_${prefix}${random}`;
  return { key, hash: hashAccessKey(key) };
}

const TEST_KEY = /^outbound_test(_\d+)?\./;

/** Returns whether a text that is the text of a key is that of a test company: its random part has no dot. */
export function isTestKey(key: string): boolean {
  return TEST_KEY.test(key);
}

/** Returns the hash that a key is stored and looked up by. A key has 256 bits, so it needs no salt and no slow hash. */
export function hashAccessKey(key: string): string {
  return sha256Hex(key);
}

const PUBLISHABLE_KEY_BYTES = 24;

/** Creates a publishable key. It is not a secret, but another company's must not be guessed. */
export function newPublishableKey(companyId: string): string {
  return `pk_${cellInKey(companyId)}${
    encodeBase64Url(crypto.getRandomValues(new Uint8Array(PUBLISHABLE_KEY_BYTES)))
  }`;
}
