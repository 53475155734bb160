set local lock_timeout = '2s';
set check_function_bodies = off;

-- All webhooks of companies, as deliveries see them. The id of a company's own one is all zeros. A test company has its
-- own one only.
create or replace view outbound.endpoints with (security_invoker = true) as
  select w.company_id, '00000000-0000-0000-0000-000000000000'::uuid as id, w.url, w.event_types, w.channels,
    w.sender_ids, w.secret_sealed, w.old_secret_sealed, w.old_secret_until, w.is_active, w.failures,
    w.is_test
  from outbound.webhooks as w
  union all
  select e.company_id, e.id, e.url, e.event_types, e.channels, e.sender_ids, e.secret_sealed, e.old_secret_sealed,
    e.old_secret_until, e.is_active, e.failures, null::boolean as is_test
  from outbound.webhook_endpoints as e;

revoke all on outbound.endpoints from public;

-- Makes the test company of a live company if there is none, and refreshes it. p_daily_quota: how many notifications its
-- keys together may queue per UTC day. Returns it, and whether it is new; no row where the company is itself a test company,
-- or is gone.
create or replace function outbound.open_test_company(p_live_company_id uuid, p_daily_quota int)
returns table (company_id uuid, name text, daily_quota int, is_new boolean)
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.companies (name, api_access, daily_quota_ceiling, live_company_id)
  select left(c.name, 193) || ' (test)', c.api_access, p_daily_quota, c.id
  from outbound.companies as c where c.id = p_live_company_id and c.live_company_id is null
  on conflict on constraint companies_live_company_key do nothing;
  is_new := found;
  perform outbound.refresh_test_company(p_live_company_id);
  return query select c.id, c.name, c.daily_quota_ceiling, is_new
  from outbound.companies as c where c.live_company_id = p_live_company_id;
end
$$;

revoke execute on function outbound.open_test_company from public;

-- Gives the test company of a live company the WhatsApp senders and the templates that the live company has now. A sender
-- keeps its number, and a template its id. Accounts get a name that no platform reports about. Returns the id of the test
-- company; null if there is none.
create or replace function outbound.refresh_test_company(p_live_company_id uuid)
returns uuid
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_company_id uuid := (select c.id from outbound.companies as c where c.live_company_id = p_live_company_id);
  v_account text;
begin
  if v_company_id is null then
    return null;
  end if;
  insert into outbound.senders (company_id, channel, number, platform_id, waba_id, live_sender_id, created_at)
  -- The oldest is the one that a request without a sender means.
  select v_company_id, s.channel, s.number, s.id::text, 'test:' || s.waba_id, s.id, s.created_at
  from outbound.senders as s where s.company_id = p_live_company_id and s.channel = 'whatsapp'
  on conflict do nothing;
  for v_account in
    select distinct s.waba_id from outbound.senders as s
    where s.company_id = p_live_company_id and s.channel = 'whatsapp' order by s.waba_id
  loop
    -- sync_templates would give new ones another id.
    insert into outbound.templates (
      company_id, id, waba_id, platform_template_id, name, language, category, status, parameter_format, components
    )
    select v_company_id, t.id, 'test:' || v_account, t.platform_template_id, t.name, t.language, t.category, t.status,
      t.parameter_format, t.components
    from outbound.templates as t where t.company_id = p_live_company_id and t.waba_id = v_account
    on conflict do nothing;
    perform outbound.sync_templates(v_company_id, 'test:' || v_account, (
      select coalesce(jsonb_agg(to_jsonb(t)), '[]') from outbound.templates as t
      where t.company_id = p_live_company_id and t.waba_id = v_account
    ));
  end loop;
  return v_company_id;
end
$$;

revoke execute on function outbound.refresh_test_company from public;

-- Leases to p_worker for p_lease the given notifications, which may leave and which the caller has locked, and charges
-- their senders' rates. claimed: what claim_notifications returns, null if there are none; moves: what
-- move_campaign_counters is to move. A step of claim_notifications.
create or replace function outbound.lease_notifications(
  p_worker text, p_lease interval, p_companies uuid[], p_ids uuid[], out claimed json, out moves jsonb
)
language plpgsql security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  with claimed as (
    update outbound.queue as n
    set status = 'sending', attempt = n.attempt + 1, fence = n.fence + 1, worker = p_worker,
      claimed_at = clock_timestamp(), lease_until = clock_timestamp() + p_lease,
      -- A message that leaves does not wait any more.
      error_code = null, error_reason = null
    from unnest(p_companies, p_ids) as l(company_id, id)
    cross join lateral (
      select w.number, w.user_id, w.message from outbound.notification_facts as w
      where w.company_id = l.company_id and w.id = l.id limit 1
    ) as f
    where n.company_id = l.company_id and n.id = l.id
    returning n.company_id, n.id, n.campaign_id, n.sender_id, n.fence, n.attempt, f.number, f.user_id, f.message,
      n.expires_at, n.run_at, n.claimed_at
  ),
  -- One look-up per campaign, not one per message.
  about as materialized (
    select g.company_id, g.id as campaign_id, g.sender_id, g.template_id, g.template_name, g.template_language,
      g.name_event, g.timezone, g.trace, g.agent_id, g.template_status, g.template_changed, g.template_category,
      coalesce(g.template_category = 'MARKETING', g.notification_type = 'marketing') as is_marketing,
      r.sending_hours, r.frequency_caps
    from (select distinct l.company_id, l.campaign_id from claimed as l) as used
    cross join lateral (
      select w.company_id, w.id, w.sender_id, w.notification_type, w.template_id, w.template_name,
        w.template_language, w.name_event, w.timezone, w.trace, w.agent_id, t.status as template_status,
        t.category as template_category, t.shape <> w.template_shape as template_changed
      from outbound.campaigns as w
      left join lateral (
        select u.status, u.shape, u.category from outbound.templates as u
        where u.company_id = w.company_id and u.id = w.template_id limit 1
      ) as t on true
      where w.company_id = used.company_id and w.id = used.campaign_id limit 1
    ) as g
    left join lateral (
      select nullif(u.sending_hours, '[]') as sending_hours, nullif(u.frequency_caps, '[]') as frequency_caps
      from outbound.contact_rules as u where u.company_id = g.company_id limit 1
    ) as r on true
  ),
  paced as (
    update outbound.sender_rate_state as r
    set tokens = outbound.available_tokens(r, s.rate_per_second) - used.messages,
      refilled_at = clock_timestamp(),
      -- One message through an open breaker. If no response comes, the rest before the next one is twice as long.
      failures = case when r.failures >= outbound.breaker_threshold() then r.failures + 1 else r.failures end,
      blocked_until = case when r.failures >= outbound.breaker_threshold() then clock_timestamp()
        + make_interval(secs => least(60, power(2, least(r.failures - outbound.breaker_threshold() + 1, 6)))) end,
      -- A failure of that time is no part of an outage that begins now.
      unreachable_since = case when r.refilled_at > clock_timestamp() - outbound.outage_ends_after()
        then r.unreachable_since end
    from (select c.company_id, c.sender_id, count(*) as messages from claimed as c group by 1, 2) as used
    join outbound.senders as s on s.company_id = used.company_id and s.id = used.sender_id
    where r.company_id = used.company_id and r.sender_id = used.sender_id
    returning r.company_id, r.sender_id, r.failures, s.channel, s.platform_id, s.token_sealed, s.marketing_endpoint,
      case when s.live_sender_id is not null then s.waba_id end as test_account
  )
  select case when messages.claimed is not null then json_build_object('campaigns', (
    select json_agg(json_build_object(
      'company_id', a.company_id, 'campaign_id', a.campaign_id, 'sender_id', a.sender_id, 'channel', p.channel,
      'platform_id', p.platform_id, 'token_sealed', p.token_sealed, 'template_id', a.template_id,
      'template_name', a.template_name, 'template_language', a.template_language, 'name_event', a.name_event,
      'template_status', a.template_status, 'template_changed', a.template_changed, 'is_marketing', a.is_marketing,
      'timezone', a.timezone, 'trace', a.trace, 'sending_hours', a.sending_hours,
      'frequency_caps', case when a.is_marketing then a.frequency_caps end,
      'agent_disabled', coalesce((
        select v.status <> 'active' from outbound.voice_agents as v
        where v.company_id = a.company_id and v.id = a.agent_id
      ), false),
      'was_unreachable', p.failures > 0, 'test_account', p.test_account,
      'by_marketing_endpoint',
        p.marketing_endpoint = 'marketing_messages' and a.template_category is not distinct from 'MARKETING'
    ))
    from about as a join paced as p on p.company_id = a.company_id and p.sender_id = a.sender_id
  ), 'messages', messages.claimed) end, (
    -- Summed up before it becomes JSON, because making JSON costs more than summing.
    select jsonb_agg(to_jsonb(move)) from (
      select c.company_id, c.campaign_id, - count(*) as pending, count(*) as processing from claimed as c group by 1, 2
    ) as move
  ) into claimed, moves
  from (
    select json_agg(json_build_array(
      c.campaign_id, c.id, c.fence, c.attempt, c.number, c.user_id, c.message, extract(epoch from c.expires_at) * 1000,
      extract(epoch from c.claimed_at - c.run_at)::real
    )) as claimed
    from claimed as c
  ) as messages;
end
$$;

revoke execute on function outbound.lease_notifications from public;

-- Writes campaign.completed for campaigns that have just become complete.
create or replace function outbound.write_campaign_events(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  -- The format of outbound.iso_time, because calling it costs 2 to 3 µs per time.
  c_iso constant text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
begin
  with wanted as materialized (
    select g.company_id, 'evt_' || replace(gen_random_uuid()::text, '-', '') as id, w.endpoints, json_build_object(
      'type', 'campaign.completed',
      'timestamp', to_char(g.completed_at at time zone 'UTC', c_iso),
      'data', json_strip_nulls(json_build_object(
        'company_id', g.company_id, 'test', w.is_test, 'campaign_id', g.id, 'campaign_name', g.name, 'channel', g.channel,
        'notification_type', g.notification_type, 'status', outbound.campaign_status(g),
        'total', g.total, 'sent', g.sent, 'delivered', g.delivered, 'read', g.read, 'failed', g.failed,
        'cancelled', g.cancelled, 'skipped', g.skipped, 'replied', g.replied, 'rejected', g.rejected,
        'created_at', to_char(g.created_at at time zone 'UTC', c_iso),
        'scheduled_time', to_char(g.scheduled_time at time zone 'UTC', c_iso),
        'started_at', to_char(g.started_at at time zone 'UTC', c_iso),
        'completed_at', to_char(g.completed_at at time zone 'UTC', c_iso)
      ))
    ) as payload
    from unnest(p_companies, p_ids) as done(company_id, id)
    join outbound.campaigns as g on g.company_id = done.company_id and g.id = done.id
    cross join lateral (
      select array_agg(e.id) as endpoints, bool_or(e.is_test) as is_test from outbound.endpoints as e
      where e.company_id = g.company_id and e.is_active
        and (e.event_types is null or 'campaign.completed' = any (e.event_types))
        and (e.channels is null or g.channel = any (e.channels))
        and (e.sender_ids is null or g.sender_id = any (e.sender_ids))
    ) as w
    where w.endpoints is not null
  ),
  written as (
    insert into outbound.outgoing_events (company_id, id, type, payload)
    select w.company_id, w.id, 'campaign.completed', w.payload from wanted as w
  )
  insert into outbound.webhook_deliveries (company_id, event_id, endpoint_id, attempt)
  select w.company_id, w.id, e.id, e.position
  from wanted as w cross join unnest(w.endpoints) with ordinality as e(id, position);
end
$$;

revoke execute on function outbound.write_campaign_events from public;

-- Writes one event of a company, if one of its webhooks wants it, with a delivery for each that does. p_data: null fields
-- are left out, and those of a test company get `test`; its channel and sender_id are what filters compare. In PL/pgSQL,
-- because a list of opt-outs calls it a thousand times.
create or replace function outbound.write_event(p_company_id uuid, p_type text, p_at timestamptz, p_data json)
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  -- The events that name a sender or an account of one channel only.
  v_channel constant text := coalesce(
    p_data ->> 'channel',
    case when p_type in ('message.received', 'message.failed', 'template.status_changed') then 'whatsapp' end);
begin
  with wanted as materialized (
    select array_agg(e.id) as endpoints, bool_or(e.is_test) as is_test from outbound.endpoints as e
    where e.company_id = p_company_id and e.is_active and (e.event_types is null or p_type = any (e.event_types))
      and (e.channels is null or v_channel = any (e.channels || '{any}'))
      and (e.sender_ids is null or (p_data ->> 'sender_id')::uuid = any (e.sender_ids))
  ),
  written as (
    insert into outbound.outgoing_events (company_id, type, payload)
    select p_company_id, p_type, json_build_object(
      'type', p_type, 'timestamp', outbound.iso_time(p_at), 'data', json_strip_nulls(
        case when wanted.is_test then (p_data::jsonb || '{"test": true}')::json else p_data end))
    from wanted where wanted.endpoints is not null
    returning company_id, id
  )
  insert into outbound.webhook_deliveries (company_id, event_id, endpoint_id, attempt)
  select written.company_id, written.id, e.id, e.position
  from written cross join wanted cross join unnest(wanted.endpoints) with ordinality as e(id, position);
end
$$;

revoke execute on function outbound.write_event from public;

-- Writes the events of notifications that left the states p_was for the ones they are in now. Each fact is reported
-- once, whatever order the platform's events came in: a notification that goes from unconfirmed to read at once was
-- also sent and delivered.
create or replace function outbound.write_notification_events(p_companies uuid[], p_ids uuid[], p_was text[])
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  -- The format of outbound.iso_time, because calling it costs 2 to 3 µs per time.
  c_iso constant text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
begin
  with wanted as materialized (
    select n.company_id, 'evt_' || replace(gen_random_uuid()::text, '-', '') as id, e.type, w.endpoints, json_build_object(
      'type', e.type,
      'timestamp', to_char(e.at at time zone 'UTC', c_iso),
      'data', json_strip_nulls(json_build_object(
        'company_id', n.company_id, 'test', w.is_test, 'campaign_id', n.campaign_id, 'campaign_name', g.name,
        'notification_id', n.id, 'number', n.number, 'user_id', n.user_id, 'status', n.status,
        'platform_message_id', n.platform_message_id,
        'held_for_quality', n.held_for_quality,
        'created_at', to_char(n.created_at at time zone 'UTC', c_iso),
        'sent_at', to_char(n.sent_at at time zone 'UTC', c_iso),
        'delivered_at', to_char(n.delivered_at at time zone 'UTC', c_iso),
        'read_at', to_char(n.read_at at time zone 'UTC', c_iso),
        'failed_at', to_char(n.failed_at at time zone 'UTC', c_iso),
        'skipped_at', to_char(n.skipped_at at time zone 'UTC', c_iso),
        'error_code', n.error_code, 'error_reason', n.error_reason,
        'metadata', n.metadata, 'outcome', call.outcome, 'duration_s', call.duration_s,
        'name_event', case when e.type = 'flow.triggered' then g.name_event end
      ))
    ) as payload
    from unnest(p_companies, p_ids, p_was) as changed(company_id, id, was)
    -- Lateral: one look-up per row. As joins they become, without statistics, scans of all that the company has.
    cross join lateral (
      select o.* from outbound.notification_facts as o
      where o.company_id = changed.company_id and o.id = changed.id limit 1
    ) as n
    cross join lateral (
      select o.name, o.name_event from outbound.campaigns as o
      where o.company_id = n.company_id and o.id = n.campaign_id limit 1
    ) as g
    left join outbound.calls as call on n.voice and call.company_id = n.company_id and call.notification_id = n.id
    cross join lateral (values
      ('notification.sent', n.sent_at, '{sent,delivered,read}'::text[]),
      ('flow.triggered', case when g.name_event is not null then n.sent_at end, '{sent,delivered,read}'),
      ('notification.delivered', n.delivered_at, '{delivered,read}'),
      ('notification.read', n.read_at, '{read}'),
      ('notification.failed', n.failed_at, '{failed}'),
      ('notification.skipped', n.skipped_at, '{skipped}')
    ) as e(type, at, states)
    cross join lateral (
      select array_agg(o.id) as endpoints, bool_or(o.is_test) as is_test from outbound.endpoints as o
      where o.company_id = n.company_id and o.is_active and (o.event_types is null or e.type = any (o.event_types))
        and (o.channels is null or case when n.voice then 'voice' else 'whatsapp' end = any (o.channels))
        and (o.sender_ids is null or n.sender_id = any (o.sender_ids))
    ) as w
    where n.status = any (e.states) and changed.was <> all (e.states) and e.at is not null and w.endpoints is not null
  ),
  written as (
    insert into outbound.outgoing_events (company_id, id, type, payload)
    select w.company_id, w.id, w.type, w.payload from wanted as w
  )
  insert into outbound.webhook_deliveries (company_id, event_id, endpoint_id, attempt)
  select w.company_id, w.id, e.id, e.position
  from wanted as w cross join unnest(w.endpoints) with ordinality as e(id, position);
end
$$;

revoke execute on function outbound.write_notification_events from public;

reset check_function_bodies;
