import type { CampaignIds } from "./campaign_control.ts";
import type { Sql } from "../driver/connect.ts";

/** The notifications of a campaign that failed or were skipped with one code. */
export interface FailureRow {
  /** `unknown` where the platform gave none. */
  code: string;
  skipped: boolean;
  count: number;
  /** How many of them were resent. */
  resent: number;
  /** The ids of the first and the last of them. */
  examples: string[];
}

/** Counts what failed or was skipped of a campaign by code, the most frequent first. Reads nothing else of it. */
export async function readFailures(
  sql: Sql,
  { companyId, campaignId }: CampaignIds,
): Promise<FailureRow[]> {
  return await sql<FailureRow[]>`
    with recursive known as (${knownCodes(sql, campaignId)})
    select known.code, failed.skipped, failed.count, failed.resent,
      case when failed.first = failed.last then array[failed.first] else array[failed.first, failed.last] end as examples
    from known
    cross join lateral (
      select bool_or(n.skipped_at is not null) as skipped, count(*)::int as count, count(n.resent_as)::int as resent,
        min(n.id::text) as first, max(n.id::text) as last
      from outbound.notification_facts as n
      where n.campaign_id = ${campaignId} and coalesce(n.error_code, 'unknown') = known.code
        and (n.failed_at is not null or n.skipped_at is not null)
        and case when n.company_id = ${companyId} then true end
    ) as failed
    where failed.count > 0
    order by failed.count desc, known.code`;
}

/** The codes of what failed or was skipped of a campaign, for `with recursive known`: jumps from one to the next in the index. */
export function knownCodes(sql: Sql, campaignId: string) {
  return sql`
    (
      select coalesce(n.error_code, 'unknown') as code from outbound.notification_facts as n
      where n.campaign_id = ${campaignId} and (n.failed_at is not null or n.skipped_at is not null)
      order by n.campaign_id, coalesce(n.error_code, 'unknown') limit 1
    )
    union all
    select following.code
    from known cross join lateral (
      select coalesce(n.error_code, 'unknown') as code from outbound.notification_facts as n
      where n.campaign_id = ${campaignId} and (n.failed_at is not null or n.skipped_at is not null)
        and coalesce(n.error_code, 'unknown') > known.code
      order by n.campaign_id, coalesce(n.error_code, 'unknown') limit 1
    ) as following`;
}

/** Returns how many contacts of a campaign's requests were refused. */
export async function readRejected(sql: Sql, { companyId, campaignId }: CampaignIds): Promise<number> {
  const [row] = await sql<{ rejected: number }[]>`
    select g.rejected from outbound.campaigns as g where g.company_id = ${companyId} and g.id = ${campaignId}`;
  return row?.rejected ?? 0;
}
