import type { Actor } from "../db/access/audit.ts";
import { Buffer } from "node:buffer";
import { createHmac, randomBytes } from "node:crypto";
import { erasureKeyOf, type Sealer, UnsealError } from "../crypto/seal.ts";
import type { Sql } from "../db/driver/connect.ts";
import {
  type ErasedCounts,
  eraseFromDatabase,
  insertErasureKey,
  readErasureKey,
  readPersonToErase,
} from "../db/contacts/contact_erasure.ts";
import { noContact } from "../people/change_contact.ts";
import type { Address, PersonKey } from "../values/address.ts";
import { AppError, notSetUp } from "../errors.ts";

const KEY_BYTES = 32;

/** The key of a company's hashes of erased contacts. */
export interface ErasureKey {
  readonly bytes: Uint8Array;
}

/**
 * Opens the key of a company's hashes.
 *
 * @param sealed contact_rules.erasure_key_sealed
 * @throws {UnsealError} when it is sealed with a key that OUTBOUND_SECRETS_KEY does not have
 */
export async function openErasureKey(
  sealer: Sealer,
  { companyId, sealed }: { companyId: string; sealed: string },
): Promise<ErasureKey> {
  const text = await sealer.open(sealed, erasureKeyOf(companyId));
  return { bytes: Buffer.from(text, "base64url") };
}

/**
 * Returns the hash by which an erased address is recognised: HMAC-SHA256, 64 hexadecimal digits. Without the key an
 * attacker cannot find out whether a number was erased by trying all numbers.
 */
export function hashAddress({ bytes }: ErasureKey, address: string): string {
  return createHmac("sha256", bytes).update(address).digest("hex");
}

/** Returns the hashes of a person's addresses; none while the company has erased no person. */
export async function erasedHashesOf(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  companyId: string,
): Promise<(person: Address) => string[]> {
  const sealed = await readErasureKey(sql, companyId);
  if (sealed === null) return () => [];
  const key = await openErasureKey(sealer, { companyId, sealed });
  return (person) => hashesOf(key, person);
}

/** Returns the hashes of a person's addresses, as far as they are given. */
export function hashesOf(key: ErasureKey, { number, user_id }: Partial<Address>): string[] {
  return [number, user_id].flatMap((address) => address ? hashAddress(key, address) : []);
}

export interface EraseRequest extends PersonKey {
  companyId: string;
  /** For the audit: `key:<id>` or `cli`. */
  actor: Actor["actor"];
  requestId: string | null;
}

export type Erased =
  | { kind: "erased"; counts: ErasedCounts }
  /** A message is being sent, or a call is going on. */
  | { kind: "on_its_way"; retryAfterS: number };

/** A person gets another address between two attempts very rarely. */
const MAX_ATTEMPTS = 5;

/**
 * Erases what is known about a person, under every known address, in one transaction, and keeps the person suppressed.
 * Erasing twice is harmless. Throws `not_found` for a contact that the company does not have.
 *
 * @throws {UnsealError} when OUTBOUND_SECRETS_KEY does not have the key of the company's hashes
 */
export async function eraseContact(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  { companyId, actor, requestId, ...person }: EraseRequest,
): Promise<Erased> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const { erasure_key_sealed: stored, ...found } = await readPersonToErase(sql, companyId, person);
    const sealed = stored ?? await insertErasureKey(sql, companyId, await sealNewKey(sealer, companyId));
    const key = await openErasureKey(sealer, { companyId, sealed });
    const hashes = found.addresses.map((address) => hashAddress(key, address));
    const result = await eraseFromDatabase(sql, companyId, { ...person, ...found, hashes, actor, requestId });
    if (result.outcome === "erased") return { kind: "erased", counts: result.counts };
    if (result.outcome === "unknown") throw noContact();
    if (result.outcome === "on_its_way") return { kind: "on_its_way", retryAfterS: result.retry_after_s };
  }
  throw new Error("the addresses of a contact changed with every attempt to erase it");
}

async function sealNewKey(sealer: Sealer, companyId: string): Promise<string> {
  return await sealer.seal(randomBytes(KEY_BYTES).toString("base64url"), erasureKeyOf(companyId));
}

/**
 * Erases a person and returns how much was erased. Throws `message_on_its_way` while something is being sent to the person,
 * and `service_unavailable` when OUTBOUND_SECRETS_KEY lacks the key of the hashes.
 */
export async function requireErased(
  services: Parameters<typeof eraseContact>[0],
  request: EraseRequest,
): Promise<ErasedCounts> {
  const erased = await eraseContact(services, request).catch((error) => {
    if (!(error instanceof UnsealError)) throw error;
    throw notSetUp(
      "secrets",
      "The key of erased contacts cannot be read; the operator of this service has to restore it",
      error,
    );
  });
  if (erased.kind === "erased") return erased.counts;
  throw new AppError(
    "message_on_its_way",
    `A message to this person is on its way, or a call is going on: retry in ${erased.retryAfterS} s`,
    { retryAfterS: erased.retryAfterS },
  );
}
