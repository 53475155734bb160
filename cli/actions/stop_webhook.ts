import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { showWebhook } from "./show_webhook.ts";

/**
 * Switches a company's webhook off: no more events are written for it, and those that wait are given up.
 *
 * @throws {CommandError} `not_found`
 */
export async function stopWebhook(
  { sql }: { sql: Sql },
  { companyId }: { companyId: string },
): Promise<{ companyId: string; isActive: boolean }> {
  await showWebhook({ sql }, { companyId });
  await sql`select outbound.stop_webhook(${companyId}, null)`;
  return { companyId, isActive: false };
}
