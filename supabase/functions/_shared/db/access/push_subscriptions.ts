import type { Sql } from "../driver/connect.ts";
import type { MemberIds } from "./members.ts";

/** More browsers are of no use to a person; the oldest goes. */
export const MAX_PUSH_SUBSCRIPTIONS = 10;

/** A browser in which a member asked to be notified. */
export interface PushSubscriptionRow {
  subscription_id: string;
  endpoint: string;
  language: string;
  created_at: Date;
}

/** How a browser is notified. */
export interface NewPushSubscription {
  endpoint: string;
  p256dh: string;
  auth: string;
  language: string;
}

/** Returns a member's browsers, the newest first. */
export async function readPushSubscriptions(
  sql: Sql,
  { companyId, userId }: MemberIds,
): Promise<PushSubscriptionRow[]> {
  return await sql<PushSubscriptionRow[]>`
    select s.id as subscription_id, s.endpoint, s.language, s.created_at from outbound.push_subscriptions as s
    where s.company_id = ${companyId} and s.user_id = ${userId}
    order by s.created_at desc, s.id desc`;
}

/** Stores a member's browser, in place of what is stored of it, and removes what is more than a member may have. */
export async function storePushSubscription(
  sql: Sql,
  { companyId, userId }: MemberIds,
  { endpoint, p256dh, auth, language }: NewPushSubscription,
): Promise<PushSubscriptionRow> {
  const [row] = await sql<PushSubscriptionRow[]>`
    with removed as (
      delete from outbound.push_subscriptions as s
      where s.company_id = ${companyId} and s.user_id = ${userId} and s.id in (
        select o.id from outbound.push_subscriptions as o
        where o.company_id = ${companyId} and o.user_id = ${userId} and o.endpoint <> ${endpoint}
        order by o.created_at desc, o.id desc offset ${MAX_PUSH_SUBSCRIPTIONS - 1}
      )
    )
    insert into outbound.push_subscriptions as s (company_id, user_id, endpoint, p256dh, auth, language)
    values (${companyId}, ${userId}, ${endpoint}, ${p256dh}, ${auth}, ${language})
    on conflict on constraint push_subscriptions_endpoint_key do update
    set p256dh = excluded.p256dh, auth = excluded.auth, language = excluded.language
    returning s.id as subscription_id, s.endpoint, s.language, s.created_at`;
  return row!;
}

/** Removes a member's browser. */
export async function deletePushSubscription(
  sql: Sql,
  { companyId, userId }: MemberIds,
  subscriptionId: string,
): Promise<void> {
  await sql`delete from outbound.push_subscriptions as s
    where s.company_id = ${companyId} and s.user_id = ${userId} and s.id = ${subscriptionId}`;
}

/** Removes all browsers of a user, in every company: their sessions have ended. */
export async function deletePushSubscriptionsOf(sql: Sql, userId: string): Promise<void> {
  await sql`delete from outbound.push_subscriptions as s where s.user_id = ${userId}`;
}
