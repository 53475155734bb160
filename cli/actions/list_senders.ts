import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { refuseUnlessCompany } from "./refuse_unless_company.ts";

export interface SenderRow {
  senderId: string;
  companyId: string;
  channel: string;
  number: string;
  providerId: string;
  wabaId: string | null;
  hasToken: boolean;
  /** Messages a second. */
  ratePerSecond: number;
  /** Voice: calls at a time. */
  concurrency: number;
  status: string;
  stoppedReason: string | null;
  /** The platform has locked the account: requests for this sender are refused. */
  stoppedForGood: boolean;
}

/**
 * The senders of one company, or of all; never their tokens.
 *
 * @throws {CommandError} `not_found`
 */
export async function listSenders(
  { sql }: { sql: Sql },
  { companyId }: { companyId?: string | undefined } = {},
): Promise<SenderRow[]> {
  if (companyId) await refuseUnlessCompany(sql, companyId);
  return await sql<SenderRow[]>`
    select id as "senderId", company_id as "companyId", channel, number, provider_id as "providerId",
      waba_id as "wabaId", token_sealed is not null as "hasToken", rate_per_second as "ratePerSecond",
      concurrency, status, stopped_reason as "stoppedReason",
      stopped_for_good as "stoppedForGood"
    from outbound.senders
    ${companyId ? sql`where company_id = ${companyId}` : sql``}
    order by company_id, created_at, id`;
}
