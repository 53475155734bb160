import type { Sealer } from "../crypto/seal.ts";
import type { Sql } from "../db/connect.ts";
import { settleTemplates } from "../db/dispatch_queue.ts";
import { readDatabaseTime, type TemplateAccount, writeTemplates } from "../db/template_sync.ts";
import { AppError } from "../errors.ts";
import type { WhatsappConfig } from "../gateways/whatsapp/config.ts";
import { listTemplates } from "../gateways/whatsapp/list_templates.ts";
import { type TemplateFacts, templateFromPlatform } from "./from_platform.ts";
import { openToken } from "./open_token.ts";
import { templateRow } from "./template_row.ts";

export interface SyncContext {
  sql: Sql;
  sealer: Sealer;
  whatsapp: WhatsappConfig;
}

export interface SyncedAccount {
  wabaId: string;
  /** On the platform. */
  templates: number;
  /** Of ours, written because they differed. */
  changed: number;
  /** Why the account could not be read; our copies of its templates are as they were. */
  error: string | null;
}

/**
 * Brings our copies of one business account's templates in line with the platform. `onPage` is told how many templates
 * each page held. What is wrong with the account, its token or the platform is told in `error`, not thrown.
 */
export async function syncAccount(
  { sql, sealer, whatsapp }: SyncContext,
  account: TemplateAccount,
  onPage: (count: number) => void = () => {},
): Promise<SyncedAccount> {
  const { companyId, wabaId } = account;
  try {
    const token = await openToken(sealer, account);
    const listedAt = await readDatabaseTime(sql);
    const templates: TemplateFacts[] = [];
    for await (const page of listTemplates(whatsapp, { wabaId, token })) {
      templates.push(...page.map(templateFromPlatform));
      onPage(page.length);
    }
    const changed = await writeTemplates(sql, { companyId, wabaId, listedAt }, templates.map(templateRow));
    await settleTemplates(sql);
    return { wabaId, templates: templates.length, changed, error: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { wabaId, templates: 0, changed: 0, error: error.message };
  }
}
