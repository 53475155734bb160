import { stopPreparing } from "../../supabase/functions/_shared/db/connect.ts";
import { keepsStatements } from "../../supabase/functions/_shared/db/keeps_statements.ts";
import { describeError } from "../../supabase/functions/_shared/log.ts";
import { FORGOTTEN, type Services } from "../../supabase/functions/_shared/services.ts";

/**
 * Switches prepared statements off where the pooler in front of the database cannot keep them, and logs that. Without
 * this the service would find out by itself, one statement later.
 */
export async function adaptToPooler({ env, sql, log }: Services): Promise<void> {
  try {
    if (!sql.options.prepare || await keepsStatements(env.DATABASE_URL)) return;
    if (stopPreparing(sql)) log.warn(FORGOTTEN);
  } catch (error) {
    // No connection to spare, for one.
    log.warn("could not find out whether prepared statements are kept", describeError(error));
  }
}
