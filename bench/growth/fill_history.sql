-- One piece of history: campaigns that are over, with their messages, attempts and the platform's events.
-- $1 … $4 the companies with their keys, senders and templates; $5 messages; $6, $7 the time they were sent in.
-- A quarter of the messages are requests for one contact, the others are campaigns of 750. Companies are as unequal as
-- they are: the first has a fifth of all.
with campaign as materialized (
  select c.size, c.at, t.company_id, t.key_id, t.sender_id, t.template_id,
    (substr(c.ms, 1, 8) || '-' || substr(c.ms, 9, 4) || '-7' || substr(gen_random_uuid()::text, 16))::uuid as id
  from (
    select p.size, p.at, 1 + floor(power(random(), 2) * cardinality($1::uuid[]))::int as ord,
      lpad(to_hex((extract(epoch from p.at) * 1000)::bigint), 12, '0') as ms
    from (
      select case when g % 251 = 0 then 750 else 1 end as size,
        $6::timestamptz + ($7::timestamptz - $6::timestamptz) * (g / ($5::int / 1000 * 251.0)) as at
      from generate_series(1, $5::int / 1000 * 251) as g
    ) as p
  ) as c
  join unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[]) with ordinality
    as t(company_id, key_id, sender_id, template_id, ord) on t.ord = c.ord
),
message as materialized (
  select m.company_id, m.campaign_id, m.sender_id, m.at, m.luck,
    (substr(m.ms, 1, 8) || '-' || substr(m.ms, 9, 4) || '-7' || substr(gen_random_uuid()::text, 16))::uuid as id,
    'wamid.HBgLMzQ2MDAwMDAwMDAVAgARGBI' || upper(replace(gen_random_uuid()::text, '-', '')) as wamid,
    -- One in a hundred fails; most of the others are delivered, and half of all are read.
    case when m.luck < 0.01 then 'failed' when m.luck < 0.1 then 'sent' when m.luck < 0.5 then 'delivered' else 'read' end
      as status
  from (
    select c.company_id, c.id as campaign_id, c.sender_id, c.at + interval '12 milliseconds' * n as at, random() as luck,
      lpad(to_hex((extract(epoch from c.at) * 1000)::bigint + n / 8), 12, '0') as ms
    from campaign as c cross join lateral generate_series(1, c.size) as n
  ) as m
),
stored_campaign as (
  insert into outbound.campaigns (company_id, id, api_key_id, channel, name, notification_type, sender_id, template_id,
    template_name, template_language, template_shape, total, pending, sent, delivered, read, failed, created_at,
    started_at, completed_at)
  select c.company_id, c.id, c.key_id, 'whatsapp', 'Order updates', 'utility', c.sender_id, c.template_id, t.name,
    t.language, t.shape, c.size, 0, s.sent, s.delivered, s.read, c.size - s.sent, c.at, c.at, s.completed_at
  from campaign as c
  join outbound.templates as t on t.company_id = c.company_id and t.id = c.template_id
  join (
    select m.campaign_id, max(m.at) as completed_at, count(*) filter (where m.status <> 'failed') as sent,
      count(*) filter (where m.status in ('delivered', 'read')) as delivered, count(*) filter (where m.status = 'read') as read
    from message as m group by m.campaign_id
  ) as s on s.campaign_id = c.id
),
stored_message as (
  insert into outbound.notification_facts (company_id, id, campaign_id, sender_id, number, message, status, attempt, fence,
    claimed_at, platform_message_id, sent_at, delivered_at, read_at, failed_at, error_code, error_reason, created_at)
  select m.company_id, m.id, m.campaign_id, m.sender_id, (34600000000 + floor(random() * 99999999))::bigint::text,
    '[{"type":"body","parameters":[{"type":"text","text":"Ana"},{"type":"text","text":"A-1001"}]}]', m.status, try.number, try.number, m.at, m.wamid, case when m.status <> 'failed' then m.at end,
    case when m.status in ('delivered', 'read') then m.at + interval '3 seconds' end,
    case when m.status = 'read' then m.at + interval '5 minutes' end, case when m.status = 'failed' then m.at end,
    case when m.status = 'failed' then '131026' end, case when m.status = 'failed' then 'Message undeliverable' end, m.at
  from message as m
  cross join lateral (select case when m.luck between 0.2 and 0.25 then 2 else 1 end as number) as try
),
-- One in twenty was refused for now and sent by a second attempt.
stored_attempt as (
  insert into outbound.delivery_attempts (company_id, notification_id, attempt, fence, worker, started_at, finished_at,
    outcome, http_status, platform_message_id)
  select m.company_id, m.id, try.number, try.number, '5f0c9a50-0000-4000-8000-000000000000', m.at,
    m.at + interval '80 milliseconds', try.outcome, try.http_status, case when try.outcome = 'sent' then m.wamid end
  from message as m
  cross join (values (1::smallint, 'retry', 503), (2::smallint, 'sent', 200)) as try(number, outcome, http_status)
  where m.luck between 0.2 and 0.25
)
-- Failures stay for eight days, other events are deleted when they are applied.
insert into outbound.platform_events (dedupe_key, channel, waba_id, platform_message_id, company_id, notification_id,
  status, occurred_at, error_code, reason, received_at, apply_at, applied_at)
select 'whatsapp:' || m.wamid || ':failed', 'whatsapp', '100000000000000', m.wamid, m.company_id, m.id, 'failed', m.at,
  '131026', 'Message undeliverable', m.at + later, m.at + later, m.at + later + interval '1 second'
from message as m cross join (values (interval '2 seconds')) as event(later)
where m.status = 'failed' and m.at > now() - interval '8 days'
