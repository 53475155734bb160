import {
  isSecretsKeyRight,
  WRONG_SECRETS_KEY,
} from "../../supabase/functions/_shared/access/secrets_canary.ts";
import type { Services } from "../../supabase/functions/_shared/services.ts";
import { describeDatabaseError } from "../describe_database_error.ts";

/** Why the service cannot run with its SECRETS_KEY, in one line; nothing when it can. */
export async function checkSecretsKey(
  services: Pick<Services, "env" | "sql" | "sealer">,
): Promise<string | undefined> {
  try {
    return await isSecretsKeyRight(services) ? undefined : WRONG_SECRETS_KEY;
  } catch (error) {
    return describeDatabaseError(error, services.env.DATABASE_URL);
  }
}
