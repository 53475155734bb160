import { takeAccountsToSync } from "../db/template_sync.ts";
import type { Services } from "../services.ts";
import { syncAccount } from "./sync_account.ts";

const ACCOUNTS_A_TURN = 20;

/** Re-syncs the templates of accounts not looked at for an hour, in case an event of the platform was missed. */
export async function syncDueAccounts(services: Services): Promise<void> {
  const { env, log, sealer, sql } = services;
  const whatsapp = { apiUrl: env.WHATSAPP_API_URL, apiVersion: env.WHATSAPP_API_VERSION };
  for (const account of await takeAccountsToSync(sql, ACCOUNTS_A_TURN)) {
    const { error, changed } = await syncAccount({ sql, sealer, whatsapp }, account);
    const fields = { company_id: account.companyId, waba_id: account.wabaId };
    if (error !== null) log.warn("templates could not be synced", { ...fields, reason: error });
    else if (changed > 0) log.info("templates synced", { ...fields, changed });
  }
}
