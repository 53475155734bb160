-- Telling companies what became of their messages. An event is written in the transaction that brings about what it
-- reports (an outbox), and only where an active webhook wants it; delivering it is another matter
-- (20261121001500_deliver_events.sql). docs/webhooks.md describes the events.
create table outbound.webhooks (
  company_id uuid not null,
  url text not null,
  -- The types it wants; null is all of them.
  event_types text[],
  -- Sealed with SECRETS_KEY. While a rotation is under way both secrets sign.
  secret_sealed text not null,
  old_secret_sealed text,
  old_secret_until timestamptz,
  is_active boolean not null default true,
  -- Set when it was not the operator who switched it off.
  stopped_reason text,
  -- Deliveries that failed in a row: an endpoint in trouble gets one request at a time.
  failures int not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhooks_pkey primary key (company_id),
  constraint webhooks_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint webhooks_types_check check (
    cardinality(event_types) > 0 and event_types <@ array[
      'notification.sent', 'notification.delivered', 'notification.read', 'notification.failed',
      'campaign.completed', 'template.status_changed', 'sender.status_changed', 'sender.updated', 'flow.triggered',
      'conversation.started', 'conversation.message', 'handoff.requested', 'handoff.ended'
    ]
  ),
  constraint webhooks_old_secret_check check ((old_secret_sealed is null) = (old_secret_until is null)),
  constraint webhooks_stopped_check check (stopped_reason is null or not is_active)
);
alter table outbound.webhooks enable row level security;

create table outbound.outgoing_events (
  company_id uuid not null,
  -- Goes out as webhook-id with every try, so that a receiver can tell repetitions.
  id text not null default 'evt_' || replace(gen_random_uuid()::text, '-', ''),
  type text not null,
  -- json, not jsonb: what is signed is sent as it was written, to the letter.
  payload json not null,
  created_at timestamptz not null default now(),
  constraint outgoing_events_pkey primary key (company_id, id),
  constraint outgoing_events_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index outgoing_events_company_idx on outbound.outgoing_events (company_id, created_at);
create index outgoing_events_created_idx on outbound.outgoing_events (created_at);
alter table outbound.outgoing_events enable row level security;
-- As in 20261121001100_housekeeping.sql, for the same reason.
alter table outbound.outgoing_events set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);

-- One row for each try to deliver an event. The pending one is the next try; the others are history.
create table outbound.webhook_deliveries (
  company_id uuid not null,
  event_id text not null,
  -- Counts over the event's whole life …
  attempt int not null default 1,
  -- … and since it was last replayed: decides how long the next one waits.
  try int not null default 1,
  status text not null default 'pending',
  -- pending: not before this time; while a worker holds it, the end of its lease.
  run_at timestamptz not null default now(),
  worker text,
  response_status int,
  -- Its first kilobyte.
  response_body text,
  error text,
  duration_ms int,
  finished_at timestamptz,
  constraint webhook_deliveries_pkey primary key (company_id, event_id, attempt),
  constraint webhook_deliveries_event_fkey foreign key (company_id, event_id)
    references outbound.outgoing_events (company_id, id) on delete cascade,
  constraint webhook_deliveries_status_check check (status in ('pending', 'succeeded', 'failed')),
  constraint webhook_deliveries_finished_check check ((status = 'pending') = (finished_at is null)),
  constraint webhook_deliveries_worker_check check (worker is null or status = 'pending'),
  constraint webhook_deliveries_try_check check (attempt >= try and try >= 1)
);
-- What waits, company by company: claims read this and nothing else.
create index webhook_deliveries_pending_idx on outbound.webhook_deliveries (company_id, run_at, event_id)
  where status = 'pending';
create index webhook_deliveries_held_idx on outbound.webhook_deliveries (company_id, run_at)
  where status = 'pending' and worker is not null;
alter table outbound.webhook_deliveries enable row level security;
alter table outbound.webhook_deliveries set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);

-- A time as all our answers write it: 2030-01-31T18:00:00.123Z.
create function outbound.iso_time(p_at timestamptz)
returns text
language sql stable security invoker set search_path = ''
as $$ select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;
revoke execute on function outbound.iso_time from public;

-- Writes the events of notifications that left the states p_was for the ones they are in now. Each fact is told
-- once, whatever order the platform's events came in: one that goes from unconfirmed to read at once was also sent
-- and delivered.
create function outbound.write_notification_events(p_companies uuid[], p_ids uuid[], p_was text[])
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  -- As outbound.iso_time writes it, without a call for each time.
  c_iso constant text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
begin
  with written as (
    insert into outbound.outgoing_events (company_id, type, payload)
    select n.company_id, e.type, json_build_object(
      'type', e.type,
      'timestamp', to_char(e.at at time zone 'UTC', c_iso),
      'data', json_strip_nulls(json_build_object(
        'company_id', n.company_id, 'campaign_id', n.campaign_id, 'campaign_name', g.name,
        'notification_id', n.id, 'number', n.number, 'status', n.status,
        'provider_message_id', n.provider_message_id,
        'created_at', to_char(n.created_at at time zone 'UTC', c_iso),
        'sent_at', to_char(n.sent_at at time zone 'UTC', c_iso),
        'delivered_at', to_char(n.delivered_at at time zone 'UTC', c_iso),
        'read_at', to_char(n.read_at at time zone 'UTC', c_iso),
        'failed_at', to_char(n.failed_at at time zone 'UTC', c_iso),
        'error_code', n.error_code, 'error_reason', n.error_reason,
        'outcome', call.outcome, 'duration_s', call.duration_s,
        'name_event', case when e.type = 'flow.triggered' then g.name_event end
      ))
    )
    from unnest(p_companies, p_ids, p_was) as changed(company_id, id, was)
    join outbound.notifications as n on n.company_id = changed.company_id and n.id = changed.id
    join outbound.campaigns as g on g.company_id = n.company_id and g.id = n.campaign_id
    join outbound.webhooks as w on w.company_id = n.company_id and w.is_active
    left join outbound.calls as call on n.voice and call.company_id = n.company_id and call.notification_id = n.id
    cross join lateral (values
      ('notification.sent', n.sent_at, '{sent,delivered,read}'::text[]),
      ('flow.triggered', case when g.name_event is not null then n.sent_at end, '{sent,delivered,read}'),
      ('notification.delivered', n.delivered_at, '{delivered,read}'),
      ('notification.read', n.read_at, '{read}'),
      ('notification.failed', n.failed_at, '{failed}')
    ) as e(type, at, states)
    where n.status = any (e.states) and changed.was <> all (e.states) and e.at is not null
      and (w.event_types is null or e.type = any (w.event_types))
    returning company_id, id
  )
  insert into outbound.webhook_deliveries (company_id, event_id) select written.company_id, written.id from written;
end
$$;
revoke execute on function outbound.write_notification_events from public;

-- A statement trigger, so that no function that moves notifications has to know of events; what it costs a company
-- without a webhook could not be told from noise (claim and finish of 10,000 rows). Old and new rows are paired by
-- grouping and not by a join: the plan is made for the first call's few rows and kept, and would then compare each of
-- ten thousand rows with every other.
create function outbound.report_notifications()
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
    select distinct n.company_id from new_rows as n where n.status in ('sent', 'delivered', 'read', 'failed')
  ) as moved
  join outbound.webhooks as w on w.company_id = moved.company_id and w.is_active;
  if v_listening is null then
    return null;
  end if;
  select array_agg(changed.company_id), array_agg(changed.id), array_agg(changed.was)
  into v_companies, v_ids, v_was
  from (
    select r.company_id, r.id, max(r.was) as was
    from (
      select o.company_id, o.id, o.status as was, null as becomes from old_rows as o
      where o.company_id = any (v_listening)
      union all
      select n.company_id, n.id, null, n.status from new_rows as n where n.company_id = any (v_listening)
    ) as r
    group by r.company_id, r.id
    having max(r.was) <> max(r.becomes) and max(r.becomes) in ('sent', 'delivered', 'read', 'failed')
  ) as changed;
  if v_ids is not null then
    perform outbound.write_notification_events(v_companies, v_ids, v_was);
  end if;
  return null;
end
$$;
revoke execute on function outbound.report_notifications from public;
create trigger notifications_report after update on outbound.notifications
  referencing old table as old_rows new table as new_rows
  for each statement execute function outbound.report_notifications();

-- Writes campaign.completed for campaigns that have just become complete.
create function outbound.write_campaign_events(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  -- As outbound.iso_time writes it, without a call for each time.
  c_iso constant text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
begin
  with written as (
    insert into outbound.outgoing_events (company_id, type, payload)
    select g.company_id, 'campaign.completed', json_build_object(
      'type', 'campaign.completed',
      'timestamp', to_char(g.completed_at at time zone 'UTC', c_iso),
      'data', json_strip_nulls(json_build_object(
        'company_id', g.company_id, 'campaign_id', g.id, 'campaign_name', g.name, 'channel', g.channel,
        'notification_type', g.notification_type, 'status', outbound.campaign_status(g),
        'total', g.total, 'sent', g.sent, 'delivered', g.delivered, 'read', g.read, 'failed', g.failed,
        'cancelled', g.cancelled, 'rejected', g.rejected,
        'created_at', to_char(g.created_at at time zone 'UTC', c_iso),
        'scheduled_time', to_char(g.scheduled_time at time zone 'UTC', c_iso),
        'started_at', to_char(g.started_at at time zone 'UTC', c_iso),
        'completed_at', to_char(g.completed_at at time zone 'UTC', c_iso)
      ))
    )
    from unnest(p_companies, p_ids) as done(company_id, id)
    join outbound.campaigns as g on g.company_id = done.company_id and g.id = done.id
    join outbound.webhooks as w on w.company_id = g.company_id and w.is_active
    where w.event_types is null or 'campaign.completed' = any (w.event_types)
    returning company_id, id
  )
  insert into outbound.webhook_deliveries (company_id, event_id) select written.company_id, written.id from written;
end
$$;
revoke execute on function outbound.write_campaign_events from public;

-- As report_notifications, for campaigns: a counter that moves after completion reports nothing.
create function outbound.report_campaigns()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  v_listening uuid[];
  v_companies uuid[];
  v_ids uuid[];
begin
  select array_agg(w.company_id) into v_listening
  from (select distinct g.company_id from new_rows as g where g.completed_at is not null) as moved
  join outbound.webhooks as w on w.company_id = moved.company_id and w.is_active;
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
create trigger campaigns_report after update on outbound.campaigns
  referencing old table as old_rows new table as new_rows
  for each statement execute function outbound.report_campaigns();

-- A campaign all of whose contacts were refused is complete from the start.
create function outbound.report_empty_campaign()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform outbound.write_campaign_events(array[new.company_id], array[new.id]);
  return null;
end
$$;
revoke execute on function outbound.report_empty_campaign from public;
create trigger campaigns_report_empty after insert on outbound.campaigns
  for each row when (new.completed_at is not null) execute function outbound.report_empty_campaign();

-- Writes one event of a company, where its webhook wants it. p_data: null fields are left out.
create function outbound.write_event(p_company_id uuid, p_type text, p_at timestamptz, p_data json)
returns void
language sql security invoker set search_path = ''
as $$
  with written as (
    insert into outbound.outgoing_events (company_id, type, payload)
    select w.company_id, p_type, json_build_object(
      'type', p_type, 'timestamp', outbound.iso_time(p_at), 'data', json_strip_nulls(p_data))
    from outbound.webhooks as w
    where w.company_id = p_company_id and w.is_active and (w.event_types is null or p_type = any (w.event_types))
    returning company_id, id
  )
  insert into outbound.webhook_deliveries (company_id, event_id) select written.company_id, written.id from written
$$;
revoke execute on function outbound.write_event from public;

-- template.status_changed, by any cause: the platform's event, a sync, a refused send, an operator.
create function outbound.report_template()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform outbound.write_event(new.company_id, 'template.status_changed', now(), json_build_object(
    'company_id', new.company_id, 'template_id', new.id, 'provider_template_id', new.provider_template_id,
    'name', new.name, 'language', new.language, 'category', new.category,
    'status', new.status, 'previous_status', old.status, 'reason', new.rejected_reason
  ));
  return null;
end
$$;
revoke execute on function outbound.report_template from public;
create trigger templates_report after update on outbound.templates
  for each row when (old.status is distinct from new.status) execute function outbound.report_template();

-- sender.status_changed: the platform stopped the sender, locked it or released it, or an operator resumed it.
create function outbound.report_sender()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform outbound.write_event(new.company_id, 'sender.status_changed', now(), json_build_object(
    'company_id', new.company_id, 'sender_id', new.id, 'number', new.number, 'channel', new.channel,
    'status', new.status, 'previous_status', old.status, 'reason', new.stopped_reason,
    'locked', case when new.stopped_for_good then true end
  ));
  return null;
end
$$;
revoke execute on function outbound.report_sender from public;
create trigger senders_report after update on outbound.senders
  for each row when ((old.status, old.stopped_for_good) is distinct from (new.status, new.stopped_for_good))
  execute function outbound.report_sender();

-- sender.updated: the platform changed a sender's messaging limit or quality, or warned about its account.
create function outbound.report_sender_limits()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform outbound.write_event(new.company_id, 'sender.updated', now(), json_build_object(
    'company_id', new.company_id, 'sender_id', new.id, 'number', new.number, 'channel', new.channel,
    'messaging_limit', new.messaging_limit, 'previous_messaging_limit', old.messaging_limit,
    'quality', new.quality, 'previous_quality', old.quality, 'notice', new.platform_notice
  ));
  return null;
end
$$;
revoke execute on function outbound.report_sender_limits from public;
create trigger senders_report_limits after update on outbound.senders
  for each row when (
    (old.messaging_limit, old.quality, old.platform_notice)
      is distinct from (new.messaging_limit, new.quality, new.platform_notice)
  ) execute function outbound.report_sender_limits();
