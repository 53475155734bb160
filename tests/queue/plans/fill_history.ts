import type postgres from "postgres";
import type { SendingCompany } from "../../setup/fixtures/queue.ts";
import { insertQueued } from "../../setup/fixtures/insert_queued.ts";

const FINISHED = 200_000;
const WAITING = 20_000;
const CAMPAIGNS = 20;
/** Rows of everything else there is much of. */
const OTHERS = 20_000;

/** A long history and a long queue, of two companies, made in the database. */
export async function fillQueue(sql: postgres.ISql, companies: SendingCompany[]): Promise<void> {
  for (const company of companies) {
    const { id, key, sender, template } = company;
    await sql`
      insert into outbound.campaigns (company_id, id, api_key_id, channel, name, notification_type, sender_id,
        template_id, template_name, template_language, total, pending, sent, completed_at)
      select ${id}, gen_random_uuid(), ${key.id}, 'whatsapp', 'C', 'utility', ${sender.id}, ${template.id}, 'hello',
        'en', n.finished + n.waiting, n.waiting, n.finished, case when n.waiting = 0 then now() end
      from generate_series(1, ${CAMPAIGNS}) as c(number)
      cross join lateral (select ${FINISHED / 2 / CAMPAIGNS}::int as finished, ${
      WAITING / 2 / CAMPAIGNS
    }::int as waiting) as n`;
    await sql`
      insert into outbound.notification_facts (company_id, id, campaign_id, sender_id, number, message, status, attempt,
        fence, platform_message_id, sent_at)
      select ${id}, gen_random_uuid(), g.id, ${sender.id}, '34600111222', '[]', 'sent', 1, 1,
        'wamid.' || gen_random_uuid(), at
      from outbound.campaigns as g, generate_series(1, g.sent) as n,
        lateral (select now() - interval '1 second' * n as at) as t
      where g.company_id = ${id}`;
    await insertQueued(
      sql,
      sql`
      select g.company_id, gen_random_uuid() as id, g.id as campaign_id, g.sender_id, n % 3 as priority,
        '34600111222' as number, '[]' as message, at as run_at, null::timestamptz as held_run_at,
        at + interval '1 day' as expires_at
      from outbound.campaigns as g, generate_series(1, g.pending) as n,
        lateral (select now() + interval '1 second' * (n - 250) as at) as t
      where g.company_id = ${id}`,
    );
  }
}

/** Events of the past, all applied. */
export async function fillEvents(sql: postgres.ISql): Promise<void> {
  await sql`
    insert into outbound.platform_events (dedupe_key, channel, platform_message_id, company_id, notification_id, status,
      occurred_at, applied_at)
    select 'whatsapp:' || n.platform_message_id || ':read', 'whatsapp', n.platform_message_id, n.company_id, n.id,
      'read', now(), now()
    from outbound.notifications as n where n.status = 'sent' limit 100000`;
}

/** Inserts what requests and the outgoing webhook leave behind, all of one company with this chat widget. */
export async function fillRequests(
  sql: postgres.ISql,
  { id, key, sender }: SendingCompany,
  widgetId: string,
): Promise<void> {
  await sql`
    insert into outbound.campaigns (company_id, id, api_key_id, channel, name, notification_type, sender_id, template_name,
      template_language, total, pending, sent, completed_at)
    select ${id}, gen_random_uuid(), ${key.id}, 'whatsapp', 'C', 'utility', ${sender.id}, 'hello', 'en', 1, 0, 1, now()
    from generate_series(1, ${OTHERS}) as n`;
  await sql`
    insert into outbound.idempotency_keys (company_id, endpoint, key, request_hash, answer)
    select ${id}, 'notify', 'key-' || n, 'hash', '{}' from generate_series(1, ${OTHERS}) as n`;
  await sql`
    insert into outbound.key_requests (company_id, id, api_key_id, method, path, status, duration_ms, stands_for,
      created_at)
    select ${id}, gen_random_uuid(), ${key.id}, 'POST', '/notify', 200, 1, 1, now() from generate_series(1, ${OTHERS}) as n`;
  await sql`
    with event as (
      insert into outbound.outgoing_events (company_id, type, payload)
      select ${id}, 'notification.sent', '{}' from generate_series(1, ${OTHERS}) returning id
    )
    insert into outbound.webhook_deliveries (company_id, event_id, status, finished_at, run_at)
    select ${id}, id, case when n > 1000 then 'succeeded' else 'pending' end, case when n > 1000 then now() end,
      now() - interval '1 minute'
    from (select id, row_number() over () as n from event) as numbered`;
  await sql`
    with conversation as (
      insert into outbound.conversations (company_id, widget_id, user_id, token_hash, last_sequence, last_author,
        last_message_at)
      select ${id}, ${widgetId}, gen_random_uuid(), repeat(md5(n::text), 2), 2, 'visitor', now()
      from generate_series(1, ${OTHERS / 2}) as n returning id
    )
    insert into outbound.conversation_messages (company_id, conversation_id, sequence, author, text)
    select ${id}, id, n, 'visitor', 'Hello' from conversation, generate_series(1, 2) as n`;
  await sql`
    insert into outbound.visitor_requests (subject, window_start, requests)
    select 'subject-' || n, now(), 1 from generate_series(1, ${OTHERS}) as n`;
  await sql`
    insert into outbound.login_attempts (subject, window_start, attempts)
    select 'subject-' || n, now(), 1 from generate_series(1, ${OTHERS}) as n`;
}
