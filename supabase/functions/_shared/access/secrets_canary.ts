import type { Sealer } from "../crypto/seal.ts";
import { CANARY } from "../crypto/secret_owner.ts";
import { readSecretsCanary } from "../db/settings.ts";
import type { Services } from "../services.ts";

const PLAIN = "outbound";

/** What is wrong, in one line for the operator. */
export const WRONG_SECRETS_KEY =
  "SECRETS_KEY does not have the key that this database's secrets are sealed with: set the keys of the other processes";

/**
 * Whether SECRETS_KEY has the key that the database's secrets are sealed with. The first process to ask decides which one
 * that is, and after it `secrets rotate`. A process without that key could read no token, and would seal what nobody else
 * can read.
 */
export async function isSecretsKeyRight({ sql, sealer }: Pick<Services, "sql" | "sealer">): Promise<boolean> {
  const sealed = await readSecretsCanary(sql, () => sealCanary(sealer));
  return await opens(sealer, sealed);
}

/** The canary, sealed anew with the first key. */
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
