import { isNumber, type PersonKey } from "../../values/address.ts";
import type { Sql } from "../driver/connect.ts";
import { readPages } from "../driver/read_pages.ts";

/** The facts about a person, besides notifications and messages, which may be many. */
export interface PersonFacts {
  addresses: string[];
  /** The person's contacts: as a rule one, or none. */
  contacts: string[];
  user_ids: unknown[];
  suppressions: unknown[];
  consents: unknown[];
  marketing_cooldowns: unknown[];
  marketing_sends: unknown[];
  handoffs: unknown[];
}

/** Reads the facts about a person, under every known address, by their indexes. */
export async function readPersonFacts(
  sql: Sql,
  companyId: string,
  { number, user_id, contact_id }: PersonKey,
): Promise<PersonFacts> {
  const [row] = await sql<PersonFacts[]>`
    with named as materialized (
      select outbound.addresses_of_person(${companyId}, ${number}, ${user_id}, ${contact_id}) as addresses
    ),
    person as materialized (
      select n.addresses, array(
        select c.id from outbound.contacts as c
        where c.company_id = ${companyId}
          and c.id = any (outbound.contacts_of_addresses(${companyId}, n.addresses) || ${contact_id}::uuid)
        order by c.id is distinct from ${contact_id}::uuid, c.id
      ) as contacts
      from named as n
    )
    select p.addresses, p.contacts,
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
      )) as marketing_sends,
      array_to_json(array(
        select json_build_object('handoff_id', h.id, 'widget_id', h.widget_id, 'reason', h.reason, 'contact', h.contact,
          'created_at', outbound.iso_time(h.created_at))
        from outbound.handoffs as h
        where h.company_id = ${companyId}
          and h.id = any (outbound.handoffs_of_person(${companyId}, p.addresses, p.contacts))
        order by h.created_at, h.id
      )) as handoffs
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

/** Reads a contact's chats on the website, in their order, page by page. */
export function readExportedChats(
  sql: Sql,
  companyId: string,
  contactId: string,
): AsyncGenerator<ExportedRow[]> {
  return readPages(PAGE, async (after) =>
    await sql<ExportedRow[]>`
      select v.id, json_build_object(
        'conversation_id', v.id, 'widget_id', v.widget_id, 'status', v.status, 'language', v.language,
        'page_url', v.page_url, 'page_title', v.page_title, 'created_at', outbound.iso_time(v.created_at),
        'closed_at', outbound.iso_time(v.closed_at), 'email', v.visitor_email, 'consent', v.consent,
        'rating', v.rating, 'rating_comment', v.rating_comment, 'rated_at', outbound.iso_time(v.rated_at)
      ) as row
      from outbound.conversations as v
      where v.company_id = ${companyId} and v.contact_id = ${contactId}
        ${
      after === undefined ? sql`` : sql`and (v.created_at, v.id) > (
          select o.created_at, o.id from outbound.conversations as o where o.company_id = ${companyId} and o.id = ${after})`
    }
      order by v.created_at, v.id limit ${PAGE}`);
}

/** Reads what was written in one chat, in its order, page by page. */
export function readExportedChatMessages(
  sql: Sql,
  companyId: string,
  conversationId: string,
): AsyncGenerator<ExportedRow[]> {
  return readPages(PAGE, async (after) =>
    await sql<ExportedRow[]>`
      select m.sequence::text as id, json_strip_nulls(json_build_object(
        'conversation_id', m.conversation_id, 'sequence', m.sequence, 'author', m.author, 'text', m.text,
        'content', nullif(m.content, '{}'), 'at', outbound.iso_time(m.created_at)
      )) as row
      from outbound.conversation_messages as m
      where m.company_id = ${companyId} and m.conversation_id = ${conversationId}
        and m.sequence > ${after ?? 0}
      order by m.sequence limit ${PAGE}`);
}

/** Returns the ids of a person's conversations with the company's senders: one per sender and address. */
export async function readThreads(sql: Sql, companyId: string, addresses: string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select thread.id from outbound.senders as s
    cross join unnest(${addresses}::text[]) as known(address)
    cross join lateral (
      select t.id from outbound.contact_threads as t
      where t.sender_id = s.id and t.address = known.address and t.company_id = ${companyId} limit 1
    ) as thread
    where s.company_id = ${companyId}`;
  return rows.map(({ id }) => id);
}

/** Reads what members noted about one conversation, in their order, page by page. */
export function readExportedNotes(
  sql: Sql,
  companyId: string,
  conversationId: string,
): AsyncGenerator<ExportedRow[]> {
  return readPages(PAGE, async (after) =>
    await sql<ExportedRow[]>`
      select n.id, json_build_object(
        'note_id', n.id, 'conversation_id', n.conversation_id, 'text', n.text,
        'created_at', outbound.iso_time(n.created_at)
      ) as row
      from outbound.conversation_notes as n
      where n.company_id = ${companyId} and n.conversation_id = ${conversationId}
        ${after === undefined ? sql`` : sql`and n.id > ${after}`}
      order by n.id limit ${PAGE}`);
}
