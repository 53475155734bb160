import type postgres from "postgres";
import { fillCampaign, type Tenant } from "../setup/tenants.ts";

/**
 * Schedules a campaign, all of it for one moment, long enough from now that filling it in is over by then.
 *
 * @returns that moment, in milliseconds since 1970
 */
export async function fillDueAtOnce(sql: postgres.Sql, tenant: Tenant, count: number): Promise<number> {
  const id = await fillCampaign(sql, tenant, { count, dueInS: 2 + count / 5000 });
  const [row] = await sql<{ due: Date }[]>`
    select min(run_at) as due from outbound.notifications
    where company_id = ${tenant.company.id} and campaign_id = ${id}`;
  await sql`analyze outbound.notification_facts, outbound.queue`;
  const dueMs = row!.due.getTime();
  if (dueMs < Date.now()) throw new Error("Filling took too long: the campaign is due already");
  return dueMs;
}
