import {
  isSecretsKeyRight,
  WRONG_SECRETS_KEY,
} from "../../supabase/functions/_shared/access/secrets_canary.ts";
import { createSealer, type Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";

/**
 * A sealer that seals nothing the service could not open: `seal` throws a `CommandError` when SECRETS_KEY does not have
 * the key of this database.
 */
export function createCheckedSealer(sql: Sql, secretsKey: string): Sealer {
  const sealer = createSealer(secretsKey);
  return {
    ...sealer,
    async seal(plain, owner) {
      if (await isSecretsKeyRight({ sql, sealer })) return await sealer.seal(plain, owner);
      throw new CommandError("not_configured", WRONG_SECRETS_KEY);
    },
  };
}
