import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import type { TemplateAccount } from "../../supabase/functions/_shared/db/template_sync.ts";
import {
  syncAccount,
  type SyncContext,
  type SyncedAccount,
} from "../../supabase/functions/_shared/templates/sync_account.ts";
import { CommandError } from "../command_error.ts";
import { refuseUnlessCompany } from "./refuse_unless_company.ts";

export interface SyncProgress {
  accountsDone: number;
  accounts: number;
  /** Read so far, over all accounts. */
  templates: number;
}

/**
 * Brings our copies of a company's templates in line with the platform, one business account after the other. An
 * account that cannot be read does not hold up the others.
 *
 * @throws {CommandError} `not_found`, or `bad_value` when the company has no whatsapp sender
 */
export async function syncTemplates(
  { onProgress, ...context }: SyncContext & { onProgress?: (progress: SyncProgress) => void },
  { companyId }: { companyId: string },
): Promise<SyncedAccount[]> {
  const accounts = await accountsOf(context.sql, companyId);
  const done: SyncedAccount[] = [];
  let read = 0;
  const report = () =>
    onProgress?.({ accountsDone: done.length, accounts: accounts.length, templates: read });
  report();
  for (const account of accounts) {
    done.push(
      await syncAccount(context, account, (count) => {
        read += count;
        report();
      }),
    );
    report();
  }
  return done;
}

/** The token of any sender opens its whole account; one of a sender that works is the best guess. */
async function accountsOf(sql: Sql, companyId: string): Promise<TemplateAccount[]> {
  const accounts = await sql<TemplateAccount[]>`
    select distinct on (waba_id) company_id as "companyId", waba_id as "wabaId", id as "senderId",
      token_sealed as "tokenSealed"
    from outbound.senders
    where company_id = ${companyId} and channel = 'whatsapp'
    order by waba_id, token_sealed is null, status = 'stopped', created_at, id`;
  if (accounts.length > 0) return accounts;
  await refuseUnlessCompany(sql, companyId);
  throw new CommandError("bad_value", `Company ${companyId} has no whatsapp sender: use "sender create"`);
}
