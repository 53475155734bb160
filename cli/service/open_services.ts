import { EnvError, loadEnv } from "../../supabase/functions/_shared/env.ts";
import { createServices, type Services } from "../../supabase/functions/_shared/services.ts";
import { CommandError } from "../command_error.ts";
import { adaptToPooler } from "./adapt_to_pooler.ts";
import { checkDatabase } from "./check_database.ts";
import { checkSecretsKey } from "./check_secrets_key.ts";

/**
 * Opens the service for an environment.
 *
 * @param required settings that must be there although the service itself could do without
 * @throws {CommandError} `not_configured` for settings that are missing or malformed or a SECRETS_KEY that is not the database's, `database_error` for a database
 * that cannot be reached or lacks migrations
 */
export async function openServices(
  variables: Record<string, string | undefined>,
  required: string[],
): Promise<Services> {
  const known = { ...variables, DATABASE_URL: variables.DATABASE_URL || variables.SUPABASE_DB_URL };
  const missing = required.filter((name) => !known[name as keyof typeof known]);
  if (missing.length > 0) {
    throw new CommandError("not_configured", `Missing settings: ${missing.join(", ")}`);
  }
  const services = createServices(loadSettings(known));
  const database = await checkDatabase(services.sql, services.env.DATABASE_URL);
  const problem = database ?? await checkSecretsKey(services);
  if (problem === undefined) {
    await adaptToPooler(services);
    return services;
  }
  await services.sql.end({ timeout: 1 });
  throw new CommandError(database === undefined ? "not_configured" : "database_error", problem);
}

function loadSettings(variables: Record<string, string | undefined>) {
  try {
    return loadEnv(variables);
  } catch (error) {
    if (error instanceof EnvError) throw new CommandError("not_configured", error.message, { cause: error });
    throw error;
  }
}
