import { EnvError, loadEnv } from "../../supabase/functions/_shared/env.ts";
import { createServices, type Services } from "../../supabase/functions/_shared/services.ts";
import { checkDatabase } from "./check_database.ts";

/**
 * Opens the service for an environment, or says in one line why it cannot run: settings that are missing (those in
 * `required`, which have no default) or malformed, a database that cannot be reached or lacks migrations.
 */
export async function openServices(
  variables: Record<string, string | undefined>,
  required: string[],
): Promise<{ services: Services } | { problem: string }> {
  const known = { ...variables, DATABASE_URL: variables.DATABASE_URL || variables.SUPABASE_DB_URL };
  const missing = required.filter((name) => !known[name as keyof typeof known]);
  if (missing.length > 0) return { problem: `Missing settings: ${missing.join(", ")}` };
  try {
    const services = createServices(loadEnv(known));
    const problem = await checkDatabase(services.sql, services.env.DATABASE_URL);
    if (!problem) return { services };
    await services.sql.end({ timeout: 1 });
    return { problem };
  } catch (error) {
    if (error instanceof EnvError) return { problem: error.message };
    throw error;
  }
}
