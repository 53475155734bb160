import { type Address, isNumber } from "../../values/address.ts";
import type { Sql } from "../driver/connect.ts";
import { readPages } from "../driver/read_pages.ts";

/** The facts about a person, besides notifications and messages, which may be many. */
export interface PersonFacts {
  addresses: string[];
  user_ids: unknown[];
  suppressions: unknown[];
  consents: unknown[];
  marketing_cooldowns: unknown[];
  marketing_sends: unknown[];
}

/** Reads the facts about a person, under every known address, by their indexes. */
export async function readPersonFacts(
  sql: Sql,
  companyId: string,
  { number, user_id }: Address,
): Promise<PersonFacts> {
  const [row] = await sql<PersonFacts[]>`
    with person as materialized (
      select outbound.addresses_of(${companyId}, ${number}, ${user_id}) as addresses
    )
    select p.addresses,
      array_to_json(array(
        select json_build_object('user_id', u.user_id, 'number', u.number, 'username', u.username,
          'seen_at', outbound.iso_time(u.seen_at))
        from unnest(p.addresses) as known(address)
        join outbound.user_ids as u on u.company_id = ${companyId} and u.user_id = known.address order by u.user_id
      )) as user_ids,
      array_to_json(array(
        select json_build_object('address', s.address, 'channel', s.channel, 'category', s.category, 'source', s.source,
          'at', outbound.iso_time(s.at), 'evidence', s.evidence, 'created_at', outbound.iso_time(s.created_at),
          'lifted_at', outbound.iso_time(s.lifted_at), 'lifted_by', s.lifted_by, 'lifted_evidence', s.lifted_evidence)
        from unnest(p.addresses) as known(address)
        join outbound.suppressions as s on s.company_id = ${companyId} and s.address = known.address order by s.created_at, s.id
      )) as suppressions,
      array_to_json(array(
        select json_build_object('address', c.address, 'channel', c.channel, 'category', c.category, 'status', c.status,
          'method', c.method, 'detail', c.detail, 'consented_at', outbound.iso_time(c.consented_at), 'source', c.source,
          'created_at', outbound.iso_time(c.created_at))
        from unnest(p.addresses) as known(address)
        join outbound.consents as c on c.company_id = ${companyId} and c.address = known.address order by c.consented_at, c.id
      )) as consents,
      array_to_json(array(
        select json_build_object('address', r.address, 'until', outbound.iso_time(r.until))
        from unnest(p.addresses) as known(address)
        join outbound.marketing_cooldowns as r on r.company_id = ${companyId} and r.address = known.address order by r.address
      )) as marketing_cooldowns,
      array_to_json(array(
        select json_build_object('address', m.address, 'notification_id', m.notification_id, 'channel', m.channel,
          'day', m.day)
        from unnest(p.addresses) as known(address)
        join outbound.marketing_sends as m on m.company_id = ${companyId} and m.address = known.address order by m.day, m.notification_id
      )) as marketing_sends
    from person as p`;
  return { ...row! };
}

const PAGE = 500;

/** A row as it is exported, with its id. */
export interface ExportedRow {
  id: string;
  row: unknown;
}

/** Reads what was sent to one address, in the order of acceptance, page by page, with what was said in calls. */
export function readExportedNotifications(
  sql: Sql,
  companyId: string,
  address: string,
): AsyncGenerator<ExportedRow[]> {
  const column = sql(isNumber(address) ? "number" : "user_id");
  return readPages(PAGE, async (after) =>
    await sql<ExportedRow[]>`
      select n.id, json_build_object(
        'notification_id', n.id, 'campaign_id', n.campaign_id, 'campaign_name', g.name, 'channel', g.channel,
        'notification_type', g.notification_type, 'template', g.template_name, 'number', n.number,
        'user_id', n.user_id, 'content', n.message, 'metadata', n.metadata, 'status', n.status, 'attempts', n.attempt,
        'created_at', outbound.iso_time(n.created_at), 'scheduled_time', outbound.iso_time(g.scheduled_time),
        'sent_at', outbound.iso_time(n.sent_at), 'delivered_at', outbound.iso_time(n.delivered_at),
        'read_at', outbound.iso_time(n.read_at), 'replied_at', outbound.iso_time(n.replied_at),
        'failed_at', outbound.iso_time(n.failed_at), 'skipped_at', outbound.iso_time(n.skipped_at),
        'code', n.error_code, 'reason', n.error_reason, 'call', case when k.notification_id is not null then
          json_build_object('conversation_id', k.conversation_id, 'outcome', k.outcome, 'duration_s', k.duration_s,
            'summary', k.summary, 'transcript', k.transcript, 'ended_at', outbound.iso_time(k.ended_at)) end
      ) as row
      from outbound.notifications as n
      join outbound.campaigns as g on g.company_id = n.company_id and g.id = n.campaign_id
      left join outbound.calls as k on n.voice and k.company_id = n.company_id and k.notification_id = n.id
      where n.company_id = ${companyId} and n.${column} = ${address}
        ${after === undefined ? sql`` : sql`and n.id > ${after}`}
      order by n.company_id, n.${column}, n.id limit ${PAGE}`);
}

/** Reads what was written to and by one address, the newest first, page by page. */
export function readExportedMessages(
  sql: Sql,
  companyId: string,
  address: string,
): AsyncGenerator<ExportedRow[]> {
  const column = sql(isNumber(address) ? "number" : "user_id");
  return readPages(PAGE, async (after) =>
    await sql<ExportedRow[]>`
      select m.id, json_build_object(
        'message_id', m.id, 'direction', m.direction, 'number', m.number, 'user_id', m.user_id, 'kind', m.kind,
        'text', m.text, 'content', m.content, 'campaign_id', m.campaign_id, 'notification_id', m.notification_id,
        'status', m.status, 'purpose', m.purpose, 'at', outbound.iso_time(m.at), 'code', m.error_code,
        'reason', m.error_reason
      ) as row
      from outbound.contact_messages as m
      where m.company_id = ${companyId} and m.${column} = ${address}
        ${
      after === undefined ? sql`` : sql`and (m.at, m.id) < (
          select o.at, o.id from outbound.contact_messages as o where o.company_id = ${companyId} and o.id = ${after})`
    }
      order by m.at desc, m.id desc limit ${PAGE}`);
}
