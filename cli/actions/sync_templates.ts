import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { jsonParameter, type Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { AppError } from "../../supabase/functions/_shared/errors.ts";
import type { WhatsappConfig } from "../../supabase/functions/_shared/gateways/whatsapp/config.ts";
import { listTemplates } from "../../supabase/functions/_shared/gateways/whatsapp/list_templates.ts";
import {
  type TemplateFacts,
  templateFromPlatform,
} from "../../supabase/functions/_shared/templates/from_platform.ts";
import { CommandError } from "../command_error.ts";
import { refuseUnlessCompany } from "./refuse_unless_company.ts";

export interface SyncContext {
  sql: Sql;
  sealer: Sealer;
  whatsapp: WhatsappConfig;
  /** Called before each account and after each page of the platform's list. */
  onProgress?: (progress: SyncProgress) => void;
}

export interface SyncProgress {
  accountsDone: number;
  accounts: number;
  /** Read so far, over all accounts. */
  templates: number;
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
 * Brings our copies of a company's templates in line with the platform, one business account after the other. An
 * account that cannot be read does not hold up the others.
 *
 * @throws {CommandError} `not_found`, or `bad_value` when the company has no whatsapp sender
 */
export async function syncTemplates(
  context: SyncContext,
  { companyId }: { companyId: string },
): Promise<SyncedAccount[]> {
  const accounts = await accountsOf(context.sql, companyId);
  const done: SyncedAccount[] = [];
  let read = 0;
  const report = () =>
    context.onProgress?.({ accountsDone: done.length, accounts: accounts.length, templates: read });
  report();
  for (const account of accounts) {
    done.push(
      await syncAccount(context, companyId, account, (count) => {
        read += count;
        report();
      }),
    );
    report();
  }
  return done;
}

interface Account {
  wabaId: string;
  sealed: string | null;
}

/** The token of any sender opens its whole account; one of a sender that works is the best guess. */
async function accountsOf(sql: Sql, companyId: string): Promise<Account[]> {
  const accounts = await sql<Account[]>`
    select distinct on (waba_id) waba_id as "wabaId", token_sealed as sealed
    from outbound.senders
    where company_id = ${companyId} and channel = 'whatsapp'
    order by waba_id, token_sealed is null, status = 'stopped', created_at, id`;
  if (accounts.length > 0) return accounts;
  await refuseUnlessCompany(sql, companyId);
  throw new CommandError("bad_value", `Company ${companyId} has no whatsapp sender: use "sender create"`);
}

async function syncAccount(
  { sql, sealer, whatsapp }: SyncContext,
  companyId: string,
  { wabaId, sealed }: Account,
  onPage: (count: number) => void,
): Promise<SyncedAccount> {
  try {
    const token = await openToken(sealer, sealed);
    const templates: TemplateFacts[] = [];
    for await (const page of listTemplates(whatsapp, { wabaId, token })) {
      templates.push(...page.map(templateFromPlatform));
      onPage(page.length);
    }
    const changed = await writeTemplates(sql, companyId, wabaId, templates);
    return { wabaId, templates: templates.length, changed, error: null };
  } catch (error) {
    if (!(error instanceof AppError || error instanceof CommandError)) throw error;
    return { wabaId, templates: 0, changed: 0, error: error.message };
  }
}

async function openToken(sealer: Sealer, sealed: string | null): Promise<string> {
  if (sealed === null) throw new CommandError("bad_value", "None of its senders has a token");
  return await sealer.open(sealed).catch((cause) => {
    throw new CommandError("bad_value", "SECRETS_KEY is not the one its token was sealed with", { cause });
  });
}

async function writeTemplates(
  sql: Sql,
  companyId: string,
  wabaId: string,
  templates: TemplateFacts[],
): Promise<number> {
  const rows = templates.map((template) => ({
    provider_template_id: template.providerTemplateId,
    name: template.name,
    language: template.language,
    category: template.category,
    status: template.status,
    rejected_reason: template.rejectedReason,
    parameter_format: template.parameterFormat,
    components: template.components,
  }));
  const [row] = await sql<{ changed: number }[]>`
    select outbound.sync_templates(${companyId}, ${wabaId}, ${jsonParameter(sql, rows)}) as changed`;
  return row!.changed;
}
