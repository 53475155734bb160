import type { Sql } from "../driver/connect.ts";

/** The use of one key in one day (UTC). */
export interface UsageRow {
  /** `2030-01-31` */
  day: string;
  key_id: string;
  is_current: boolean;
  notifications: number;
  requests: number;
  /** Notifications per day. */
  daily_quota: number;
}

/** Returns what a company's keys did in the last `days` days, the newest first. Days without a request are left out. */
export async function readUsage(
  sql: Sql,
  { companyId, days }: { companyId: string; days: number },
): Promise<UsageRow[]> {
  return await sql<UsageRow[]>`
    select u.day::text as day, k.id as key_id, k.is_current, u.notifications,
      u.day_requests as requests, k.daily_quota
    from outbound.usage as u
    join outbound.api_keys as k on k.company_id = u.company_id and k.id = u.api_key_id
    where u.company_id = ${companyId} and u.day > (now() at time zone 'UTC')::date - ${days}::int
    order by u.day desc, k.created_at desc`;
}
