import type { Sealer } from "../crypto/seal.ts";
import { readSecretsCanary } from "../db/settings.ts";
import type { Services } from "../services.ts";

const PLAIN = "outbound";

/** What is wrong, in one line for the operator. */
export const WRONG_SECRETS_KEY =
  "SECRETS_KEY is not the one that this database's secrets are sealed with: set the key of the other processes";

/**
 * Whether this process has the SECRETS_KEY that the database's secrets are sealed with. The first process to ask decides
 * which one that is. One with another key would find no token it can read, and would seal what nobody else can.
 */
export async function isSecretsKeyRight({ sql, sealer }: Pick<Services, "sql" | "sealer">): Promise<boolean> {
  const sealed = await readSecretsCanary(sql, () => sealer.seal(PLAIN));
  return await opens(sealer, sealed);
}

async function opens(sealer: Sealer, sealed: string): Promise<boolean> {
  try {
    return await sealer.open(sealed) === PLAIN;
  } catch {
    return false;
  }
}
