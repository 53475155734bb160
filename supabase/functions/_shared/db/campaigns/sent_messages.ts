import type { TemplateComponent } from "../../templates/template.ts";
import type { Sql } from "../driver/connect.ts";

/** A template message as it was sent, with the template as it is now. */
export interface SentMessage {
  notification_id: string;
  campaign_id: string;
  campaign_name: string;
  template_name: string | null;
  sent_at: Date | null;
  /** `template.components` of the request; empty once the recipient was erased. */
  message: unknown;
  /** Null where the template is gone. */
  components: TemplateComponent[] | null;
}

/** Returns the chat messages of these notifications. */
export async function readSentMessages(
  sql: Sql,
  companyId: string,
  notificationIds: string[],
): Promise<SentMessage[]> {
  if (notificationIds.length === 0) return [];
  return await sql<SentMessage[]>`
    select n.id as notification_id, n.campaign_id, g.name as campaign_name, g.template_name, n.sent_at, n.message,
      t.components
    from unnest(${notificationIds}::uuid[]) as known(id)
    cross join lateral (
      select o.id, o.campaign_id, o.sent_at, o.message from outbound.notification_facts as o
      where o.company_id = ${companyId} and o.id = known.id and not o.voice limit 1
    ) as n
    cross join lateral (
      select o.name, o.template_name, o.template_id from outbound.campaigns as o
      where o.company_id = ${companyId} and o.id = n.campaign_id limit 1
    ) as g
    left join lateral (
      select o.components from outbound.templates as o
      where o.company_id = ${companyId} and o.id = g.template_id limit 1
    ) as t on true`;
}
