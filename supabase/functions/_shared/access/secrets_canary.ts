import { CANARY, type Sealer } from "../crypto/seal.ts";
import { readSecretsCanary } from "../db/queue/settings.ts";
import type { Services } from "../services.ts";

const PLAIN = "outbound";

/** The fault, in one line for the operator. */
export const WRONG_SECRETS_KEY =
  "OUTBOUND_SECRETS_KEY does not have the key that this database's secrets are sealed with: set the keys of the other processes";

/**
 * Returns whether OUTBOUND_SECRETS_KEY has the key that the database's secrets are sealed with. The first process that checks
 * decides which key that is, and later `secrets rotate`. A process without that key cannot open a token, and would seal
 * secrets that no other process can open.
 */
export async function isSecretsKeyRight({ sql, sealer }: Pick<Services, "sql" | "sealer">): Promise<boolean> {
  const sealed = await readSecretsCanary(sql, () => sealCanary(sealer));
  return await opens(sealer, sealed);
}

/** Seals the canary with the first key. */
export async function sealCanary(sealer: Sealer): Promise<string> {
  return await sealer.seal(PLAIN, CANARY);
}

async function opens(sealer: Sealer, sealed: string): Promise<boolean> {
  try {
    return await sealer.open(sealed, CANARY) === PLAIN;
  } catch {
    return false;
  }
}
