import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";
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
  /** When the platform's restriction ends, if it said so. */
  stoppedUntil: Date | null;
  /** How many people per day the business may write to first, in the platform's words: TIER_250, TIER_2K … */
  messagingLimit: string | null;
  /** RED, or UNKNOWN when it is no longer that; null until the platform has reported it. */
  quality: string | null;
  /** The platform's last warning about the account, and when it came. */
  platformNotice: string | null;
  platformNoticeAt: Date | null;
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
  return await selectSenders(sql, companyId ? sql`where company_id = ${companyId}` : sql``);
}

/**
 * One sender; never its token.
 *
 * @throws {CommandError} `not_found`
 */
export async function showSender(
  { sql }: { sql: Sql },
  { senderId }: { senderId: string },
): Promise<SenderRow> {
  const [row] = await selectSenders(sql, sql`where id = ${senderId}`);
  if (!row) throw new CommandError("not_found", `No sender with id ${senderId}`);
  return row;
}

async function selectSenders(sql: Sql, where: ReturnType<Sql>): Promise<SenderRow[]> {
  return await sql<SenderRow[]>`
    select id as "senderId", company_id as "companyId", channel, number, provider_id as "providerId",
      waba_id as "wabaId", token_sealed is not null as "hasToken", rate_per_second as "ratePerSecond",
      concurrency, status, stopped_reason as "stoppedReason",
      stopped_for_good as "stoppedForGood", stopped_until as "stoppedUntil",
      messaging_limit as "messagingLimit", quality, platform_notice as "platformNotice",
      nullif(platform_notice_at, '-infinity') as "platformNoticeAt"
    from outbound.senders ${where}
    order by company_id, created_at, id`;
}
