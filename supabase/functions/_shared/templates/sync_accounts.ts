import type { Sealer } from "../crypto/seal.ts";
import type { Actor } from "../db/access/audit.ts";
import { refreshTestCompany } from "../db/access/test_companies.ts";
import type { Sql } from "../db/driver/connect.ts";
import { settleTemplates } from "../db/queue/dispatch_queue.ts";
import {
  readDatabaseTime,
  takeAccountsToSync,
  type TemplateAccount,
  writeTemplates,
} from "../db/templates/templates.ts";
import { readAccounts } from "../db/queue/senders.ts";
import { AppError } from "../errors.ts";
import type { WhatsappConfig } from "../gateways/whatsapp/errors.ts";
import { listTemplates } from "../gateways/whatsapp/list_templates.ts";
import type { Services } from "../services.ts";
import { accountToken } from "./account_token.ts";
import { type TemplateFacts, templateFromPlatform, templateRow } from "./template.ts";

/** The services that a sync uses. */
export interface SyncContext {
  sql: Sql;
  sealer: Sealer;
  whatsapp: WhatsappConfig;
}

/** The result of syncing one business account. */
export interface SyncedAccount {
  wabaId: string;
  /** Number of templates on the platform. */
  templates: number;
  /** Number of our copies that were written, because they differed. */
  changed: number;
  /** Why the account could not be read; our copies of its templates stay as they were. */
  error: string | null;
}

/**
 * Brings our copies of one business account's templates in line with the platform. A fault of the account, its token or
 * the platform is returned in `error`, not thrown.
 *
 * @param by who asked for it, for the audit; absent for a sync that is due
 */
export async function syncAccount(
  { sql, sealer, whatsapp }: SyncContext,
  account: TemplateAccount,
  by?: Actor,
): Promise<SyncedAccount> {
  const { company_id: companyId, waba_id: wabaId } = account;
  try {
    const token = await accountToken(sealer, account);
    const listedAt = await readDatabaseTime(sql);
    const templates: TemplateFacts[] = [];
    for await (const page of listTemplates(whatsapp, { wabaId, token })) {
      templates.push(...page.map(templateFromPlatform));
    }
    const changed = await writeTemplates(
      sql,
      { companyId, wabaId, listedAt },
      templates.map(templateRow),
      by,
    );
    await refreshTestCompany(sql, companyId);
    await settleTemplates(sql);
    return { wabaId, templates: templates.length, changed, error: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { wabaId, templates: 0, changed: 0, error: error.message };
  }
}

/**
 * Brings our copies of a company's templates in line with the platform, one business account after the other. An
 * account that cannot be read does not delay the others. Returns none for a company without a WhatsApp sender.
 */
export async function syncCompany(
  context: SyncContext,
  companyId: string,
  by: Actor,
): Promise<SyncedAccount[]> {
  const done: SyncedAccount[] = [];
  for (const account of await readAccounts(context.sql, companyId)) {
    done.push(await syncAccount(context, account, by));
  }
  return done;
}

const ACCOUNTS_PER_RUN = 20;

/** Syncs the templates of accounts that were not synced for an hour, in case an event of the platform was missed. */
export async function syncDueAccounts(services: Services): Promise<void> {
  const { env, log, sealer, sql } = services;
  const whatsapp = { apiUrl: env.WHATSAPP_API_URL, apiVersion: env.WHATSAPP_API_VERSION };
  for (const account of await takeAccountsToSync(sql, ACCOUNTS_PER_RUN)) {
    const { error, changed } = await syncAccount({ sql, sealer, whatsapp }, account);
    const fields = { company_id: account.company_id, waba_id: account.waba_id };
    if (error !== null) log.warn("templates could not be synced", { ...fields, reason: error });
    else if (changed > 0) log.info("templates synced", { ...fields, changed });
  }
}
