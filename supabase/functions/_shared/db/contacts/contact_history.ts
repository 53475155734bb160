import type { Address } from "../../values/address.ts";
import type { Sql } from "../driver/connect.ts";

/** A notification that a person was sent, or was to be sent. */
export interface SentNotification {
  id: string;
  campaign_id: string;
  campaign_name: string;
  channel: "whatsapp" | "voice";
  notification_type: string;
  template_name: string | null;
  number: string | null;
  user_id: string | null;
  status: string;
  attempts: number;
  created_at: Date;
  sent_at: Date | null;
  delivered_at: Date | null;
  read_at: Date | null;
  replied_at: Date | null;
  failed_at: Date | null;
  skipped_at: Date | null;
  code: string | null;
  reason: string | null;
}

/** Returns a page of a person's notifications across campaigns, under every known address, newest first. */
export async function readNotificationsOfPerson(
  sql: Sql,
  { companyId, number, user_id, after, limit }: Address & {
    companyId: string;
    after?: string | undefined;
    limit: number;
  },
): Promise<SentNotification[]> {
  const earlier = after ? sql`and o.id < ${after}` : sql``;
  return await sql<SentNotification[]>`
    with known as materialized (
      select unnest(outbound.addresses_of(${companyId}, ${number}, ${user_id})) as address
    ),
    page as materialized (
      select n.id from known cross join lateral (
        select o.id from outbound.notifications as o
        where o.company_id = ${companyId} and o.number = known.address ${earlier} order by o.id desc limit ${limit}
      ) as n
      union
      select n.id from known cross join lateral (
        select o.id from outbound.notifications as o
        where o.company_id = ${companyId} and o.user_id = known.address ${earlier} order by o.id desc limit ${limit}
      ) as n
      order by id desc limit ${limit}
    )
    select n.id, n.campaign_id, g.name as campaign_name, g.channel, g.notification_type, g.template_name, n.number,
      n.user_id, n.status, n.attempt as attempts, n.created_at, n.sent_at, n.delivered_at, n.read_at, n.replied_at,
      n.failed_at, n.skipped_at, n.error_code as code, n.error_reason as reason
    from page
    cross join lateral (
      select o.* from outbound.notifications as o where o.company_id = ${companyId} and o.id = page.id
    ) as n
    join outbound.campaigns as g on g.company_id = n.company_id and g.id = n.campaign_id
    order by n.id desc`;
}
