import { type Env, loadEnv } from "../../../supabase/functions/_shared/env.ts";
import { TEST_ENV } from "../../setup/stack/services.ts";

/** Returns the settings of tests, for this database and with these changes. */
export function envOf(url: string, changes: Record<string, string> = {}): Env {
  return loadEnv({ ...TEST_ENV, DATABASE_URL: url, ...changes });
}
