set local lock_timeout = '2s';
set check_function_bodies = off;

-- Marks campaigns that an update changes (mark_campaigns), and writes campaign.completed for those that it completes.
-- Works as report_notifications does. A counter that moves after completion reports nothing.
create or replace function outbound.report_campaigns()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  v_now constant bigint := pg_current_xact_id()::text::bigint;
  v_listening uuid[];
  v_companies uuid[];
  v_ids uuid[];
begin
  select array_agg(g.company_id), array_agg(g.id) into v_companies, v_ids from new_rows as g
  where g.changed_xid not between v_now - 1000 and v_now or g.completed_at is not null and g.held_reason is not null;
  if v_ids is not null then
    perform outbound.mark_campaigns(v_companies, v_ids);
  end if;

  select array_agg(w.company_id) into v_listening
  from (select distinct g.company_id from new_rows as g where g.completed_at is not null) as moved
  join outbound.endpoints as w on w.company_id = moved.company_id and w.is_active;
  if v_listening is null then
    return null;
  end if;
  select array_agg(changed.company_id), array_agg(changed.id) into v_companies, v_ids
  from (
    select r.company_id, r.id
    from (
      select o.company_id, o.id, o.completed_at is null as was_open, false as is_done from old_rows as o
      where o.company_id = any (v_listening)
      union all
      select g.company_id, g.id, false, g.completed_at is not null from new_rows as g
      where g.company_id = any (v_listening)
    ) as r
    group by r.company_id, r.id
    having bool_or(r.was_open) and bool_or(r.is_done)
  ) as changed;
  if v_ids is not null then
    perform outbound.write_campaign_events(v_companies, v_ids);
  end if;
  return null;
end
$$;

revoke execute on function outbound.report_campaigns from public;

-- Writes the events of notifications that an update of their facts moves. A statement trigger, so that no function that
-- moves notifications has to write events. Its cost for a company without a webhook could not be measured (claim and
-- finish of 10,000 rows).
--
-- Old and new rows are paired by grouping, not by a join: the plan is made for the first statement's few rows and
-- kept, and would then compare each of ten thousand rows with every other.
create or replace function outbound.report_notifications()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  v_listening uuid[];
  v_companies uuid[];
  v_ids uuid[];
  v_was text[];
begin
  select array_agg(w.company_id) into v_listening
  from (
    select distinct n.company_id from new_rows as n where n.status in ('sent', 'delivered', 'read', 'failed', 'skipped')
  ) as moved
  join outbound.endpoints as w on w.company_id = moved.company_id and w.is_active;
  if v_listening is null then
    return null;
  end if;
  select array_agg(changed.company_id), array_agg(changed.id), array_agg(changed.was)
  into v_companies, v_ids, v_was
  from (
    select r.company_id, r.id, max(r.was) as was
    from (
      select o.company_id, o.id, coalesce(o.status, 'queued') as was, null as becomes from old_rows as o
      where o.company_id = any (v_listening)
      union all
      select n.company_id, n.id, null, n.status from new_rows as n where n.company_id = any (v_listening)
    ) as r
    group by r.company_id, r.id
    having max(r.was) <> max(r.becomes) and max(r.becomes) in ('sent', 'delivered', 'read', 'failed', 'skipped')
  ) as changed;
  if v_ids is not null then
    perform outbound.write_notification_events(v_companies, v_ids, v_was);
  end if;
  return null;
end
$$;

revoke execute on function outbound.report_notifications from public;

alter table outbound.webhooks add column channels text[];

alter table outbound.webhooks add column sender_ids uuid[];

alter table outbound.webhooks add constraint webhooks_filters_check CHECK (((cardinality(channels) > 0) AND (cardinality(sender_ids) > 0)));

-- A company's webhooks beside its own. The release before delivers to them too, because a claim hands out everything
-- that a delivery needs; it cannot change them.
create table outbound.webhook_endpoints (
  company_id uuid not null,
  id uuid not null,
  name text not null,
  url text not null,
  -- As those of outbound.webhooks.
  event_types text[],
  channels text[],
  sender_ids uuid[],
  secret_sealed text not null,
  old_secret_sealed text,
  old_secret_until timestamptz,
  is_active boolean not null default true,
  stopped_reason text,
  failures int not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhook_endpoints_pkey primary key (company_id, id),
  constraint webhook_endpoints_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint webhook_endpoints_name_check check (char_length(name) between 1 and 100),
  constraint webhook_endpoints_types_check check (
    cardinality(event_types) > 0 and event_types <@ array[
      'notification.sent', 'notification.delivered', 'notification.read', 'notification.failed',
      'notification.skipped', 'campaign.completed', 'template.status_changed', 'sender.status_changed',
      'sender.updated', 'flow.triggered', 'message.received', 'message.failed', 'contact.opted_out',
      'contact.opted_in', 'conversation.started', 'conversation.message', 'handoff.requested', 'handoff.ended'
    ]
  ),
  constraint webhook_endpoints_filters_check check (cardinality(channels) > 0 and cardinality(sender_ids) > 0),
  constraint webhook_endpoints_old_secret_check check ((old_secret_sealed is null) = (old_secret_until is null)),
  constraint webhook_endpoints_stopped_check check (stopped_reason is null or not is_active)
);

alter table outbound.webhook_endpoints enable row level security;

-- All webhooks of companies, as deliveries see them. The id of a company's own one is all zeros.
create or replace view outbound.endpoints with (security_invoker = true) as
  select w.company_id, '00000000-0000-0000-0000-000000000000'::uuid as id, w.url, w.event_types, w.channels,
    w.sender_ids, w.secret_sealed, w.old_secret_sealed, w.old_secret_until, w.is_active, w.failures
  from outbound.webhooks as w
  union all
  select e.company_id, e.id, e.url, e.event_types, e.channels, e.sender_ids, e.secret_sealed, e.old_secret_sealed,
    e.old_secret_until, e.is_active, e.failures
  from outbound.webhook_endpoints as e;

revoke all on outbound.endpoints from public;

reset check_function_bodies;
