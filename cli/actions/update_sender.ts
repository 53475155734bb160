import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { senderTokenOf } from "../../supabase/functions/_shared/crypto/secret_owner.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";
import { refuseOnConstraint } from "./refuse_on_constraint.ts";
import { tooManyLines } from "./too_many_lines.ts";

export interface SenderChange {
  senderId: string;
  /** A new access token or API key of the platform. */
  token?: string | undefined;
  /** Messages a second. */
  ratePerSecond?: number | undefined;
  /** Voice: calls at a time. */
  concurrency?: number | undefined;
  /** Lets a sender that the platform had stopped send again. What the platform reports from before changes nothing. */
  resume?: boolean | undefined;
}

/**
 * Changes what is given and leaves the rest.
 *
 * @throws {CommandError} `not_found` or `bad_value`
 */
export async function updateSender(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  { senderId, token, ratePerSecond, concurrency, resume = false }: SenderChange,
): Promise<{ senderId: string; status: string }> {
  const unknown = () => new CommandError("not_found", `No sender with id ${senderId}`);
  const [sender] = await sql<{ companyId: string }[]>`
    select company_id as "companyId" from outbound.senders where id = ${senderId}`;
  if (!sender) throw unknown();
  const { companyId } = sender;
  const sealed = token ? await sealer.seal(token, senderTokenOf(companyId, senderId)) : null;
  const [row] = await refuseOnConstraint(
    sql<{ status: string }[]>`
    update outbound.senders
    set token_sealed = coalesce(${sealed}, token_sealed),
      rate_per_second = coalesce(${ratePerSecond ?? null}, rate_per_second),
      concurrency = coalesce(${concurrency ?? null}, concurrency),
      status = case when ${resume} then 'active' else status end,
      stopped_reason = case when ${resume} then null else stopped_reason end,
      stopped_at = case when ${resume} then null else stopped_at end,
      stopped_for_good = stopped_for_good and not ${resume},
      stopped_by_account = stopped_by_account and not ${resume},
      stopped_until = case when not ${resume} then stopped_until end,
      account_status_at = case when ${resume} then now() else account_status_at end
    where company_id = ${companyId} and id = ${senderId}
    returning status`,
    { senders_concurrency_check: tooManyLines },
  );
  if (!row) throw unknown();
  return { senderId, status: row.status };
}
