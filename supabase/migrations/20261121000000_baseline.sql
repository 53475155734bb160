-- Generated from supabase/schemas by "deno task schema:migration --baseline". Every database begins with this migration.
-- Once supabase/migrations.sha256 names it, it never changes: every change is a migration that follows it.

-- 00_schema.sql

-- Everything of this service is in schema outbound. Nothing in it is exposed: no grants, row level security on and no
-- policies, so only the owner of the tables can use it, and a role that grant_service() names. Functions run as their
-- caller.
--
-- The files of supabase/schemas describe the database as it is now, in the order of their names. A function has its own
-- file, unless it only serves another one. "Changing the database" in docs/operations.md says how to edit them.
--
-- Cost of functions. A query in SQL is planned at every call, in PL/pgSQL once per connection. A function with a
-- search_path of its own, as all of ours have, is never inlined: a call costs 2 to 3 µs. Where a function would be
-- called for each row of a batch, the statement contains its expression instead (write_notification_events).
--
-- Plans. A function that forbids a kind of plan (set enable_… = off) also sets jit = off: a forbidden plan that is the
-- only one counts as 10 billion, and Postgres would compile it at every call.
--
-- Lock order. Every function locks in this order, so that any number of them can run at once without a deadlock:
--   0. resends, uploads
--   1. access keys, by hash
--   2. the sender, then its rate state
--   3. the template
--   4. the signals of accounts, then platform events
--   5. notifications: their rows of the queue, by id, then those of their facts, by id; all of a transaction's
--      notifications in one statement each
--   6. delivery attempts
--   7. calls
--   8. campaigns, by id, then their prices
--   9. the lock of deliveries, webhook deliveries, then the webhook, then its schedule
--   10. contacts: user ids, suppressions, consents, messages, by address; replies that are sent, by id; then threads
--   11. the schedule of replies, by company and sender
--   12. the schedule of senders, by sender id
-- A function that needs a row out of this order takes it only if it can lock it at once (skip locked).
create schema outbound;
revoke all on schema outbound from public;

-- Functions in SQL are checked when they are created, and some are created before the functions that they use. A test
-- checks all of them afterwards.
set check_function_bodies = off;

-- Numbers that several functions need. A constant has no cost at run time: the planner replaces the call by its
-- value.

-- How often a notification is tried. MAX_ATTEMPTS in _shared/dispatching/retry_delay.ts is the same number.
create function outbound.max_attempts()
returns int
language sql immutable security invoker set search_path = ''
return 5;
revoke execute on function outbound.max_attempts from public;

-- After how many failures in a row to reach the platform a sender's breaker opens.
create function outbound.breaker_threshold()
returns int
language sql immutable security invoker set search_path = ''
return 5;
revoke execute on function outbound.breaker_threshold from public;

-- After how many failures in a row a company's endpoint counts as failing; it then gets one request at a time.
create function outbound.endpoint_fails_after()
returns int
language sql immutable security invoker set search_path = ''
return 3;
revoke execute on function outbound.endpoint_fails_after from public;

-- How many requests an endpoint gets at a time otherwise.
create function outbound.max_requests_per_endpoint()
returns int
language sql immutable security invoker set search_path = ''
return 16;
revoke execute on function outbound.max_requests_per_endpoint from public;

-- After how long without an attempt of a sender an outage of its platform is over: it has nothing left to send.
create function outbound.outage_ends_after()
returns interval
language sql immutable security invoker set search_path = ''
return interval '2 minutes';
revoke execute on function outbound.outage_ends_after from public;

-- The states in which a call occupies one of its sender's lines: it was claimed and is not known to be over. The index
-- queue_calls_idx and the column on_call of notification_facts spell them out again, because neither can depend on a
-- function's value.
create function outbound.ongoing_call_states()
returns text[]
language sql immutable security invoker set search_path = ''
return '{sending,unconfirmed,sent}'::text[];
revoke execute on function outbound.ongoing_call_states from public;

-- 02_time.sql

-- Returns a time as all our responses and events write it: 2030-01-31T18:00:00.123Z.
create function outbound.iso_time(p_at timestamptz)
returns text
language sql stable security invoker set search_path = ''
return to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
revoke execute on function outbound.iso_time from public;

-- Returns the whole seconds from now to p_at, at least 1.
create function outbound.seconds_until(p_at timestamptz)
returns int
language sql stable security invoker set search_path = ''
return greatest(1, ceil(extract(epoch from p_at - now())))::int;
revoke execute on function outbound.seconds_until from public;

-- Returns whether a window of p_window that began at p_start is over. A window that begins more than a minute from now
-- is over too: the clock was set back, and no caller should wait until it has caught up.
create function outbound.is_window_over(p_start timestamptz, p_window interval)
returns boolean
language sql stable security invoker set search_path = ''
as $$ select p_start <= now() - p_window or p_start > now() + interval '1 minute' $$;
revoke execute on function outbound.is_window_over from public;

-- 05_table_functions/add_sender_state.sql

-- Adds the rate state and the turn of a new sender.
create function outbound.add_sender_state()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.sender_rate_state (company_id, sender_id) values (new.company_id, new.id);
  insert into outbound.sender_schedule (company_id, sender_id, ready_at)
  values (new.company_id, new.id, case new.status when 'active' then '-infinity' else 'infinity' end::timestamptz);
  return null;
end
$$;
revoke execute on function outbound.add_sender_state from public;

-- 05_table_functions/delete_company_data.sql

-- Deletes the campaigns, notifications and attempts of a deleted company. They have no foreign keys:
-- accept_notifications writes a campaign together with its notifications, of a company whose key it has locked, and
-- checking that again for each row took a third of its time.
create function outbound.delete_company_data()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  delete from outbound.delivery_attempts as a where a.company_id = old.id;
  delete from outbound.queue as q where q.company_id = old.id;
  delete from outbound.notification_facts as n where n.company_id = old.id;
  delete from outbound.campaigns as g where g.company_id = old.id;
  return null;
end
$$;
revoke execute on function outbound.delete_company_data from public;

-- 05_table_functions/end_threads.sql

-- Deletes the threads whose last message was deleted: it was erased, or all of the thread is old.
create function outbound.end_threads()
returns trigger
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per thread that lost a message.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  delete from outbound.contact_threads as t
  using old_rows as m
  where t.last_message_id = m.id and case when t.company_id = m.company_id then true end;
  return null;
end
$$;
revoke execute on function outbound.end_threads from public;

-- 05_table_functions/inbox_state.sql

-- Returns what a conversation waits for: unanswered, answered or closed.
create function outbound.inbox_state(p_status text, p_is_theirs boolean)
returns text
language sql immutable security invoker set search_path = ''
return case when p_status = 'closed' then 'closed' when p_is_theirs then 'unanswered' else 'answered' end;
revoke execute on function outbound.inbox_state from public;

-- 05_table_functions/mark_call.sql

-- Marks the calls of notifications whose state changes.
create function outbound.mark_call()
returns trigger
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  update outbound.calls as k set changed_xid = k.changed_xid
  where k.company_id = old.company_id and k.notification_id = old.id;
  return null;
end
$$;
revoke execute on function outbound.mark_call from public;

-- 05_table_functions/mark_change.sql

-- Marks a row with the transaction that writes it, so that an index finds what changed (read_changes).
--
-- `changed_xid is not null`, in these indexes, is always true, and keeps other queries' plans from them.
--
-- A mark that is at most 1,000 transactions old stays: nearly all updates of a busy row leave its index alone (HOT).
create function outbound.mark_change()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  v_now constant bigint := pg_current_xact_id()::text::bigint;
begin
  -- A mark beyond this transaction was restored from another database.
  if new.changed_xid not between v_now - 1000 and v_now then
    new.changed_xid := v_now;
  end if;
  return new;
end
$$;
revoke execute on function outbound.mark_change from public;

-- 05_table_functions/plan_changed_senders.sql

-- Plans the turns of senders whose state or rate changed, and has claims look at the replies of those that are active
-- again. A statement trigger, so that the rows of several senders are locked in their order.
create function outbound.plan_changed_senders()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  -- Whatever their time is: a claim that looks at them at this moment still sees them stopped.
  update outbound.reply_schedule as s set due_at = now()
  from (
    select w.company_id, w.sender_id
    from (
      select n.company_id, n.id from new_rows as n join old_rows as o on o.company_id = n.company_id and o.id = n.id
      where n.status = 'active' and o.status <> 'active' order by n.company_id, n.id
    ) as again
    cross join lateral (
      select r.company_id, r.sender_id from outbound.reply_schedule as r
      where r.company_id = again.company_id and r.sender_id = again.id for no key update
    ) as w
  ) as again
  where s.company_id = again.company_id and s.sender_id = again.sender_id;

  perform outbound.schedule_senders(array_agg(changed.company_id), array_agg(changed.id), true)
  from (
    select n.company_id, n.id, n.status, n.rate_per_second, n.concurrency from new_rows as n
    except
    select o.company_id, o.id, o.status, o.rate_per_second, o.concurrency from old_rows as o
  ) as changed;
  return null;
end
$$;
revoke execute on function outbound.plan_changed_senders from public;

-- 05_table_functions/report_campaigns.sql

-- Marks campaigns that an update changes (mark_campaigns), and writes campaign.completed for those that it completes.
-- Works as report_notifications does. A counter that moves after completion reports nothing.
create function outbound.report_campaigns()
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

-- Writes campaign.completed for a campaign that is complete from the start, because all of its contacts were refused.
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

-- Marks campaigns with this transaction, as mark_change does, and releases those that are over: nothing holds them.
-- Not by a trigger of each row: it would lock the row first, which is written to the log, and most updates leave the mark.
create function outbound.mark_campaigns(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per campaign.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  update outbound.campaigns as g
  set changed_xid = pg_current_xact_id()::text::bigint,
    held_reason = case when g.completed_at is null then g.held_reason end
  from unnest(p_companies, p_ids) as marked(company_id, id)
  where g.company_id = marked.company_id and g.id = marked.id;
end
$$;
revoke execute on function outbound.mark_campaigns from public;

-- 05_table_functions/report_notifications.sql

-- Writes the events of notifications that an update of their facts moves. A statement trigger, so that no function that
-- moves notifications has to write events. Its cost for a company without a webhook could not be measured (claim and
-- finish of 10,000 rows).
--
-- Old and new rows are paired by grouping, not by a join: the plan is made for the first statement's few rows and
-- kept, and would then compare each of ten thousand rows with every other.
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
    select distinct n.company_id from new_rows as n where n.status in ('sent', 'delivered', 'read', 'failed', 'skipped')
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

-- 05_table_functions/report_sender.sql

-- Writes sender.status_changed: the platform stopped, locked or released the sender, or an operator resumed it.
create function outbound.report_sender()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform outbound.write_event(new.company_id, 'sender.status_changed', now(), json_build_object(
    'company_id', new.company_id, 'sender_id', new.id, 'number', new.number, 'channel', new.channel,
    'status', new.status, 'previous_status', old.status, 'reason', new.stopped_reason,
    'locked', case when new.locked then true end
  ));
  return null;
end
$$;
revoke execute on function outbound.report_sender from public;

-- Writes sender.updated: the platform changed a sender's messaging limit or quality, or warned about its account.
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

-- 05_table_functions/report_template.sql

-- Writes template.status_changed, whatever the cause: an event of the platform, a sync, a refused message, an
-- operator.
create function outbound.report_template()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform outbound.write_event(new.company_id, 'template.status_changed', now(), json_build_object(
    'company_id', new.company_id, 'template_id', new.id, 'platform_template_id', new.platform_template_id,
    'name', new.name, 'language', new.language, 'category', new.category,
    'status', new.status, 'previous_status', old.status, 'reason', new.rejected_reason
  ));
  return null;
end
$$;
revoke execute on function outbound.report_template from public;

-- 05_table_functions/template_shape.sql

-- Returns the variables of a text in their order; null when it has none.
create function outbound.variables_of(p_text text)
returns text
language sql immutable security invoker set search_path = ''
as $$
  select string_agg(v.match[1], ',' order by v.ord)
  from regexp_matches(p_text, '\{\{\s*(\w+)\s*\}\}', 'g') with ordinality as v(match, ord)
$$;
revoke execute on function outbound.variables_of from public;

-- Returns a fingerprint of what a message of a template must supply, and of nothing else: the format of a media
-- header, the variables of each text in their order, the buttons that need a value, with their positions and URLs,
-- whether an offer has an end, and the same of each card of a carousel. Wording, footers, labels, static buttons and
-- examples do not count: the platform gives the example of a media header another address each time. Of unknown parts
-- everything except the example counts.
create function outbound.template_shape(p_parameter_format text, p_components jsonb)
returns text
language sql immutable security invoker set search_path = ''
as $$
  select md5(p_parameter_format || coalesce(string_agg(p.type || ' ' || p.needs, E'\n' order by p.type, p.needs), ''))
  from (
    select upper(c.value ->> 'type') as type,
      case upper(c.value ->> 'type')
        when 'HEADER' then coalesce(
          nullif(upper(c.value ->> 'format'), 'TEXT'), outbound.variables_of(c.value ->> 'text'))
        when 'BODY' then outbound.variables_of(c.value ->> 'text')
        when 'FOOTER' then outbound.variables_of(c.value ->> 'text')
        when 'BUTTONS' then (
          select string_agg(b.ord || ' ' || upper(b.value ->> 'type') || ' ' || coalesce(b.value ->> 'url', ''), E'\n'
            order by b.ord)
          from jsonb_array_elements(
            case jsonb_typeof(c.value -> 'buttons') when 'array' then c.value -> 'buttons' else '[]' end
          ) with ordinality as b(value, ord)
          where upper(b.value ->> 'type') not in ('URL', 'QUICK_REPLY', 'PHONE_NUMBER')
            or outbound.variables_of(b.value ->> 'url') is not null
        )
        when 'LIMITED_TIME_OFFER' then c.value #>> '{limited_time_offer,has_expiration}'
        when 'CAROUSEL' then (
          select string_agg(
            k.ord || ' ' || case jsonb_typeof(k.value -> 'components')
              when 'array' then outbound.template_shape(p_parameter_format, k.value -> 'components')
              else '' end, E'\n' order by k.ord)
          from jsonb_array_elements(
            case jsonb_typeof(c.value -> 'cards') when 'array' then c.value -> 'cards' else '[]' end
          ) with ordinality as k(value, ord)
        )
        else (c.value - 'example')::text
      end as needs
    from jsonb_array_elements(p_components) as c
  ) as p
  where p.needs is not null
$$;
revoke execute on function outbound.template_shape from public;

-- 05_table_functions/text_search_config.sql

-- Returns the text search configuration of that name; raises for one that pg_ts_config does not have. Generated
-- columns need an immutable function, and it is as immutable as to_tsvector: a configuration changes only if an
-- operator replaces it.
create function outbound.text_search_config(p_name text)
returns regconfig
language sql immutable strict security invoker set search_path = ''
return p_name::regconfig;
revoke execute on function outbound.text_search_config from public;

-- 05_table_functions/touch_thread.sql

-- Keeps the thread of a person and a sender: a message of either side is its last one, and opens it again.
create function outbound.touch_thread()
returns trigger
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_address text;
begin
  -- One look-up per address. The thread may have begun under another one of the person.
  select t.address into v_address
  from unnest(outbound.addresses_of(new.company_id, new.number, new.user_id)) with ordinality as known(address, ord)
  cross join lateral (
    select o.address from outbound.contact_threads as o
    where o.sender_id = new.sender_id and o.address = known.address
      -- Written so that no index on the company matches it: it would read all of the company's threads.
      and case when o.company_id = new.company_id then true end
    offset 0 -- a join, planned while there were few threads, would read all of the sender's
  ) as t
  order by known.ord limit 1;
  insert into outbound.contact_threads as t (
    company_id, sender_id, address, last_message_id, last_message_at, last_direction, last_inbound_at
  )
  values (
    new.company_id, new.sender_id, coalesce(v_address, new.user_id, new.number), new.id, new.at, new.direction,
    case new.direction when 'in' then new.at end
  )
  on conflict on constraint contact_threads_address_key do update
    set status = 'open',
      last_inbound_at = greatest(t.last_inbound_at, excluded.last_inbound_at),
      -- The platform's messages may come in any order.
      (last_message_id, last_message_at, last_direction) = (
        select case when is_later then new.id else t.last_message_id end,
          greatest(t.last_message_at, new.at),
          case when is_later then new.direction else t.last_direction end
        from (select new.at >= t.last_message_at as is_later) as message
      );
  return null;
end
$$;
revoke execute on function outbound.touch_thread from public;

-- 05_table_functions/unsettle_template.sql

-- Marks a template that became usable or unusable, whatever changed it: a webhook, a sync, an operator, a refused
-- message. settle_templates then releases or holds its campaigns.
create function outbound.unsettle_template()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  new.unsettled := true;
  new.settled_to := null;
  return new;
end
$$;
revoke execute on function outbound.unsettle_template from public;

-- 10_tables/01_settings.sql

-- Small facts that all processes share: when each clock last ticked, the dispatch function's address.
create table outbound.settings (
  name text not null,
  value jsonb not null,
  updated_at timestamptz not null default now(),
  constraint settings_pkey primary key (name)
);
alter table outbound.settings enable row level security;

-- 10_tables/02_companies.sql

-- The tenants. Every table of a tenant is led by company_id.
create table outbound.companies (
  id uuid not null default gen_random_uuid(),
  name text not null,
  api_access boolean not null default true,
  -- The fate of a message whose outcome the platform never reported: `resend` retries it, `hold` fails it.
  on_unknown text not null default 'resend',
  -- A campaign does not call a number again within this many seconds.
  call_gap_s int not null default 60,
  -- By ISO 4217: what the platform bills the company in; null: the only currency of the rate card.
  currency text,
  created_at timestamptz not null default now(),
  -- The daily caps (UTC) for visitors of all widgets together. Limits per address do not stop an attack from many
  -- addresses; these do, and so they bound what strangers can cost the company.
  max_voice_sessions_per_day int not null default 1000,
  max_voice_minutes_per_day int not null default 3000,
  max_conversations_per_day int not null default 5000,
  max_stored_mb_per_day int not null default 250,
  -- The operator's: how far members may raise their key's limits, the voice minutes of visitors, and a sender's messages
  -- per second. The command line sets these, and may set a limit above them.
  daily_quota_ceiling int not null default 100000,
  rate_limit_ceiling int not null default 600,
  voice_minutes_ceiling int not null default 3000,
  sender_rate_ceiling int not null default 80,
  constraint companies_pkey primary key (id),
  constraint companies_name_check check (length(name) between 1 and 200),
  constraint companies_on_unknown_check check (on_unknown in ('resend', 'hold')),
  constraint companies_currency_check check (currency ~ '^[A-Z]{3}$'),
  constraint companies_call_gap_check check (call_gap_s between 0 and 86400),
  constraint companies_caps_check check (
    least(max_voice_sessions_per_day, max_voice_minutes_per_day, max_conversations_per_day, max_stored_mb_per_day) >= 0
  ),
  constraint companies_ceilings_check check (
    least(daily_quota_ceiling, rate_limit_ceiling, voice_minutes_ceiling, sender_rate_ceiling) >= 0
  )
);
alter table outbound.companies enable row level security;
create trigger companies_delete_data after delete on outbound.companies
  for each row execute function outbound.delete_company_data();

-- The users that belong to a company, and those who were invited to. user_id is the id of a user of the auth server.
-- There is no foreign key, because that server may keep its tables in another database.
create table outbound.memberships (
  company_id uuid not null,
  user_id uuid not null,
  -- owner: everything; operator: all but keys and members; viewer: reads.
  role text not null default 'owner',
  created_at timestamptz not null default now(),
  -- Null while it is pending: only the person, or the command line, makes the person a member.
  accepted_at timestamptz default now(),
  -- The address as the owner wrote it: all that is shown of the person before they accept.
  invited_email text,
  constraint memberships_pkey primary key (company_id, user_id),
  constraint memberships_role_check check (role in ('owner', 'operator', 'viewer')),
  constraint memberships_pending_check check ((accepted_at is null) = (invited_email is not null)),
  constraint memberships_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index memberships_created_idx on outbound.memberships (company_id, created_at, user_id);
create index memberships_user_idx on outbound.memberships (user_id);
alter table outbound.memberships enable row level security;

-- The members. Whatever asks who may do something asks this, so that a pending membership gives no access.
create view outbound.company_members with (security_invoker = true) as
  select m.company_id, m.user_id, m.role, m.created_at
  from outbound.memberships as m where m.accepted_at is not null;
revoke all on outbound.company_members from public;

-- 10_tables/03_access.sql

-- The access keys that companies' backends present.
create table outbound.api_keys (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  -- SHA-256 of the key in hex. A presented key is looked up by it.
  key_hash text not null,
  -- The key itself, sealed with OUTBOUND_SECRETS_KEY, because the contract lets the owner read it again (POST /api_keys).
  key_sealed text not null,
  permissions text[] not null,
  rate_limit int not null default 600,
  daily_quota int not null default 100000,
  is_active boolean not null default true,
  -- A company has one current key; rotated keys stay for the record.
  is_current boolean not null default true,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  constraint api_keys_pkey primary key (company_id, id),
  constraint api_keys_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint api_keys_key_hash_check check (key_hash ~ '^[0-9a-f]{64}$'),
  constraint api_keys_permissions_check
    check (permissions <@ array['chatapp_notifications', 'voice_notifications', 'contacts', 'erase', 'conversations',
      'calls', 'templates', 'senders', 'webhooks', 'widgets', 'reports', 'settings']),
  constraint api_keys_limits_check check (rate_limit > 0 and daily_quota >= 0),
  constraint api_keys_retired_check check (is_current or not is_active)
);
create unique index api_keys_key_hash_idx on outbound.api_keys (key_hash);
create unique index api_keys_current_idx on outbound.api_keys (company_id) where is_current;
alter table outbound.api_keys enable row level security;

-- One row per key and UTC day: the notifications accepted that day and the requests of the running minute, so that one
-- row lock decides both limits.
create table outbound.usage (
  company_id uuid not null,
  api_key_id uuid not null,
  day date not null,
  notifications int not null default 0,
  window_start timestamptz not null default now(),
  requests int not null default 0,
  -- Of the whole day.
  day_requests int not null default 0,
  constraint usage_pkey primary key (company_id, api_key_id, day),
  constraint usage_key_fkey foreign key (company_id, api_key_id)
    references outbound.api_keys (company_id, id) on delete cascade
) with (fillfactor = 50);
create index usage_day_idx on outbound.usage (day);
-- Each request makes a dead version of one of few rows.
alter table outbound.usage set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
alter table outbound.usage enable row level security;

-- Attempts to log in, by address, by account, and by the pair of the two; all stored as hashes only.
create table outbound.login_attempts (
  subject text not null,
  window_start timestamptz not null,
  -- Of an address or a pair: attempts in its window.
  attempts int not null,
  -- Of an account: its attempts are a bucket, and this is when the bucket is full again.
  full_at timestamptz,
  -- Of a pair: the user has logged in from this address, so strangers' attempts do not slow the user down.
  known_until timestamptz,
  expires_at timestamptz not null default now() + interval '1 day',
  constraint login_attempts_pkey primary key (subject)
);
create index login_attempts_expires_idx on outbound.login_attempts (expires_at);
alter table outbound.login_attempts enable row level security;

-- First responses, so that a repeated request gets the same one.
create table outbound.idempotency_keys (
  company_id uuid not null,
  endpoint text not null,
  key text not null,
  request_hash text not null,
  -- json, not jsonb: it is returned as it was, byte for byte.
  answer json not null,
  created_at timestamptz not null default now(),
  constraint idempotency_keys_pkey primary key (company_id, endpoint, key),
  constraint idempotency_keys_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index idempotency_keys_created_idx on outbound.idempotency_keys (created_at);
alter table outbound.idempotency_keys set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);
alter table outbound.idempotency_keys enable row level security;

-- 10_tables/04_senders.sql

-- The numbers that messages leave from.
create table outbound.senders (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  channel text not null,
  -- International format, digits only.
  number text not null,
  -- The platform's id of the number: phone_number_id on WhatsApp.
  platform_id text not null,
  -- The WhatsApp business account the number belongs to.
  waba_id text,
  -- The platform's access token, sealed with OUTBOUND_SECRETS_KEY. It is written and never shown.
  token_sealed text,
  rate_per_second int not null default 80,
  -- Voice: how many calls may go on at once, instead of a rate.
  concurrency int not null default 20,
  -- WhatsApp: where templates of category MARKETING go, the platform's endpoint for all messages or that for marketing.
  marketing_endpoint text not null default 'messages',
  status text not null default 'active',
  stopped_reason text,
  -- The platform's code, where a refused message stopped it; null where it has none.
  stopped_code text,
  stopped_at timestamptz,
  -- The platform has locked the account and unlocks it only on appeal: requests for this sender are refused.
  locked boolean not null default false,
  -- True if an event about the account stopped it, so that another event releases it; false if a refused message did.
  stopped_by_account boolean not null default false,
  -- When the platform's restriction ends, if the platform said so.
  stopped_until timestamptz,
  -- How many people per day the platform lets the business write to (TIER_250, TIER_2K …), and how it rates the number
  -- (RED or UNKNOWN); null until it has reported them.
  messaging_limit text,
  quality text,
  -- The platform's last warning about the account, which may still send.
  platform_notice text,
  -- When each of these became true at the platform. An earlier event changes nothing.
  account_status_at timestamptz not null default '-infinity'::timestamptz,
  messaging_limit_at timestamptz not null default '-infinity'::timestamptz,
  quality_at timestamptz not null default '-infinity'::timestamptz,
  platform_notice_at timestamptz not null default '-infinity'::timestamptz,
  created_at timestamptz not null default now(),
  -- When the templates of its account were last handed out for a sync, and whether another one was requested since.
  template_sync_taken_at timestamptz,
  template_sync_requested boolean not null default false,
  -- Where changes are found (mark_change).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  constraint senders_pkey primary key (company_id, id),
  constraint senders_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint senders_number_key unique (company_id, channel, number),
  constraint senders_platform_key unique (company_id, channel, platform_id),
  constraint senders_channel_check check (channel in ('whatsapp', 'voice')),
  constraint senders_number_check check (number ~ '^[1-9][0-9]{6,14}$'),
  constraint senders_waba_check check (channel <> 'whatsapp' or waba_id is not null),
  constraint senders_rate_check check (rate_per_second > 0),
  constraint senders_concurrency_check check (concurrency between 1 and 1000),
  constraint senders_marketing_endpoint_check check (marketing_endpoint in ('messages', 'marketing_messages')),
  constraint senders_status_check
    check (status in ('active', 'stopped') and (status = 'stopped') = (stopped_reason is not null)),
  constraint senders_stopped_code_check check (status = 'stopped' or stopped_code is null),
  constraint senders_locked_check check (status = 'stopped' or not locked),
  constraint senders_stopped_by_account_check check (status = 'stopped' or not stopped_by_account),
  constraint senders_stopped_until_check check (stopped_until is null or stopped_by_account)
);
create index senders_waba_idx on outbound.senders (waba_id);
-- Finds out whether an event of the platform is about a sender of ours.
create index senders_platform_idx on outbound.senders (platform_id);
create index senders_stopped_until_idx on outbound.senders (stopped_until) where stopped_until is not null;
-- How many there are in each state, and which the platform rates low or has warned about (operating_figures).
create index senders_status_idx on outbound.senders (status, locked);
create index senders_quality_idx on outbound.senders (quality) where quality = 'RED';
create index senders_notice_idx on outbound.senders (platform_notice_at);
-- Rows that changed a moment ago (changes_of_sending).
create index senders_changed_idx on outbound.senders (company_id, changed_xid)
  where changed_xid is not null;
alter table outbound.senders enable row level security;
create trigger senders_mark_change before update on outbound.senders
  for each row execute function outbound.mark_change();
create trigger senders_add_state after insert on outbound.senders
  for each row execute function outbound.add_sender_state();
create trigger senders_plan_turns after update on outbound.senders
  referencing old table as old_rows new table as new_rows
  for each statement execute function outbound.plan_changed_senders();
create trigger senders_report after update on outbound.senders
  for each row when ((old.status, old.locked) is distinct from (new.status, new.locked))
  execute function outbound.report_sender();
create trigger senders_report_limits after update on outbound.senders
  for each row when (
    (old.messaging_limit, old.quality, old.platform_notice)
      is distinct from (new.messaging_limit, new.quality, new.platform_notice)
  ) execute function outbound.report_sender_limits();

-- How fast a sender may go now, shared by all dispatchers: a token bucket, and a breaker for a platform that does not
-- respond. Not part of senders, because these few bytes change many times per second.
create table outbound.sender_rate_state (
  company_id uuid not null,
  sender_id uuid not null,
  tokens double precision not null default 1,
  refilled_at timestamptz not null default now(),
  -- Share of rate_per_second or concurrency in force: halved when the platform reports too many, recovering with time.
  throttle double precision not null default 1,
  throttled_at timestamptz,
  -- Failures in a row to reach the platform. From breaker_threshold() on the breaker is open until blocked_until.
  failures int not null default 0,
  blocked_until timestamptz,
  -- Since when the platform has not responded to it; null while it responds, and again where nothing was tried for
  -- outage_ends_after().
  unreachable_since timestamptz,
  -- When the platform responded again after the breaker had been open.
  reached_at timestamptz,
  constraint sender_rate_state_pkey primary key (company_id, sender_id),
  constraint sender_rate_state_sender_fkey foreign key (company_id, sender_id)
    references outbound.senders (company_id, id) on delete cascade,
  constraint sender_rate_state_throttle_check check (throttle > 0 and throttle <= 1)
) with (fillfactor = 30);
create index sender_rate_state_unreachable_idx on outbound.sender_rate_state (unreachable_since)
  where unreachable_since is not null;
alter table outbound.sender_rate_state set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
alter table outbound.sender_rate_state enable row level security;

-- When a claim reads each sender next. A claim reads the due turns only, so the messages of other senders
-- do not slow it down.
--
-- The rule: a turn is never later than the moment at which its sender may send something. `ready_at` is when the
-- sender itself is ready (schedule_senders), `due_at` the later of that and of the first `run_at` that waits. A
-- transaction that adds work to the queue, or brings it forward, locks the turn and moves it forward (advance_senders),
-- even if there is nothing to move. A transaction that moves a turn back locks it first and only then reads the queue.
--
-- The same rule holds for `queue_cursor`: nothing waits before it. Claims begin to read there, because an old snapshot
-- (a long report, a replica) keeps an index entry for everything that was claimed since, and a claim would step over
-- all of them. A transaction that puts something before it lowers it while it has the turn locked (advance_senders); a
-- transaction that raises it locks the turn first and only then reads the queue (schedule_senders).
create table outbound.sender_schedule (
  company_id uuid not null,
  sender_id uuid not null,
  -- The sender cannot send before this time, because its bucket is empty or its cooldown is not over. infinity while it
  -- is stopped or has no free line.
  ready_at timestamptz not null default '-infinity',
  -- infinity while nothing waits. No time before due_from() is ever set.
  due_at timestamptz not null default 'infinity',
  -- Per priority: run_at and id of the first notification that may wait.
  queue_cursor timestamptz[] not null default array_fill('-infinity'::timestamptz, array[3]),
  queue_cursor_id uuid[] not null default array_fill('00000000-0000-0000-0000-000000000000'::uuid, array[3]),
  constraint sender_schedule_pkey primary key (company_id, sender_id),
  constraint sender_schedule_sender_fkey foreign key (company_id, sender_id)
    references outbound.senders (company_id, id) on delete cascade,
  constraint sender_schedule_due_check check (due_at >= ready_at),
  -- A comparison with null would find nothing.
  constraint sender_schedule_scan_check check (
    cardinality(queue_cursor) = 3 and array_position(queue_cursor, null) is null
    and cardinality(queue_cursor_id) = 3 and array_position(queue_cursor_id, null) is null
  )
) with (fillfactor = 50);
create index sender_schedule_due_idx on outbound.sender_schedule (due_at);
alter table outbound.sender_schedule set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
alter table outbound.sender_schedule enable row level security;

-- 10_tables/05_templates.sql

-- Our copies of the templates of companies' WhatsApp business accounts.
create table outbound.templates (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  waba_id text not null,
  platform_template_id text,
  name text not null,
  language text not null,
  category text not null,
  -- pending, approved, rejected, disabled, or a status of the platform that we do not know. Only approved is usable.
  status text not null,
  parameter_format text not null default 'POSITIONAL',
  -- As the platform writes them: [{type, format, text, example, buttons}, …].
  components jsonb not null,
  -- Changes when a message must supply other values than before.
  shape text not null generated always as (outbound.template_shape(parameter_format, components)) stored,
  -- Why it was rejected, paused or disabled.
  rejected_reason text,
  -- GREEN, YELLOW, RED or UNKNOWN, as the platform rates it; null until the platform has reported it.
  quality text,
  -- When each of these became true at the platform. An earlier event is out of date.
  status_at timestamptz not null default '-infinity',
  category_at timestamptz not null default '-infinity',
  quality_at timestamptz not null default '-infinity',
  -- When the last attempt began that the platform refused because of the template: an earlier approval is out of date.
  -- Not part of status_at, because a refusal does not say which state the template has, or since when.
  refused_at timestamptz not null default '-infinity'::timestamptz,
  -- When any of them was last reported by anything but a sync: a listing that began before does not include it.
  reported_at timestamptz not null default '-infinity',
  -- It became usable or unusable, and its campaigns still have to be released or held (settle_templates).
  unsettled boolean not null default false,
  -- The last campaign that was looked at for holding it; null where that has not begun.
  settled_to uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Where changes are found (mark_change).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  constraint templates_pkey primary key (company_id, id),
  constraint templates_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint templates_name_key unique (company_id, waba_id, name, language),
  constraint templates_components_check check (jsonb_typeof(components) = 'array')
);
create index templates_waba_idx on outbound.templates (waba_id, name);
-- Rows that changed a moment ago (changes_of_sending).
create index templates_changed_idx on outbound.templates (company_id, changed_xid)
  where changed_xid is not null;
create index templates_unsettled_idx on outbound.templates (company_id, id) where unsettled;
alter table outbound.templates enable row level security;
create trigger templates_mark_change before update on outbound.templates
  for each row execute function outbound.mark_change();
create trigger templates_unsettle before update of status on outbound.templates
  for each row when ((old.status = 'approved') <> (new.status = 'approved'))
  execute function outbound.unsettle_template();
create trigger templates_report after update on outbound.templates
  for each row when (old.status is distinct from new.status) execute function outbound.report_template();

-- Submissions of templates for review. Submitting sends a request to another system, and the process may die before,
-- during or after it. So the submission is recorded first (begin_template_submission), and the platform's response
-- becomes a template in the same transaction that deletes the record (finish_template_submission). A record that is
-- left over means: check whether the platform has the template. It is listed nowhere, can never be sent, and blocks
-- nothing: the next request for the same name takes it over, and a sync deletes it.
create table outbound.template_submissions (
  company_id uuid not null,
  waba_id text not null,
  name text not null,
  language text not null,
  -- The request that works on it; changes when a later request takes it over.
  id uuid not null,
  -- Fingerprint of what was submitted, to distinguish a repetition from another template of the same name.
  content_hash text not null,
  -- The Idempotency-Key it came with, if any, and the fingerprint of that request.
  idempotency_key text,
  request_hash text,
  -- Extended while a request works on it.
  lease_until timestamptz not null,
  started_at timestamptz not null default now(),
  constraint template_submissions_pkey primary key (company_id, waba_id, name, language),
  constraint template_submissions_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint template_submissions_idempotency_check check ((idempotency_key is null) = (request_hash is null))
);
create unique index template_submissions_key_idx on outbound.template_submissions (company_id, idempotency_key)
  where idempotency_key is not null;
alter table outbound.template_submissions enable row level security;

-- 10_tables/06_campaigns.sql

-- An accepted request makes a campaign, or adds to one; each of its recipients is one notification. Rows change state
-- only through functions; docs/states.md shows which one moves what.
create table outbound.campaigns (
  company_id uuid not null,
  id uuid not null,
  api_key_id uuid not null,
  channel text not null,
  name text not null,
  notification_type text not null,
  sender_id uuid not null,
  template_id uuid,
  -- The template as it was when the first request was accepted.
  template_name text,
  template_language text,
  template_shape text,
  -- The voice agent of a campaign of calls.
  agent_id uuid,
  name_event text,
  scheduled_time timestamptz,
  -- The request's time zone, an IANA name; sending hours may use it.
  timezone text,
  -- The span of the first request, as traceparent, where it is traced: its sends are linked to it.
  trace text,
  total int not null,
  -- Contacts of its requests that were refused; they are not part of total.
  rejected int not null default 0,
  pending int not null,
  processing int not null default 0,
  -- Messages that the platform accepted and did not fail; delivered and read are parts of them.
  sent int not null default 0,
  delivered int not null default 0,
  read int not null default 0,
  failed int not null default 0,
  cancelled int not null default 0,
  -- A rule about recipients kept them from leaving.
  skipped int not null default 0,
  -- Recipients who replied to their message; not a state, so it is no part of the sum.
  replied int not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  completed_at timestamptz,
  -- More requests are expected until then, and it does not complete before. Null when it is closed.
  open_until timestamptz,
  -- Since then nothing of it goes back to the queue.
  cancelled_at timestamptz,
  -- Since then notifications that have not left are held, until the campaign is resumed.
  paused_at timestamptz,
  -- Why, in words for people, its notifications are held: its template is not approved. Independent of paused_at; they
  -- are held as long as either is set.
  held_reason text,
  -- The last step of a cancellation or a pause that is going through a large campaign. Meanwhile claims pass over what
  -- is left of it.
  stopping_at timestamptz,
  -- Where changes are found (mark_campaigns).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  constraint campaigns_pkey primary key (company_id, id),
  constraint campaigns_conservation_check check (
    total = pending + processing + sent + failed + cancelled + skipped
    and least(pending, processing, sent, failed, cancelled, skipped, replied, rejected, read) >= 0
    and read <= delivered and delivered <= sent
  )
);
-- Campaigns that a template holds (settle_templates, operating_figures).
create index campaigns_held_idx on outbound.campaigns (company_id, template_id) where held_reason is not null;
-- Campaigns that are being stopped right now: usually none. Every claim reads it.
create index campaigns_stopping_idx on outbound.campaigns (stopping_at) where stopping_at is not null;
-- Finds the campaigns to which no request adds any more (close_campaigns).
create index campaigns_open_idx on outbound.campaigns (open_until) where open_until is not null;
-- Those of a company (open_campaigns).
create index campaigns_open_company_idx on outbound.campaigns (company_id, id) where open_until is not null;
-- The list of one channel (list_campaigns). The channel leads: a plan that was made while the table was empty would
-- otherwise look up one campaign in this index, and read all of the company's for it.
create index campaigns_channel_idx on outbound.campaigns (channel, company_id, id);
-- Rows that changed a moment ago (changes_of_sending).
create index campaigns_changed_idx on outbound.campaigns (company_id, changed_xid)
  where changed_xid is not null;
-- Nothing that a claim, a result or a receipt changes is in an index, and the fillfactor leaves them room: they write
-- none.
alter table outbound.campaigns set (
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000
);
alter table outbound.campaigns enable row level security;
create trigger campaigns_report after update on outbound.campaigns
  referencing old table as old_rows new table as new_rows
  for each statement execute function outbound.report_campaigns();
create trigger campaigns_report_empty after insert on outbound.campaigns
  for each row when (new.completed_at is not null) execute function outbound.report_empty_campaign();

-- Campaigns that are being made of what failed in other ones, some thousand notifications at a time (begin_resend,
-- continue_resend). Such a campaign counts all of its notifications from the start, so it cannot be complete before
-- they are made.
create table outbound.resends (
  company_id uuid not null,
  -- The new campaign.
  campaign_id uuid not null,
  resend_of uuid not null,
  codes text[] not null,
  -- The last notification that was looked at.
  after_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- Counted in the new campaign and not made yet.
  remaining int not null default 0,
  stepped_at timestamptz not null default now(),
  constraint resends_pkey primary key (company_id, campaign_id),
  constraint resends_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
-- One at a time of each campaign.
create unique index resends_resend_of_idx on outbound.resends (company_id, resend_of);
create index resends_stepped_idx on outbound.resends (stepped_at);
alter table outbound.resends enable row level security;

-- Files of contacts for one campaign each (POST /manage/companies/{company_id}/uploads). Rows of a file are stored in
-- batches, in its order, each under an idempotency key made of the upload and the batch's place.
create table outbound.campaign_uploads (
  company_id uuid not null,
  id uuid not null,
  -- user:<id>, as in the audit.
  created_by text not null,
  -- The fields of the request besides its contacts, and which column fills which field. No person's data.
  plan jsonb not null,
  -- Null until its first batch is stored.
  campaign_id uuid,
  -- Counts the requests that sent the file. Only the last one records progress.
  run int not null default 0,
  -- Stored and recorded.
  batches int not null default 0,
  -- Of the rows of these batches.
  fingerprint text not null default '',
  rows_read int not null default 0,
  accepted int not null default 0,
  refused int not null default 0,
  -- How many rows were refused, and how many accepted ones have a warning, by code.
  refused_by_code jsonb not null default '{}',
  warned_by_code jsonb not null default '{}',
  -- The first refused rows: row, line, column, code and reason, without the row's values.
  problems jsonb not null default '[]',
  -- Why the last request ended before the file did, {code, message}.
  stopped jsonb,
  -- Since then a batch may be stored that is not recorded. Its idempotency key protects it for a day.
  in_doubt_since timestamptz,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  completed_at timestamptz,
  -- Where changes are found (mark_change).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  constraint campaign_uploads_pkey primary key (company_id, id),
  constraint campaign_uploads_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint campaign_uploads_counters_check check (
    rows_read = accepted + refused and least(run, batches, accepted, refused) >= 0
  ),
  constraint campaign_uploads_completed_check check (completed_at is null or in_doubt_since is null and stopped is null)
);
-- Rows that changed a moment ago (changes_of_sending).
create index campaign_uploads_changed_idx on outbound.campaign_uploads (company_id, changed_xid)
  where changed_xid is not null;
-- The oldest ones (clean_up).
create index campaign_uploads_created_idx on outbound.campaign_uploads (created_at);
alter table outbound.campaign_uploads enable row level security;
create trigger campaign_uploads_mark_change before update on outbound.campaign_uploads
  for each row execute function outbound.mark_change();

-- 10_tables/07_notifications.sql

-- Notifications that may still leave or may have left: one narrow row for each that is queued, being sent (sending), or
-- of which the platform has not said whether it took it (unconfirmed). Accepting adds the row, a claim and what becomes
-- of the attempt write it, and the outcome deletes it for good. So claims read and write a table of what waits alone,
-- however much was ever sent.
create table outbound.queue (
  company_id uuid not null,
  id uuid not null,
  campaign_id uuid not null,
  sender_id uuid not null,
  -- Of a voice campaign.
  voice boolean not null default false,
  -- 0 transactional, 1 utility, 2 marketing: lower goes first.
  priority smallint not null,
  -- Accepted for a later time: `scheduled` until then (outbound.notifications).
  is_scheduled boolean not null default false,
  status text not null default 'queued',
  -- Not claimed before this time: the due time; later after a refusal.
  run_at timestamptz not null,
  -- The due time of a notification that is held; null when it is not.
  held_run_at timestamptz,
  expires_at timestamptz not null,
  -- Tries so far, the running one included.
  attempt smallint not null default 0,
  -- Counts claims; of a finish with an older fence only counts that the message was sent.
  fence int not null default 0,
  worker text,
  claimed_at timestamptz,
  -- sending: the worker's lease; unconfirmed: until when to wait for the platform's report.
  lease_until timestamptz,
  -- Why it waits: the platform's code, or one of wait_reason.
  error_code text,
  error_reason text,
  constraint queue_pkey primary key (company_id, id),
  -- Postgres reads the text of a check again for each statement that writes the table, so only one stands here, against
  -- rows that would wait in silence. verify_campaign finds facts that contradict their state.
  constraint queue_state_check check (
    (held_run_at is not null) = (run_at = 'infinity') and (held_run_at is null or status = 'queued')
    and (status = 'queued') = (lease_until is null)
  )
);
-- Notifications that may still leave, in the order in which a sender sends them. Claims read only this index. A queue
-- that was empty when statistics were last taken looks so small that any index will do, so no other index may match a
-- claim.
create index queue_waiting_idx on outbound.queue (sender_id, priority, run_at, id) where status = 'queued';
-- `is not null` is always true. It keeps the planner from using this index for queries that do not mention expires_at,
-- such as claims.
create index queue_expiry_idx on outbound.queue (expires_at) where status = 'queued' and expires_at is not null;
create index queue_lease_idx on outbound.queue (lease_until) where status in ('sending', 'unconfirmed');
-- Notifications for a later time (operating_figures).
create index queue_scheduled_idx on outbound.queue (run_at) where status = 'queued' and is_scheduled;
-- The notifications of each campaign. `is not null` is always true, and keeps look-ups of one notification from it.
create index queue_campaign_idx on outbound.queue (company_id, campaign_id, id) where campaign_id is not null;
-- Those that are held (operating_figures). Only holding and releasing write it.
create index queue_held_idx on outbound.queue (held_run_at) where status = 'queued' and held_run_at is not null;
-- The calls that are being made: no more than all senders have lines.
create index queue_calls_idx on outbound.queue (sender_id) where voice and status in ('sending', 'unconfirmed');
-- The notifications of a campaign that were put off: a reason says why. A message that leaves at its first try is never
-- in it.
create index queue_put_off_idx on outbound.queue (campaign_id, run_at)
  where status = 'queued' and error_reason is not null;
-- Notifications of which the platform has not said whether it took them (campaign_wait).
create index queue_unconfirmed_idx on outbound.queue (campaign_id, lease_until) where status = 'unconfirmed';
-- Vacuum begins after a number of dead rows, not after a fifth of the table: of 100 million messages that would be 20
-- million dead versions, all of which a claim may have to step over. A vacuum of few pages leaves the indexes alone, so
-- frequent vacuums cost little. The same holds for every table whose rows change or are deleted all day.
-- The fillfactor lets a claim write its version on the same page, which is shorter to log.
alter table outbound.queue set (
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02
);
alter table outbound.queue enable row level security;
create trigger queue_mark_call after update of status on outbound.queue
  for each row when (old.voice and old.status <> 'queued' and new.status <> old.status)
  execute function outbound.mark_call();
create trigger queue_mark_call_over after delete on outbound.queue
  for each row when (old.voice and old.status <> 'queued')
  execute function outbound.mark_call();

-- All that is known of a notification for good: written when it is accepted and when the queue is done with it, then by
-- receipts, replies and erasing. Where it waits meanwhile stands in outbound.queue; outbound.notifications shows both.
--
-- A function that moves a notification locks its row of the queue, while it has one, and then this row. A row of the
-- queue that is gone never comes back; from then on this row alone is locked. A claim reads this row after it has
-- locked the other, and changes it only if a rule keeps the notification from leaving.
create table outbound.notification_facts (
  company_id uuid not null,
  id uuid not null,
  campaign_id uuid not null,
  sender_id uuid not null,
  -- Of a voice campaign.
  voice boolean not null default false,
  -- Where it goes: the number if both are set. Null in both when the recipient was erased.
  number text,
  -- The platform's user id.
  user_id text,
  -- Sent by the gateway together with the number: for a chat message the platform's `template.components`, for a call
  -- `{agent_id, dynamic_variables}`, with the platform's id of the agent.
  message json not null,
  -- The client's own facts, up to 2 KB.
  metadata json,
  -- Null as long as the queue has it. No index names it, so a receipt writes no index.
  status text,
  -- A call that is going on occupies one of its sender's lines.
  on_call boolean generated always as (case when voice and status = 'sent' then true end) stored,
  -- As they were in the queue at its end: the tries, and the claim that led to it.
  attempt smallint not null default 0,
  fence int not null default 0,
  claimed_at timestamptz,
  platform_message_id text,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz,
  -- A rule kept it from leaving; error_code says which.
  skipped_at timestamptz,
  -- True while it is sent, but the platform holds it until it knows the template's quality; null otherwise.
  held_for_quality boolean,
  -- When its recipient first replied to it.
  replied_at timestamptz,
  -- It is counted in campaign_pricing.
  is_priced boolean not null default false,
  -- The platform's code, or one of ours. failed: expired, outcome_unknown, template_changed; skipped: opted_out,
  -- no_consent, frequency_cap, erased.
  error_code text,
  error_reason text,
  -- The notification that replaced it after it had failed or was skipped. It is replaced once.
  resent_as uuid,
  created_at timestamptz not null default now(),
  constraint notification_facts_pkey primary key (company_id, id)
);
-- The calls that the platform has taken and that are going on: no more than all senders have lines, however many were
-- ever made.
create index notification_facts_on_call_idx on outbound.notification_facts (sender_id) where on_call;
-- The numbers that a campaign has called. The number leads, and no query adds the company, so that without statistics
-- no other index, which would read the whole campaign, looks as good.
create index notification_facts_called_idx on outbound.notification_facts (number, campaign_id) where voice;
-- All that a person was ever sent.
create index notification_facts_number_idx on outbound.notification_facts (company_id, number, id)
  where number is not null;
create index notification_facts_user_id_idx on outbound.notification_facts (company_id, user_id, id)
  where user_id is not null;
-- A campaign's recipients in order, page by page, without sorting all of them.
create index notification_facts_campaign_idx on outbound.notification_facts (campaign_id, id);
-- The notifications of a campaign that failed or were skipped, by code. The expression is in no other index, so no
-- plan reads the whole campaign instead. It names times, not the status: a receipt changes neither, so it still
-- writes no index.
create index notification_facts_failures_idx
  on outbound.notification_facts (campaign_id, coalesce(error_code, 'unknown'), id)
  where failed_at is not null or skipped_at is not null;
create index notification_facts_platform_idx on outbound.notification_facts (platform_message_id)
  where platform_message_id is not null;
-- The fillfactor leaves room for a message's later versions on its own page, so that a receipt writes no index (HOT).
alter table outbound.notification_facts set (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02
);
alter table outbound.notification_facts enable row level security;
create trigger notification_facts_mark_call after update of status on outbound.notification_facts
  for each row when (old.on_call and new.status <> old.status)
  execute function outbound.mark_call();
create trigger notification_facts_report after update on outbound.notification_facts
  referencing old table as old_rows new table as new_rows
  for each statement execute function outbound.report_notifications();

-- Returns what the queue has of a notification, if it has it. A function, because a kept plan that was made for an
-- empty queue would read all of it for each notification.
create function outbound.queue_entry(p_company_id uuid, p_id uuid)
returns setof outbound.queue
language plpgsql stable rows 1 security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query select q.* from outbound.queue as q where q.company_id = p_company_id and q.id = p_id;
end
$$;
revoke execute on function outbound.queue_entry from public;

-- A notification as all but the queue's own functions read it: one row per recipient of a campaign. The columns of the
-- queue alone (priority, run_at, held_run_at, expires_at, worker, lease_until) are null once it has left
-- it. `scheduled` is stored nowhere: it is shown before the first claim of a notification for later, until its time.
-- Only a notification that is still in the queue costs a look at it.
create view outbound.notifications with (security_invoker = true) as
  select f.company_id, f.id, f.campaign_id, f.sender_id, f.voice, f.number, f.user_id, f.message, f.metadata,
    coalesce(q.status, f.status) as status, q.priority, q.run_at, q.held_run_at, q.expires_at,
    coalesce(q.attempt, f.attempt) as attempt, coalesce(q.fence, f.fence) as fence, q.worker,
    coalesce(q.claimed_at, f.claimed_at) as claimed_at, q.lease_until, f.platform_message_id, f.sent_at, f.delivered_at,
    f.read_at, f.failed_at, f.skipped_at, f.held_for_quality, f.replied_at, f.is_priced,
    coalesce(q.error_code, f.error_code) as error_code, coalesce(q.error_reason, f.error_reason) as error_reason,
    f.resent_as, f.created_at
  from outbound.notification_facts as f
  left join lateral (
    select w.priority, w.run_at, w.held_run_at, w.expires_at, w.attempt, w.fence, w.worker, w.claimed_at, w.lease_until,
      w.error_code, w.error_reason,
      case
        when w.status = 'queued' and w.is_scheduled and w.fence = 0 and w.error_code is null
          and coalesce(w.held_run_at, w.run_at) > now() then 'scheduled'
        else w.status
      end as status
    from outbound.queue_entry(f.company_id, f.id) as w
    -- The limit keeps this apart from the rest of a query, so that it is not even asked where the status is known.
    where f.status is null limit 1
  ) as q on true;
revoke all on outbound.notifications from public;

-- The calls that occupy a line of their sender: claimed, and not known to be over.
create view outbound.ongoing_calls with (security_invoker = true) as
  select q.company_id, q.id, q.campaign_id, q.sender_id, q.claimed_at from outbound.queue as q
  where q.voice and q.status in ('sending', 'unconfirmed')
  union all
  select f.company_id, f.id, f.campaign_id, f.sender_id, f.claimed_at from outbound.notification_facts as f
  where f.on_call;
revoke all on outbound.ongoing_calls from public;

-- The tries of a notification, except a first one by which it was sent: most messages need no other, and what there is
-- to say of it stands in their row. delivery_history shows all tries.
create table outbound.delivery_attempts (
  company_id uuid not null,
  notification_id uuid not null,
  attempt smallint not null,
  fence int not null,
  worker text not null,
  started_at timestamptz not null,
  finished_at timestamptz not null default now(),
  outcome text not null,
  http_status int,
  error_code text,
  reason text,
  platform_message_id text,
  constraint delivery_attempts_pkey primary key (company_id, notification_id, fence),
  constraint delivery_attempts_outcome_check check (outcome in ('sent', 'failed', 'retry', 'not_sent', 'unknown'))
);
create index delivery_attempts_finished_idx on outbound.delivery_attempts (finished_at);
-- Leases that ran out (operating_figures).
create index delivery_attempts_lost_idx on outbound.delivery_attempts (finished_at) where worker = 'lost';
alter table outbound.delivery_attempts set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);
alter table outbound.delivery_attempts enable row level security;

-- Every try of a notification. Of a first try by which it was sent, the worker and the platform's HTTP status are not
-- known.
create view outbound.delivery_history with (security_invoker = true) as
  select a.company_id, a.notification_id, a.attempt, a.fence, a.worker, a.started_at, a.finished_at, a.outcome,
    a.http_status, a.error_code, a.reason, a.platform_message_id
  from outbound.delivery_attempts as a
  union all
  select n.company_id, n.id, 1::smallint, 1, null, n.claimed_at, n.sent_at, 'sent', null, n.error_code, n.error_reason,
    n.platform_message_id
  from outbound.notification_facts as n
  where n.fence = 1 and n.sent_at is not null and not exists (
    select from outbound.delivery_attempts as a
    where a.company_id = n.company_id and a.notification_id = n.id and a.fence = 1
  );
revoke all on outbound.delivery_history from public;

-- 10_tables/08_calls.sql

-- The virtual agents that make a company's calls. The voice platform keeps what an agent says and how it sounds; this
-- table says which agents may call.
create table outbound.voice_agents (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  -- The platform's id of the agent.
  platform_agent_id text not null,
  name text not null,
  -- disabled: no request is accepted for it, and queued calls of it are not made.
  status text not null default 'active',
  -- The command line let the company use an agent that another company has too.
  is_shared boolean not null default false,
  created_at timestamptz not null default now(),
  constraint voice_agents_pkey primary key (company_id, id),
  constraint voice_agents_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint voice_agents_platform_key unique (company_id, platform_agent_id),
  constraint voice_agents_platform_check check (length(platform_agent_id) between 1 and 200),
  constraint voice_agents_name_check check (length(btrim(name)) between 1 and 200),
  constraint voice_agents_status_check check (status in ('active', 'disabled'))
);
-- An agent of the platform speaks for one company, at the operator's cost.
create unique index voice_agents_owner_idx on outbound.voice_agents (platform_agent_id) where not is_shared;
alter table outbound.voice_agents enable row level security;

-- How calls went. A call's notification moves as every other; this table adds what else is known of the call, and when
-- to poll the platform about a call whose events were lost.
create table outbound.calls (
  company_id uuid not null,
  notification_id uuid not null,
  -- The platform's id of the conversation.
  conversation_id text,
  -- answered, voicemail, busy, no_answer or failed; null while it is unknown.
  outcome text,
  duration_s int,
  summary text,
  -- [{role, message, at_s}, …]
  transcript jsonb,
  -- When the last attempt began.
  started_at timestamptz not null,
  ended_at timestamptz,
  -- How often the platform was polled, and when the next wait begins; null when there is nothing to poll.
  checks int not null default 0,
  check_at timestamptz,
  -- Where changes are found (mark_change).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  constraint calls_pkey primary key (company_id, notification_id),
  constraint calls_notification_fkey foreign key (company_id, notification_id)
    references outbound.notification_facts (company_id, id) on delete cascade,
  constraint calls_outcome_check check (outcome in ('answered', 'voicemail', 'busy', 'no_answer', 'failed')),
  constraint calls_duration_check check (duration_s >= 0)
);
create index calls_check_idx on outbound.calls (check_at) where check_at is not null;
-- Rows that changed a moment ago (changes_of_sending).
create index calls_changed_idx on outbound.calls (company_id, changed_xid)
  where changed_xid is not null;
-- Calls of which there is something to erase (apply_retention).
create index calls_transcripts_idx on outbound.calls (company_id, started_at)
  where transcript is not null or summary is not null;
-- A company's calls that ended in a given way, the newest first.
create index calls_outcome_idx on outbound.calls (company_id, outcome, notification_id) where outcome is not null;
alter table outbound.calls enable row level security;
create trigger calls_mark_change before update on outbound.calls
  for each row execute function outbound.mark_change();

-- 10_tables/09_platform_events.sql

-- The platform's reports about messages that could not be applied at once: stored before the webhook responds, applied in
-- batches.
create table outbound.platform_events (
  id bigint not null generated always as identity,
  dedupe_key text not null,
  channel text not null,
  waba_id text,
  platform_message_id text,
  -- From the reference that we sent along; null when the platform did not return it.
  company_id uuid,
  notification_id uuid,
  -- The try it is about; null also when the reference names no try.
  fence int,
  status text not null,
  occurred_at timestamptz not null,
  error_code text,
  -- For a failure: whether the same message may be retried.
  retryable boolean not null default false,
  reason text,
  received_at timestamptz not null default now(),
  -- Not applied before this time; an event that matches nothing yet is retried later.
  apply_at timestamptz not null default now(),
  applied_at timestamptz,
  -- Voice: how the call went, {outcome, duration_s, summary, transcript, ended_at}.
  call json,
  -- A delivered or read message: how the platform priced it, {country, category, type, billable}.
  pricing jsonb,
  constraint platform_events_pkey primary key (id),
  constraint platform_events_dedupe_key unique (dedupe_key),
  constraint platform_events_status_check check (status in ('sent', 'delivered', 'read', 'failed'))
);
create index platform_events_waiting_idx on outbound.platform_events (apply_at, id) where applied_at is null;
create index platform_events_applied_idx on outbound.platform_events (applied_at) where applied_at is not null;
alter table outbound.platform_events set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);
alter table outbound.platform_events enable row level security;

-- The platform's reports about templates, stored and applied in the same way.
create table outbound.template_events (
  id bigint not null generated always as identity,
  dedupe_key text not null,
  waba_id text not null,
  platform_template_id text,
  name text not null,
  language text not null,
  -- status (status, reason), category (category), quality (quality), components (requests a sync).
  kind text not null,
  status text,
  reason text,
  category text,
  quality text,
  occurred_at timestamptz not null,
  received_at timestamptz not null default now(),
  applied_at timestamptz,
  constraint template_events_pkey primary key (id),
  constraint template_events_dedupe_key unique (dedupe_key),
  constraint template_events_kind_check check (
    case kind when 'status' then status is not null when 'category' then category is not null
      when 'quality' then quality is not null else kind = 'components' end
  )
);
create index template_events_waiting_idx on outbound.template_events (id) where applied_at is null;
create index template_events_applied_idx on outbound.template_events (applied_at) where applied_at is not null;
alter table outbound.template_events enable row level security;

-- The platform's reports about business accounts and their numbers, stored and applied in the same way.
create table outbound.account_events (
  id bigint not null generated always as identity,
  dedupe_key text not null,
  waba_id text not null,
  -- Digits; null for all numbers of the account.
  number text,
  -- active, restricted or disabled, and why; null when the event does not say.
  status text,
  reason text,
  -- When a restriction ends, if the platform says so.
  until timestamptz,
  messaging_limit text,
  quality text,
  -- A warning about the account.
  notice text,
  occurred_at timestamptz not null,
  received_at timestamptz not null default now(),
  applied_at timestamptz,
  constraint account_events_pkey primary key (id),
  constraint account_events_dedupe_key unique (dedupe_key),
  constraint account_events_status_check check (status in ('active', 'restricted', 'disabled')),
  constraint account_events_says_check check (num_nonnulls(status, messaging_limit, quality, notice) > 0)
);
create index account_events_waiting_idx on outbound.account_events (id) where applied_at is null;
create index account_events_applied_idx on outbound.account_events (applied_at) where applied_at is not null;
alter table outbound.account_events enable row level security;

-- Messages that the platform took, held and then dropped, counted per template (132015) or per account (135000) until one
-- of the template or the account arrives (record_drops). At most one row per template and one per account.
create table outbound.drop_bursts (
  waba_id text not null,
  error_code text not null,
  -- Empty for 135000.
  template_name text not null,
  template_language text not null,
  drops int not null,
  began_at timestamptz not null,
  constraint drop_bursts_pkey primary key (waba_id, error_code, template_name, template_language)
);
-- Without it, every batch of events would scan the table.
create index drop_bursts_began_idx on outbound.drop_bursts (began_at);
alter table outbound.drop_bursts enable row level security;

-- How many events were about messages of other systems, per day (UTC). The events themselves are not stored.
create table outbound.foreign_events (
  day date not null,
  -- unknown_sender: no sender of ours has this number or account. unknown_message: a sender of ours, but no message.
  reason text not null,
  events bigint not null,
  constraint foreign_events_pkey primary key (day, reason),
  constraint foreign_events_reason_check check (reason in ('unknown_sender', 'unknown_message'))
);
alter table outbound.foreign_events enable row level security;

-- When the platform last reported anything about an account, and when the webhook last refused a report about one of
-- the account's messages. With webhook_probe, all that tick() knows about whether events could have reached us.
create table outbound.account_signals (
  company_id uuid not null,
  waba_id text not null,
  event_at timestamptz not null default '-infinity',
  refused_at timestamptz not null default '-infinity',
  -- The last period without an accepted report: from the last report before it, at most 10 s before the first refused
  -- one, until the first accepted one.
  refused_since timestamptz,
  accepted_at timestamptz,
  constraint account_signals_pkey primary key (company_id, waba_id),
  constraint account_signals_company_fkey foreign key (company_id) references outbound.companies (id) on delete cascade
) with (fillfactor = 50);
alter table outbound.account_signals enable row level security;

-- One row: the signed requests by which dispatchers find out whether our own webhook can be reached from outside.
create table outbound.webhook_probe (
  only_row boolean not null default true,
  -- Of the latest probe. Only a webhook that uses this database can confirm it.
  nonce uuid,
  begun_at timestamptz not null default '-infinity',
  -- When the latest probe that came back began, and the latest that did not.
  returned_at timestamptz not null default '-infinity',
  failed_at timestamptz not null default '-infinity',
  -- The last period in which no probe came back: from the last one before it, at most 10 s before the first that did
  -- not, until the first that did.
  failing_since timestamptz,
  recovered_at timestamptz,
  constraint webhook_probe_pkey primary key (only_row),
  constraint webhook_probe_only_check check (only_row)
);
alter table outbound.webhook_probe enable row level security;
insert into outbound.webhook_probe default values;

-- 10_tables/10_webhooks.sql

-- Companies' webhooks. An event is written in the transaction that causes it (an outbox), and only if an active
-- webhook wants it; deliveries are made later (claim_deliveries). docs/webhooks.md describes the events.
create table outbound.webhooks (
  company_id uuid not null,
  url text not null,
  -- The types it wants; null means all of them.
  event_types text[],
  -- Sealed with OUTBOUND_SECRETS_KEY. While a rotation is under way both secrets sign.
  secret_sealed text not null,
  old_secret_sealed text,
  old_secret_until timestamptz,
  is_active boolean not null default true,
  -- Set when something other than an operator switched it off.
  stopped_reason text,
  -- Deliveries that failed in a row; a failing endpoint gets one request at a time.
  failures int not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhooks_pkey primary key (company_id),
  constraint webhooks_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint webhooks_types_check check (
    cardinality(event_types) > 0 and event_types <@ array[
      'notification.sent', 'notification.delivered', 'notification.read', 'notification.failed',
      'notification.skipped', 'campaign.completed', 'template.status_changed', 'sender.status_changed',
      'sender.updated', 'flow.triggered', 'message.received', 'message.failed', 'contact.opted_out',
      'contact.opted_in', 'conversation.started', 'conversation.message', 'handoff.requested', 'handoff.ended'
    ]
  ),
  constraint webhooks_old_secret_check check ((old_secret_sealed is null) = (old_secret_until is null)),
  constraint webhooks_stopped_check check (stopped_reason is null or not is_active)
);
alter table outbound.webhooks enable row level security;
-- The events that companies receive.
create table outbound.outgoing_events (
  company_id uuid not null,
  -- Sent as webhook-id with every attempt, so that a receiver recognises repetitions.
  id text not null default 'evt_' || replace(gen_random_uuid()::text, '-', ''),
  type text not null,
  -- json, not jsonb: the signed text is sent as it was written, byte for byte.
  payload json not null,
  created_at timestamptz not null default now(),
  constraint outgoing_events_pkey primary key (company_id, id),
  constraint outgoing_events_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index outgoing_events_company_idx on outbound.outgoing_events (company_id, created_at);
create index outgoing_events_created_idx on outbound.outgoing_events (created_at);
alter table outbound.outgoing_events set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);
alter table outbound.outgoing_events enable row level security;

-- One row per attempt to deliver an event. The pending one is the next attempt; the others are history.
create table outbound.webhook_deliveries (
  company_id uuid not null,
  event_id text not null,
  -- Counts over the event's whole life …
  attempt int not null default 1,
  -- … and since it was last replayed: decides how long the next one waits.
  attempt_since_replay int not null default 1,
  status text not null default 'pending',
  -- pending: not claimed before this time; while it is claimed, the end of the lease.
  run_at timestamptz not null default now(),
  worker text,
  -- False of a new one. Once it was claimed, or its endpoint was in trouble, its company's time in webhook_schedule
  -- says when claims look for it.
  deferred boolean not null default false,
  response_status int,
  -- Its first kilobyte.
  response_body text,
  error text,
  duration_ms int,
  finished_at timestamptz,
  -- Where changes are found (mark_change).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  constraint webhook_deliveries_pkey primary key (company_id, event_id, attempt),
  constraint webhook_deliveries_event_fkey foreign key (company_id, event_id)
    references outbound.outgoing_events (company_id, id) on delete cascade,
  constraint webhook_deliveries_finished_check check ((status = 'pending') = (finished_at is null))
);
-- Pending deliveries of a company, in order.
create index webhook_deliveries_pending_idx on outbound.webhook_deliveries (company_id, run_at, event_id)
  where status = 'pending';
-- The companies with new deliveries (claim_deliveries).
create index webhook_deliveries_new_idx on outbound.webhook_deliveries (company_id)
  where status = 'pending' and not deferred;
-- The deliveries of a company that are under way: no more than its endpoint gets requests at a time.
create index webhook_deliveries_held_idx on outbound.webhook_deliveries (company_id, run_at)
  where status = 'pending' and worker is not null;
-- When their leases end (schedule_lost_deliveries).
create index webhook_deliveries_lease_idx on outbound.webhook_deliveries (run_at)
  where status = 'pending' and worker is not null;
-- Deliveries that failed a moment ago (changes_of_people).
create index webhook_deliveries_changed_idx on outbound.webhook_deliveries (company_id, changed_xid)
  where status = 'failed' and changed_xid is not null;
alter table outbound.webhook_deliveries set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);
alter table outbound.webhook_deliveries enable row level security;
create trigger webhook_deliveries_mark_change before update on outbound.webhook_deliveries
  for each row when (new.status = 'failed') execute function outbound.mark_change();

-- When claims look at a company's deferred deliveries. A company whose endpoint takes everything at once has no row, so
-- a claim costs as much as there is to deliver now, however many companies wait.
create table outbound.webhook_schedule (
  company_id uuid not null,
  due_at timestamptz not null,
  -- Whether its endpoint was failing when the time was set: those wait in a line of their own, because all of them
  -- together get few requests.
  is_failing boolean not null default false,
  constraint webhook_schedule_pkey primary key (company_id),
  constraint webhook_schedule_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
) with (fillfactor = 70);
create index webhook_schedule_due_idx on outbound.webhook_schedule (is_failing, due_at);
alter table outbound.webhook_schedule set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
alter table outbound.webhook_schedule enable row level security;

-- 10_tables/11_widgets.sql

-- Widgets on other people's pages.
create table outbound.widgets (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  kind text not null,
  name text not null,
  -- Checked when written and when read (_shared/widgets/widget_config.ts), which has the defaults of missing fields.
  config jsonb not null,
  -- Origins of the pages that may show it; empty means any.
  allowed_origins text[] not null default '{}',
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The daily caps (UTC) for its visitors, as in companies.
  max_voice_sessions_per_day int not null default 200,
  max_voice_minutes_per_day int not null default 600,
  max_conversations_per_day int not null default 1000,
  max_stored_mb_per_day int not null default 50,
  -- The longest voice session. Each session reserves as much until its length is known. Its token lasts an hour, which
  -- must leave time for what follows the session.
  max_session_minutes int not null default 10,
  constraint widgets_pkey primary key (company_id, id),
  constraint widgets_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint widgets_kind_check check (kind in ('chat', 'voice')),
  constraint widgets_name_check check (length(name) between 1 and 200),
  constraint widgets_config_check check (jsonb_typeof(config) = 'object'),
  -- Compared byte for byte with what browsers send, and part of a Content-Security-Policy: no wildcard.
  constraint widgets_origins_check check (
    cardinality(allowed_origins) <= 100
    and array_to_string(allowed_origins, ' ', '*') ~ '^(https?://[a-z0-9._:\[\]-]+( |$))*$'
  ),
  constraint widgets_caps_check check (
    least(max_voice_sessions_per_day, max_voice_minutes_per_day, max_conversations_per_day, max_stored_mb_per_day) >= 0
    and max_session_minutes between 1 and 45
  )
);
create index widgets_created_idx on outbound.widgets (company_id, created_at, id);
-- Sessions name a widget without its company.
create unique index widgets_id_idx on outbound.widgets (id);
alter table outbound.widgets enable row level security;

-- Keys that may stand on a web page: they open a company's widgets and nothing else, so they are not secret.
create table outbound.publishable_keys (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  key text not null,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  constraint publishable_keys_pkey primary key (company_id, id),
  constraint publishable_keys_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint publishable_keys_key_check check (key ~ '^pk_[A-Za-z0-9_-]{20,100}$')
);
create index publishable_keys_created_idx on outbound.publishable_keys (company_id, created_at, id);
create unique index publishable_keys_key_idx on outbound.publishable_keys (key);
alter table outbound.publishable_keys enable row level security;

-- Texts that a voice session can search.
create table outbound.knowledge_documents (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  title text not null,
  content text not null,
  url text,
  -- How words are reduced to their stems: a name of pg_ts_config; 'simple' does not change them. As text, because
  -- pg_upgrade refuses every database with a column of type regconfig.
  language text not null default 'simple',
  -- The unchanged words are in it too, for questions in another language.
  search tsvector not null generated always as (
    setweight(to_tsvector(outbound.text_search_config(language), title), 'A')
      || setweight(to_tsvector(outbound.text_search_config(language), content), 'B')
      || setweight(to_tsvector('simple', title), 'B') || to_tsvector('simple', content)
  ) stored,
  created_at timestamptz not null default now(),
  constraint knowledge_documents_pkey primary key (company_id, id),
  constraint knowledge_documents_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint knowledge_documents_title_check check (length(title) between 1 and 300),
  constraint knowledge_documents_content_check check (length(content) between 1 and 100000),
  constraint knowledge_documents_url_check check (url ~ '^https?://' and length(url) <= 2000)
);
create index knowledge_documents_created_idx on outbound.knowledge_documents (company_id, created_at, id);
create index knowledge_documents_search_idx on outbound.knowledge_documents using gin (search);
alter table outbound.knowledge_documents enable row level security;

-- Visitors' requests, counted per address and per conversation; subjects are hashes.
create table outbound.visitor_requests (
  subject text not null,
  window_start timestamptz not null,
  requests int not null,
  constraint visitor_requests_pkey primary key (subject)
) with (fillfactor = 50);
create index visitor_requests_window_idx on outbound.visitor_requests (window_start);
alter table outbound.visitor_requests enable row level security;
-- Visitors' use per day (UTC), per widget and per company. use_visitor_quota compares it with the caps.
create table outbound.visitor_usage (
  company_id uuid not null,
  -- A widget's id, or the company's own for all of its widgets together.
  subject_id uuid not null,
  -- In UTC.
  day date not null,
  voice_sessions int not null default 0,
  -- For sessions whose length is not known yet, the time that they reserve.
  voice_s int not null default 0,
  conversations int not null default 0,
  stored_bytes bigint not null default 0,
  constraint visitor_usage_pkey primary key (company_id, subject_id, day),
  constraint visitor_usage_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint visitor_usage_counters_check check (least(voice_sessions, voice_s, conversations, stored_bytes) >= 0)
) with (fillfactor = 50);
create index visitor_usage_day_idx on outbound.visitor_usage (day);
alter table outbound.visitor_usage enable row level security;

-- 10_tables/12_conversations.sql

-- Chats between visitors and operators.
create table outbound.conversations (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  widget_id uuid not null,
  -- Created and stored by the visitor's browser.
  user_id uuid not null,
  -- SHA-256 of the visitor's token in hex. The token identifies the visitor.
  token_hash text not null,
  status text not null default 'open',
  language text,
  -- The page it was opened on: the address without query and fragment, and the title.
  page_url text,
  page_title text,
  -- Messages are numbered without gaps, so a reader knows by the last number which ones it has.
  last_sequence int not null default 0,
  last_author text,
  last_message_at timestamptz,
  -- How much its visitor may still store before more is taken from the day's quota.
  stored_bytes_left int not null default 0,
  visitor_typing_until timestamptz,
  operator_typing_until timestamptz,
  -- The member who takes care of it.
  assigned_to uuid,
  state text not null generated always as (outbound.inbox_state(status, last_author = 'visitor')) stored,
  -- Where changes are found (mark_change).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  constraint conversations_pkey primary key (company_id, id),
  constraint conversations_widget_fkey foreign key (company_id, widget_id)
    references outbound.widgets (company_id, id) on delete cascade,
  constraint conversations_assigned_fkey foreign key (company_id, assigned_to)
    references outbound.memberships (company_id, user_id) on delete set null (assigned_to),
  constraint conversations_token_check check (token_hash ~ '^[0-9a-f]{64}$'),
  constraint conversations_status_check check (status in ('open', 'closed')),
  constraint conversations_closed_check check ((status = 'closed') = (closed_at is not null)),
  constraint conversations_last_check
    check ((last_sequence = 0) = (last_author is null) and (last_sequence = 0) = (last_message_at is null))
) with (fillfactor = 80);
-- A visitor presents an id and a token and does not know the company.
create unique index conversations_id_idx on outbound.conversations (id);
create unique index conversations_token_idx on outbound.conversations (token_hash);
-- The inbox (read_inbox): all of it, of one state, and of one member.
create index conversations_recent_idx on outbound.conversations (company_id, last_message_at, id)
  where last_sequence > 0;
create index conversations_state_idx on outbound.conversations (company_id, state, last_message_at, id)
  where last_sequence > 0;
create index conversations_assigned_idx on outbound.conversations (company_id, assigned_to, last_message_at, id)
  where assigned_to is not null;
-- Rows that changed a moment ago (changes_of_people).
create index conversations_changed_idx on outbound.conversations (company_id, changed_xid)
  where last_sequence > 0 and changed_xid is not null;
-- Conversations that were opened and never written in; clean_up deletes them.
create index conversations_empty_idx on outbound.conversations (created_at) where last_sequence = 0;
alter table outbound.conversations enable row level security;
create trigger conversations_mark_change before update on outbound.conversations
  for each row execute function outbound.mark_change();
-- The messages of visitors and operators.
create table outbound.conversation_messages (
  company_id uuid not null,
  conversation_id uuid not null,
  sequence int not null,
  id uuid not null default gen_random_uuid(),
  author text not null,
  text text not null,
  -- Created by the author's client; the same id again is the same message.
  client_message_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  constraint conversation_messages_pkey primary key (company_id, conversation_id, sequence),
  constraint conversation_messages_conversation_fkey foreign key (company_id, conversation_id)
    references outbound.conversations (company_id, id) on delete cascade,
  constraint conversation_messages_author_check check (author in ('visitor', 'operator', 'system')),
  constraint conversation_messages_text_check check (length(text) between 1 and 4000),
  constraint conversation_messages_sequence_check check (sequence > 0)
);
create unique index conversation_messages_client_idx
  on outbound.conversation_messages (company_id, conversation_id, client_message_id)
  where client_message_id is not null;
alter table outbound.conversation_messages enable row level security;

-- 10_tables/13_voice_sessions.sql

-- Visitors' voice sessions: what each may still cost, and which conversation at the voice platform it began. Kept for
-- two days; the platform keeps what was said.
create table outbound.voice_sessions (
  company_id uuid not null,
  id uuid not null,
  widget_id uuid not null,
  -- At the voice platform.
  agent_id text not null,
  -- At the voice platform; null until it is known. A session has one conversation, a conversation one session.
  conversation_id text,
  -- The day whose counters include what the session reserves.
  day date not null,
  reserved_s int not null,
  -- Null until the platform has reported it.
  duration_s int,
  -- When its length is next read from the platform; null when it is not to be read.
  check_at timestamptz,
  created_at timestamptz not null default now(),
  constraint voice_sessions_pkey primary key (company_id, id),
  constraint voice_sessions_widget_fkey foreign key (company_id, widget_id)
    references outbound.widgets (company_id, id) on delete cascade,
  constraint voice_sessions_seconds_check check (reserved_s > 0 and duration_s >= 0),
  constraint voice_sessions_check_at_check
    check (check_at is null or (conversation_id is not null and duration_s is null))
);
create unique index voice_sessions_conversation_idx on outbound.voice_sessions (conversation_id)
  where conversation_id is not null;
create index voice_sessions_check_idx on outbound.voice_sessions (check_at) where check_at is not null;
create index voice_sessions_created_idx on outbound.voice_sessions (created_at);
alter table outbound.voice_sessions enable row level security;

-- Requests of voice visitors to talk to a person. The voice platform keeps the session itself under conversation_id.
--
-- No handoff lasts forever, because a visitor who leaves reports nothing, nor does a room that was closed. A handoff
-- that no member joins ends after 15 minutes: by then the visitor's page has stopped waiting and the empty room has
-- closed. A joined one ends 4 hours later in any case.
create table outbound.handoffs (
  company_id uuid not null,
  id uuid not null,
  widget_id uuid not null,
  -- The voice session that requested it; no other may end it. Sessions are deleted earlier, so there is no foreign key.
  session_id uuid not null,
  conversation_id text not null,
  reason text,
  contact jsonb,
  -- Where visitor and operator meet at the real-time platform.
  room text not null,
  status text not null default 'waiting',
  created_at timestamptz not null default now(),
  -- From then on no member can join, and the next tick ends it.
  expires_at timestamptz not null default now() + interval '15 minutes',
  ended_at timestamptz,
  -- Where changes are found (mark_change).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  constraint handoffs_pkey primary key (company_id, id),
  constraint handoffs_widget_fkey foreign key (company_id, widget_id)
    references outbound.widgets (company_id, id) on delete cascade,
  constraint handoffs_status_check check (status in ('waiting', 'joined', 'ended')),
  constraint handoffs_ended_check check ((status = 'ended') = (ended_at is not null))
);
create index handoffs_recent_idx on outbound.handoffs (company_id, created_at, id);
create index handoffs_open_idx on outbound.handoffs (expires_at) where status <> 'ended';
-- Rows that changed a moment ago (changes_of_people).
create index handoffs_changed_idx on outbound.handoffs (company_id, changed_xid)
  where changed_xid is not null;
alter table outbound.handoffs enable row level security;
create trigger handoffs_mark_change before update on outbound.handoffs
  for each row execute function outbound.mark_change();
-- Visitors' feedback on voice sessions.
create table outbound.voice_feedback (
  company_id uuid not null,
  conversation_id text not null,
  widget_id uuid not null,
  rating int not null,
  comment text,
  created_at timestamptz not null default now(),
  constraint voice_feedback_pkey primary key (company_id, widget_id, conversation_id),
  constraint voice_feedback_widget_fkey foreign key (company_id, widget_id)
    references outbound.widgets (company_id, id) on delete cascade,
  constraint voice_feedback_rating_check check (rating between 1 and 5)
);
alter table outbound.voice_feedback enable row level security;

-- 10_tables/14_contacts.sql

-- Recipients' rights: who does not want to be written to, who agreed to it, what people replied.
--
-- An address is how a person is reached: a phone number (digits) or the platform's user id (ES.1349…); the two forms
-- cannot be confused. A person may have both (user_ids). Whatever is stored about a person is stored under each address
-- that is known, so that a check is one look-up by the address at hand; a link that is learned later copies it.

-- A company's rules about recipients. A company without a row has the defaults.
create table outbound.contact_rules (
  company_id uuid not null,
  -- The condition for marketing: off: nothing, warn: the response warns, require: a recorded consent.
  consent_policy text not null default 'off',
  -- [{channel, category, zone, windows, holidays}, …]; docs/sending-hours.md describes them.
  sending_hours jsonb not null default '[]',
  -- [{channel, max, days}, …]: at most max marketing messages per person in that many calendar days.
  frequency_caps jsonb not null default '[]',
  -- Words of the company's own, folded (fold_words.ts), besides those of each language.
  opt_out_words text[] not null default '{}',
  opt_in_words text[] not null default '{}',
  use_default_words boolean not null default true,
  -- Whether marketing waits while the platform spares a person (marketing_cooldowns). Otherwise it leaves at once.
  marketing_cooldown boolean not null default false,
  -- The reply to an opt-out; null: a text in the language of the word; empty: none.
  opt_out_confirmation text,
  -- Whether an opt-out that a person writes on WhatsApp stops calls too.
  opt_out_stops_calls boolean not null default true,
  -- After how many days what is known about recipients is deleted; null: never.
  keep_notifications_days int,
  keep_messages_days int,
  keep_transcripts_days int,
  -- The key of the hashes in erased_contacts, sealed with OUTBOUND_SECRETS_KEY.
  erasure_key_sealed text,
  -- Notifications before this id were erased, or are in retention_leftovers.
  notifications_erased_to uuid,
  updated_at timestamptz not null default now(),
  constraint contact_rules_pkey primary key (company_id),
  constraint contact_rules_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint contact_rules_policy_check check (consent_policy in ('off', 'warn', 'require')),
  constraint contact_rules_lists_check
    check (jsonb_typeof(sending_hours) = 'array' and jsonb_typeof(frequency_caps) = 'array'),
  constraint contact_rules_days_check
    check (least(keep_notifications_days, keep_messages_days, keep_transcripts_days) >= 1)
);
-- Companies that want something erased, the one first that is furthest behind (apply_retention).
create index contact_rules_retention_idx on outbound.contact_rules (notifications_erased_to nulls first)
  where num_nonnulls(keep_notifications_days, keep_messages_days, keep_transcripts_days) > 0;
alter table outbound.contact_rules enable row level security;

-- Notifications that were old enough to be erased when apply_retention came by, and were not finished, had finished only
-- since, or were locked. It returns to them later.
create table outbound.retention_leftovers (
  company_id uuid not null,
  notification_id uuid not null,
  due_at timestamptz not null,
  constraint retention_leftovers_pkey primary key (company_id, notification_id),
  constraint retention_leftovers_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index retention_leftovers_due_idx on outbound.retention_leftovers (due_at);
alter table outbound.retention_leftovers enable row level security;

-- The platform's user ids that we have seen, and the number of each where the platform showed it. A number may have
-- several user ids: each business portfolio has its own.
create table outbound.user_ids (
  company_id uuid not null,
  user_id text not null,
  number text,
  username text,
  seen_at timestamptz not null default now(),
  -- When the platform showed the two together, by its clock: an earlier event changes nothing.
  linked_at timestamptz not null default '-infinity',
  constraint user_ids_pkey primary key (company_id, user_id),
  constraint user_ids_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint user_ids_user_id_check check (user_id ~ '^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$'),
  constraint user_ids_number_check check (number ~ '^[1-9][0-9]{6,14}$')
);
create index user_ids_number_idx on outbound.user_ids (company_id, number) where number is not null;
alter table outbound.user_ids enable row level security;

-- Numbers that the platform writes in another way than the company: a Mexican number with or without a 1 after 52, an
-- Argentine one with or without a 9 after 54. They come from its responses to
-- our own messages.
create table outbound.number_aliases (
  company_id uuid not null,
  -- As the company wrote it.
  number text not null,
  -- The same phone line, as the platform writes it.
  platform_number text not null,
  constraint number_aliases_pkey primary key (company_id, number),
  constraint number_aliases_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint number_aliases_numbers_check check (number <> platform_number)
);
create index number_aliases_platform_number_idx on outbound.number_aliases (company_id, platform_number);
alter table outbound.number_aliases enable row level security;

-- The ledger of who does not want to be written to. A row changes only when the same is said again later, and when it is
-- lifted; lifted rows stay as evidence.
create table outbound.suppressions (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  address text not null,
  channel text not null,
  category text not null,
  source text not null,
  -- When the person, or the company for the person, said so.
  at timestamptz not null,
  -- The words, and where they came from: {text, message_id}, {detail}, {error_code} …
  evidence jsonb,
  created_at timestamptz not null default now(),
  lifted_at timestamptz,
  -- As in source, and what was said.
  lifted_by text,
  lifted_evidence jsonb,
  constraint suppressions_pkey primary key (company_id, id),
  constraint suppressions_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint suppressions_channel_check check (channel in ('any', 'whatsapp', 'voice')),
  constraint suppressions_category_check check (category in ('marketing', 'all')),
  constraint suppressions_source_check
    check (source in ('keyword', 'button', 'platform', 'api', 'import', 'operator')),
  constraint suppressions_lifted_check check ((lifted_at is null) = (lifted_by is null))
);
-- Accepting and claiming look up each recipient here. Contains all that they need.
create unique index suppressions_current_idx
  on outbound.suppressions (company_id, address, channel, category, source) where lifted_at is null;
-- One person's whole history.
create index suppressions_address_idx on outbound.suppressions (company_id, address, created_at);
-- The list of a company, the newest first.
create index suppressions_created_idx on outbound.suppressions (company_id, created_at, id);
alter table outbound.suppressions enable row level security;

-- Consents to be written to, given and taken back, with the evidence. The latest of an address, channel and category
-- counts; at the same time, withdrawn counts. A withdrawal is also a suppression, and a later grant lifts it.
create table outbound.consents (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  address text not null,
  channel text not null,
  category text not null,
  status text not null,
  -- How it was given: website, paper, message …
  method text not null,
  detail text,
  consented_at timestamptz not null,
  source text not null,
  created_at timestamptz not null default now(),
  constraint consents_pkey primary key (company_id, id),
  constraint consents_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint consents_channel_check check (channel in ('any', 'whatsapp', 'voice')),
  constraint consents_category_check check (category in ('marketing', 'all')),
  constraint consents_status_check check (status in ('granted', 'withdrawn')),
  constraint consents_source_check check (source in ('keyword', 'button', 'platform', 'api', 'import', 'operator'))
);
-- The same is recorded once, however often it is imported.
create unique index consents_once_idx
  on outbound.consents (company_id, address, channel, category, status, consented_at);
create index consents_address_idx on outbound.consents (company_id, address, consented_at desc);
create index consents_created_idx on outbound.consents (company_id, created_at, id);
alter table outbound.consents enable row level security;

-- People whom the platform shields from more marketing for a while (error 131049).
create table outbound.marketing_cooldowns (
  company_id uuid not null,
  address text not null,
  until timestamptz not null,
  constraint marketing_cooldowns_pkey primary key (company_id, address),
  constraint marketing_cooldowns_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index marketing_cooldowns_until_idx on outbound.marketing_cooldowns (until);
alter table outbound.marketing_cooldowns enable row level security;

-- The marketing messages that a person was sent on a day of the person's own zone. Only of companies with frequency
-- caps. Whether one counts is read from its notification: one that failed does not.
create table outbound.marketing_sends (
  company_id uuid not null,
  address text not null,
  notification_id uuid not null,
  channel text not null,
  day date not null,
  constraint marketing_sends_pkey primary key (company_id, address, notification_id),
  constraint marketing_sends_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index marketing_sends_day_idx on outbound.marketing_sends (day);
alter table outbound.marketing_sends enable row level security;

-- People who were erased stay suppressed: hashes of their addresses, keyed with contact_rules.erasure_key_sealed.
create table outbound.erased_contacts (
  company_id uuid not null,
  address_hash text not null,
  erased_at timestamptz not null default now(),
  constraint erased_contacts_pkey primary key (company_id, address_hash),
  constraint erased_contacts_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint erased_contacts_hash_check check (address_hash ~ '^[0-9a-f]{64}$')
);
alter table outbound.erased_contacts enable row level security;

-- Messages of people to a company's senders, and the company's replies.
create table outbound.contact_messages (
  company_id uuid not null,
  id uuid not null,
  sender_id uuid not null,
  direction text not null,
  -- The other side; at least one of the two while it is not erased.
  number text,
  user_id text,
  -- The platform's type: text, button, interactive, image, location …
  kind text not null,
  -- The words that a person would read: the text, the button's label, the caption …
  text text,
  -- The rest of what the platform said, or is to be sent, by kind.
  content jsonb,
  -- The platform's id of the message, and of the one that it replies to.
  platform_message_id text,
  context_message_id text,
  -- The notification that it replies to.
  campaign_id uuid,
  notification_id uuid,
  -- in: received. out: as a notification's.
  status text not null,
  -- out: reply, or the confirmation of an opt-out.
  purpose text not null default 'reply',
  run_at timestamptz,
  expires_at timestamptz,
  attempt smallint not null default 0,
  fence int not null default 0,
  worker text,
  lease_until timestamptz,
  -- out: the span of the request, as traceparent, where it is traced.
  trace text,
  error_code text,
  error_reason text,
  -- When it was written, by the platform's clock; when we accepted it.
  at timestamptz not null,
  created_at timestamptz not null default now(),
  -- Where changes are found (mark_change).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  constraint contact_messages_pkey primary key (company_id, id),
  constraint contact_messages_sender_fkey foreign key (company_id, sender_id)
    references outbound.senders (company_id, id) on delete cascade,
  constraint contact_messages_direction_check check (direction in ('in', 'out')),
  constraint contact_messages_purpose_check check (purpose in ('reply', 'opt_out_confirmation')),
  constraint contact_messages_status_check check (
    case direction when 'in' then status = 'received'
      else status in ('queued', 'sending', 'unconfirmed', 'sent', 'delivered', 'read', 'failed') end
  ),
  constraint contact_messages_address_check
    check (num_nonnulls(number, user_id) > 0 or status not in ('queued', 'sending', 'unconfirmed')),
  constraint contact_messages_lease_check
    check ((status in ('sending', 'unconfirmed')) = (lease_until is not null))
);
-- The platform repeats its events.
create unique index contact_messages_platform_idx on outbound.contact_messages (company_id, platform_message_id)
  where platform_message_id is not null;
create index contact_messages_number_idx on outbound.contact_messages (company_id, number, at desc)
  where number is not null;
create index contact_messages_user_id_idx on outbound.contact_messages (company_id, user_id, at desc)
  where user_id is not null;
-- The list of a company, the newest first; and of one campaign.
create index contact_messages_at_idx on outbound.contact_messages (company_id, at, id);
create index contact_messages_campaign_idx on outbound.contact_messages (company_id, campaign_id, at, id)
  where campaign_id is not null;
-- Rows that changed a moment ago (changes_of_people).
create index contact_messages_changed_idx on outbound.contact_messages (company_id, changed_xid)
  where changed_xid is not null;
-- Led by the sender: a claim takes from each in turn, and passes by a stopped one without reading its replies.
create index contact_messages_queued_idx on outbound.contact_messages (company_id, sender_id, run_at)
  where status = 'queued';
create index contact_messages_expiry_idx on outbound.contact_messages (expires_at) where status = 'queued';
create index contact_messages_lease_idx on outbound.contact_messages (lease_until)
  where status in ('sending', 'unconfirmed');
alter table outbound.contact_messages enable row level security;

create trigger contact_messages_mark_change before update on outbound.contact_messages
  for each row execute function outbound.mark_change();
create trigger contact_messages_touch_thread after insert on outbound.contact_messages
  for each row when (new.kind <> 'system') execute function outbound.touch_thread();
create trigger contact_messages_end_threads after delete on outbound.contact_messages
  referencing old table as old_rows
  for each statement execute function outbound.end_threads();

-- When claims look at the replies that wait for a sender: a claim costs as much as there is to send now, however many
-- senders wait or are stopped. A sender for which nothing waits has no row.
create table outbound.reply_schedule (
  company_id uuid not null,
  sender_id uuid not null,
  due_at timestamptz not null,
  constraint reply_schedule_pkey primary key (company_id, sender_id),
  constraint reply_schedule_sender_fkey foreign key (company_id, sender_id)
    references outbound.senders (company_id, id) on delete cascade
) with (fillfactor = 70);
create index reply_schedule_due_idx on outbound.reply_schedule (due_at);
alter table outbound.reply_schedule enable row level security;


-- The conversation of a person and one of the senders, for the inbox. A thread ends with its last message, when
-- that is erased. Threads hold no texts.
create table outbound.contact_threads (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  sender_id uuid not null,
  -- The person as first known: the user id, or else the number.
  address text not null,
  status text not null default 'open',
  last_message_id uuid not null,
  last_message_at timestamptz not null,
  last_direction text not null,
  -- The platform takes replies for a day from then on. Null while the person has not written.
  last_inbound_at timestamptz,
  -- The member who takes care of it.
  assigned_to uuid,
  state text not null generated always as (outbound.inbox_state(status, last_direction = 'in')) stored,
  -- Where changes are found (mark_change).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  created_at timestamptz not null default now(),
  constraint contact_threads_pkey primary key (company_id, id),
  -- The sender leads, so that without statistics no other index looks as good to touch_thread.
  constraint contact_threads_address_key unique (sender_id, address, company_id),
  -- No foreign key to the message: its checks read the whole table while there are no statistics. end_threads deletes.
  constraint contact_threads_message_key unique (last_message_id, company_id),
  constraint contact_threads_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint contact_threads_assigned_fkey foreign key (company_id, assigned_to)
    references outbound.memberships (company_id, user_id) on delete set null (assigned_to),
  constraint contact_threads_status_check check (status in ('open', 'closed')),
  constraint contact_threads_direction_check check (last_direction in ('in', 'out'))
) with (fillfactor = 80);
-- The inbox (read_inbox): all of it, of one state, and of one member.
create index contact_threads_recent_idx on outbound.contact_threads (company_id, last_message_at, id);
create index contact_threads_state_idx on outbound.contact_threads (company_id, state, last_message_at, id);
create index contact_threads_assigned_idx on outbound.contact_threads (company_id, assigned_to, last_message_at, id)
  where assigned_to is not null;
-- Rows that changed a moment ago (changes_of_people).
create index contact_threads_changed_idx on outbound.contact_threads (company_id, changed_xid)
  where changed_xid is not null;
alter table outbound.contact_threads enable row level security;
create trigger contact_threads_mark_change before update on outbound.contact_threads
  for each row execute function outbound.mark_change();

-- Hashes of the platform's ids of received messages. The platform repeats its events for seven days; by these, one is
-- recognised whose message was erased or deleted since.
create table outbound.seen_messages (
  company_id uuid not null,
  message_hash bytea not null,
  seen_at timestamptz not null default now(),
  constraint seen_messages_pkey primary key (company_id, message_hash),
  constraint seen_messages_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index seen_messages_seen_idx on outbound.seen_messages (seen_at);
alter table outbound.seen_messages enable row level security;

-- Every change of a company's rules and recipients, with its author.
create table outbound.audit_log (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  at timestamptz not null default now(),
  -- key:<id> or user:<id>, behind mcp: if through an agent; cli, or platform.
  actor text not null,
  -- contact.erased, contact_rules.updated …
  action text not null,
  -- The thing that was changed; never a person's address.
  subject text,
  before jsonb,
  after jsonb,
  request_id text,
  constraint audit_log_pkey primary key (company_id, id),
  constraint audit_log_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index audit_log_at_idx on outbound.audit_log (company_id, at, id);
create index audit_log_old_idx on outbound.audit_log (at);
alter table outbound.audit_log enable row level security;

-- 10_tables/15_pricing.sql

-- The prices of messages, as far as they are known.

-- The operator's rate cards. A message costs the rate of its recipient's country that was last in effect when it is sent,
-- or that of '*' where the card does not name the country.
create table outbound.rates (
  -- A country by ISO 3166-1, or * for the rest of the world.
  market text not null,
  -- As the platform writes it in its events: marketing, utility, authentication, service …
  category text not null,
  -- By ISO 4217.
  currency text not null,
  effective_from date not null,
  -- Per delivered message.
  rate numeric(12, 6) not null,
  imported_at timestamptz not null default now(),
  constraint rates_pkey primary key (market, category, currency, effective_from),
  constraint rates_market_check check (market ~ '^([A-Z]{2}|\*)$'),
  constraint rates_category_check check (category ~ '^[a-z_]{1,40}$'),
  constraint rates_currency_check check (currency ~ '^[A-Z]{3}$'),
  constraint rates_rate_check check (rate >= 0)
);
alter table outbound.rates enable row level security;

-- How many delivered messages of a campaign the platform priced how. Each message counts once.
create table outbound.campaign_pricing (
  company_id uuid not null,
  campaign_id uuid not null,
  -- The recipient's, by ISO 3166-1; empty where the number does not show it.
  country text not null,
  category text not null,
  -- regular, free_customer_service, free_entry_point …
  type text not null,
  billable boolean not null,
  messages int not null,
  constraint campaign_pricing_pkey primary key (company_id, campaign_id, country, category, type, billable),
  constraint campaign_pricing_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
) with (fillfactor = 70);
alter table outbound.campaign_pricing enable row level security;

-- 15_access/audit_change.sql

-- Records who changed which fields of something: those of p_after that differ from p_before. Writes nothing where none
-- does.
create function outbound.audit_change(
  p_company_id uuid, p_actor text, p_action text, p_subject text, p_before jsonb, p_after jsonb, p_request_id text
)
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.audit_log (company_id, actor, action, subject, before, after, request_id)
  select p_company_id, p_actor, p_action, p_subject, changed.before, changed.after, p_request_id
  from (
    select jsonb_object_agg(n.key, p_before -> n.key) as before, jsonb_object_agg(n.key, n.value) as after
    from jsonb_each(p_after) as n where n.value is distinct from p_before -> n.key
  ) as changed
  where changed.after is not null
$$;
revoke execute on function outbound.audit_change from public;

-- 15_access/count_login_attempt.sql

-- Locks and returns the row of an address, an account or a pair of the two. A window that is over begins again.
create function outbound.open_login_window(p_subject text, p_window interval)
returns outbound.login_attempts
language sql security invoker set search_path = ''
as $$
  insert into outbound.login_attempts as a (subject, window_start, attempts)
  values (p_subject, now(), 0)
  on conflict (subject) do update set
    attempts = case when outbound.is_window_over(a.window_start, p_window) then 0 else a.attempts end,
    window_start = case when outbound.is_window_over(a.window_start, p_window) then now() else a.window_start end,
    expires_at = greatest(a.expires_at, now() + interval '1 day')
  returning *
$$;
revoke execute on function outbound.open_login_window from public;

-- Returns the seconds until an account's bucket has an attempt for a pair that has failed p_failures times; 0 when it
-- has one now. The bucket holds p_burst attempts and gains one per p_gap. Its lower half is kept for pairs with fewer
-- than three failures: a stranger at a few addresses cannot empty it, and a user who comes from elsewhere finds an
-- attempt left.
create function outbound.login_wait_s(
  p_full_at timestamptz, p_failures int, p_burst int, p_gap interval
)
returns int
language sql stable security invoker set search_path = ''
as $$
  select case when ready.at <= now() then 0 else outbound.seconds_until(ready.at) end
  from (
    select p_full_at - p_gap * (case when p_failures < 3 then p_burst - 1 else p_burst - p_burst / 2 - 1 end) as at
  ) as ready
$$;
revoke execute on function outbound.login_wait_s from public;

-- Counts an attempt to log in before the password is checked, so that attempts made at once cannot exceed the limits.
-- Only an attempt that may go on is counted. An unknown address (null) has no limit of its own; all unknown addresses
-- are one in p_pair.
-- wait_s: seconds to wait, or 0 when the attempt may go on. reached: the limit that was reached (address, account,
-- pair). Rows are locked in the order address, account, pair, here and in refund_login_attempt.
create function outbound.count_login_attempt(
  p_address text, p_account text, p_pair text, p_per_address int, p_per_pair int, p_window interval,
  p_burst int, p_gap interval, out wait_s int, out reached text
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_address outbound.login_attempts;
  v_account outbound.login_attempts;
  v_pair outbound.login_attempts;
  v_full_at timestamptz;
  v_is_known boolean;
begin
  wait_s := 0;
  -- A user who is known at this address does not wait for others there: a whole office may share one address.
  v_is_known := exists (
    select from outbound.login_attempts as known where known.subject = p_pair and known.known_until >= now()
  );
  if p_address is not null then
    v_address := outbound.open_login_window(p_address, p_window);
    if v_address.attempts >= p_per_address and not v_is_known then
      wait_s := outbound.seconds_until(v_address.window_start + p_window);
      reached := 'address';
      return;
    end if;
  end if;

  v_account := outbound.open_login_window(p_account, p_window);
  v_pair := outbound.open_login_window(p_pair, p_window);
  if v_pair.attempts >= p_per_pair then
    wait_s := outbound.seconds_until(v_pair.window_start + p_window);
    reached := 'pair';
    return;
  end if;

  if not v_is_known then
    v_full_at := greatest(v_account.full_at, now());
    -- Later than an empty bucket would be full: the clock was set back.
    if v_full_at > now() + p_gap * p_burst + interval '1 minute' then
      v_full_at := now();
    end if;
    wait_s := outbound.login_wait_s(v_full_at, v_pair.attempts, p_burst, p_gap);
    if wait_s > 0 then
      reached := 'account';
      return;
    end if;
    update outbound.login_attempts as a set full_at = v_full_at + p_gap where a.subject = p_account;
  end if;
  update outbound.login_attempts as a set attempts = a.attempts + 1 where a.subject in (p_address, p_pair);
end
$$;
revoke execute on function outbound.count_login_attempt from public;

-- 15_access/open_usage.sql

-- Locks and returns today's usage row of a key, with its rate window set to the running minute. The window also moves
-- back after the clock was set back; otherwise the key would be refused until the clock has caught up. A window that
-- is one minute ahead stays, because a transaction that began just before the minute may come here after one that
-- began in it.
create function outbound.open_usage(p_company_id uuid, p_api_key_id uuid)
returns outbound.usage
language plpgsql security invoker set search_path = ''
as $$
declare
  v_day date := (now() at time zone 'UTC')::date;
  v_window timestamptz := date_trunc('minute', now());
  v_usage outbound.usage;
begin
  select * into v_usage from outbound.usage as u
  where u.company_id = p_company_id and u.api_key_id = p_api_key_id and u.day = v_day
  for no key update;
  if not found then
    insert into outbound.usage as u (company_id, api_key_id, day, window_start)
    values (p_company_id, p_api_key_id, v_day, v_window)
    on conflict on constraint usage_pkey do update set requests = u.requests
    returning * into v_usage;
  end if;
  if v_usage.window_start < v_window or v_usage.window_start > v_window + interval '1 minute' then
    v_usage.window_start := v_window;
    v_usage.requests := 0;
    update outbound.usage as u set window_start = v_window, requests = 0
    where u.company_id = p_company_id and u.api_key_id = p_api_key_id and u.day = v_day;
  end if;
  return v_usage;
end
$$;
revoke execute on function outbound.open_usage from public;

-- 15_access/read_idempotent_response.sql

-- Returns the first response to a request with this idempotency key, if it is less than 24 hours old.
create function outbound.read_idempotent_response(p_key_hash text, p_endpoint text, p_key text)
returns table (request_hash text, answer json)
language sql stable security invoker set search_path = ''
as $$
  select i.request_hash, i.answer
  from outbound.api_keys as k
  join outbound.idempotency_keys as i
    on i.company_id = k.company_id and i.endpoint = p_endpoint and i.key = p_key
  where k.key_hash = p_key_hash and k.is_active and i.created_at > now() - interval '24 hours'
$$;
revoke execute on function outbound.read_idempotent_response from public;

-- 15_access/refund_login_attempt.sql

-- Takes back an attempt that was no failure: the password was not checked (p_known_for is null), or it was right. The
-- user is then known at this address for p_known_for, and the pair starts from zero.
create function outbound.refund_login_attempt(
  p_address text, p_account text, p_pair text, p_gap interval, p_known_for interval
)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  update outbound.login_attempts as a set attempts = greatest(a.attempts - 1, 0) where a.subject = p_address;
  update outbound.login_attempts as a set full_at = a.full_at - p_gap
  where a.subject = p_account and not exists (
    select from outbound.login_attempts as pair where pair.subject = p_pair and pair.known_until >= now()
  );
  update outbound.login_attempts as a
  set attempts = case when p_known_for is null then greatest(a.attempts - 1, 0) else 0 end,
    known_until = coalesce(now() + p_known_for, a.known_until),
    expires_at = greatest(a.expires_at, now() + p_known_for)
  where a.subject = p_pair;
end
$$;
revoke execute on function outbound.refund_login_attempt from public;

-- 15_access/store_idempotent_response.sql

-- Stores the first response to a request with an idempotency key, {endpoint, key, request_hash} or null.
create function outbound.store_idempotent_response(p_company_id uuid, p_idempotency jsonb, p_answer json)
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.idempotency_keys as i (company_id, endpoint, key, request_hash, answer)
  select p_company_id, r.endpoint, r.key, r.request_hash, p_answer
  from jsonb_to_record(p_idempotency) as r(endpoint text, key text, request_hash text)
  where r.key is not null
  on conflict on constraint idempotency_keys_pkey do update
    set request_hash = excluded.request_hash, answer = excluded.answer, created_at = now()
    where i.created_at <= now() - interval '24 hours'
$$;
revoke execute on function outbound.store_idempotent_response from public;

-- 15_access/use_access_key.sql

-- Returns what a presented key may do, and counts one request against its rate.
-- outcome: ok, unauthorized (no such key, or not active), rate_limited.
-- p_cost 0 checks without counting. reset_s: seconds until the window ends.
create function outbound.use_access_key(p_key_hash text, p_cost int default 1)
returns table (
  outcome text, company_id uuid, api_key_id uuid, permissions text[], api_access boolean,
  rate_limit int, remaining int, reset_s int
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_key record;
  v_usage outbound.usage;
begin
  select k.company_id, k.id, k.permissions, k.rate_limit, k.last_used_at, c.api_access into v_key
  from outbound.api_keys as k join outbound.companies as c on c.id = k.company_id
  where k.key_hash = p_key_hash and k.is_active;
  if not found then
    return query select 'unauthorized', null::uuid, null::uuid, null::text[], null::boolean, 0, 0, 0;
    return;
  end if;
  -- Lock the key first, then the usage row, in the same order as accept_notifications.
  if v_key.last_used_at is null or v_key.last_used_at < now() - interval '1 minute' then
    update outbound.api_keys as k set last_used_at = now()
    where k.company_id = v_key.company_id and k.id = v_key.id;
  end if;
  v_usage := outbound.open_usage(v_key.company_id, v_key.id);
  if p_cost > 0 and v_usage.requests + p_cost <= v_key.rate_limit then
    update outbound.usage as u set requests = u.requests + p_cost, day_requests = u.day_requests + p_cost
    where u.company_id = v_key.company_id and u.api_key_id = v_key.id and u.day = v_usage.day;
    v_usage.requests := v_usage.requests + p_cost;
    outcome := 'ok';
  else
    outcome := case when p_cost = 0 then 'ok' else 'rate_limited' end;
  end if;
  return query select outcome, v_key.company_id, v_key.id, v_key.permissions, v_key.api_access,
    v_key.rate_limit, greatest(v_key.rate_limit - v_usage.requests, 0),
    outbound.seconds_until(v_usage.window_start + interval '1 minute');
end
$$;
revoke execute on function outbound.use_access_key from public;

-- 15_access/write_audit.sql

-- Records who changed what. p_subject is never a person's address.
create function outbound.write_audit(
  p_company_id uuid, p_actor text, p_action text, p_subject text, p_before jsonb, p_after jsonb, p_request_id text
)
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.audit_log (company_id, actor, action, subject, before, after, request_id)
  values (p_company_id, p_actor, p_action, p_subject, p_before, p_after, p_request_id)
$$;
revoke execute on function outbound.write_audit from public;

-- 20_queue/accept_notifications.sql

-- Stores any number of checked requests, of any companies, in one transaction, if what they were checked against is
-- still true. Offering the same request (by campaign id) again is safe; one that adds to a campaign needs an
-- idempotency key for that.
-- p_key_hashes: the hashes of all keys that the requests came with.
-- p_sources: what many requests have in common, one flat object each: source (its number); key_hash, permission,
-- ttl_s, channel, notification_type, sender_id, template_id, template_name, template_language, template_shape,
-- agent_id; knows_erased: its notifications have hashes; warned: its response names the recipients without consent;
-- dry_run: only check it; unmetered: count no request, and look at no rate (a batch of an upload). Offer a dry run
-- alone.
-- p_requests: one flat object per request: ord (its number, from 1), source; size (the number of its notifications); of
-- the campaign id, name, name_event, scheduled_time, timezone, trace, rejected; is_addition: the campaign exists, and
-- gets the notifications; more: it stays open for more requests; knows_paused: its response says that the campaign is
-- paused; and with an idempotency key endpoint, idempotency_key, request_hash, answer.
-- p_notifications: those of all requests, {ord (of its request), id, number, user_id, message, metadata, hashes};
-- hashes are those of erased_contacts.
-- p_campaigns: the campaigns that requests add to; null for none.
--
-- Returns one row per request. outcome:
--   accepted, acceptable (a dry run that would be accepted; its rate is not looked at), replayed (answer: the first
--   response), key_reused, unauthorized, forbidden, no_api_access,
--   stale (the template, the agent or the sender changed since the check, or hashes are missing), rate_limited,
--   quota_exceeded, campaign_not_found, campaign_cancelled, campaign_mismatch (the request differs from the campaign
--   that it adds to: mismatch says in what, as campaign_mismatch returns it),
--   recipients (some may not be written to: recipients names them, [{id, code}], by the codes of skipped notifications;
--     offer the request again without them. warn_no_consent: with a warning about them),
--   campaign_paused (what is added to it waits: offer it again with a warning), or
--   undecided: it depends on another request of this batch (the same idempotency key, or a limit that the other may
--     reach); offer it again. The next batch decides the first undecided request of a key.
-- Only accepted requests store anything. remaining and quota_used count this batch's requests up to this one.
--
-- It locks the keys and campaigns, check_requests decides, and what is accepted is stored. Each table is written by a
-- statement of its own: in one statement of 130 plan nodes, preparing the nodes took longer than running them. What
-- only few batches need is in functions that only these call. Nothing else is: the expressions of a function in
-- PL/pgSQL are prepared once per transaction, which takes some 15 µs.
--
-- The arguments are flat so that each is parsed once: to find a field of a nested object, Postgres goes through the
-- whole object. That was half of the time of accepting. Parsing is a seventh of it still, so nothing comes twice.
create function outbound.accept_notifications(
  p_key_hashes text[], p_sources json, p_requests json, p_notifications json, p_campaigns uuid[] default null
)
returns table (
  ord int, outcome text, answer json, recipients json, mismatch json, rate_limit int, remaining int, reset_s int,
  quota int, quota_used int
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per key.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_hashes text[];
  v_keys outbound.api_keys[];
  v_uses outbound.usage[];
  v_noted int;
  v record;
  v_stored int[];
  v_held uuid[];
begin
  -- Lock the keys in hash order: one batch per key at a time, and no deadlock between batches. A separate statement, so
  -- that the next one sees what the transaction that had them locked before has committed.
  select array_agg(k.key_hash), array_agg(k.key), array_agg(outbound.open_usage(k.company_id, k.id)),
    count(*) filter (where k.last_used_at >= now() - interval '1 minute')
  into v_hashes, v_keys, v_uses, v_noted
  from (
    select k as key, k.company_id, k.id, k.key_hash, k.last_used_at from outbound.api_keys as k
    where k.is_active and k.key_hash = any (p_key_hashes)
    order by k.key_hash for no key update
  ) as k;
  if v_noted < cardinality(v_keys) then
    update outbound.api_keys as k set last_used_at = now()
    where k.is_active and k.key_hash = any (p_key_hashes)
      and coalesce(k.last_used_at < now() - interval '1 minute', true);
  end if;
  -- A separate statement, for the same reason.
  if p_campaigns is not null then
    perform outbound.lock_campaigns(array(select k.company_id from unnest(v_keys) as k), p_campaigns);
  end if;

  select * into v
  from outbound.check_requests(v_hashes, v_keys, v_uses, p_sources, p_requests, p_notifications);

  -- A repeated request has its campaign already: nothing of it is stored or counted.
  with campaign as (
    insert into outbound.campaigns as g (
      company_id, id, api_key_id, channel, name, notification_type, sender_id, template_id, template_name,
      template_language, template_shape, agent_id, name_event, scheduled_time, timezone, trace, total, pending,
      rejected, open_until, completed_at
    )
    select v.companies[r.ord], r.id, v.api_keys[r.ord], s.channel, r.name, s.notification_type, s.sender_id,
      s.template_id, s.template_name, s.template_language, s.template_shape, s.agent_id, r.name_event,
      r.scheduled_time, r.timezone, r.trace, r.size, r.size, r.rejected, case when r.more then outbound.open_until()
      end, case when r.size = 0 and r.more is not true then now() end
    from json_to_recordset(p_requests) as r(
      ord int, source int, size int, id uuid, name text, name_event text, scheduled_time timestamptz, timezone text,
      trace text, rejected int, is_addition boolean, more boolean
    )
    join json_to_recordset(p_sources) as s(
      source int, channel text, notification_type text, sender_id uuid, template_id uuid, template_name text,
      template_language text, template_shape text, agent_id uuid
    ) on s.source = r.source
    where v.outcomes[r.ord] = 'accepted' and r.is_addition is not true
    on conflict on constraint campaigns_pkey do nothing
    returning array_position(v.campaigns, g.id) as ord
  )
  select array_agg(c.ord) into v_stored from campaign as c;
  if p_campaigns is not null then
    select v_stored || a.stored, a.held into v_stored, v_held
    from outbound.store_additions(p_requests, v.outcomes, v.companies) as a;
  end if;

  insert into outbound.notification_facts (
    company_id, id, campaign_id, sender_id, voice, number, user_id, message, metadata
  )
  select v.companies[n.ord], n.id, v.campaigns[n.ord], v.senders[n.ord], v.are_calls[n.ord], n.number, n.user_id,
    n.message, n.metadata
  from json_to_recordset(p_notifications) as n(
    ord int, id uuid, number text, user_id text, message json, metadata json
  )
  where n.ord = any (v_stored);
  insert into outbound.queue (
    company_id, id, campaign_id, sender_id, voice, priority, is_scheduled, run_at, held_run_at, expires_at
  )
  select v.companies[n.ord], n.id, v.campaigns[n.ord], v.senders[n.ord], v.are_calls[n.ord], v.priorities[n.ord],
    v.due_at[n.ord] > now(), case when hold.is_held then 'infinity' else v.due_at[n.ord] end,
    case when hold.is_held then v.due_at[n.ord] end, v.expires_at[n.ord]
  from json_to_recordset(p_notifications) as n(ord int, id uuid)
  cross join lateral (select v.campaigns[n.ord] = any (v_held) as is_held) as hold
  where n.ord = any (v_stored);

  update outbound.usage as u
  set requests = u.requests + g.requests, day_requests = u.day_requests + g.requests,
    notifications = u.notifications + g.notifications
  from (
    select v.companies[s.ord] as company_id, v.api_keys[s.ord] as api_key_id,
      count(*) filter (where v.are_metered[s.ord])::int as requests, sum(v.sizes[s.ord])::int as notifications
    from unnest(v_stored) as s(ord) group by 1, 2
  ) as g
  where u.company_id = g.company_id and u.api_key_id = g.api_key_id and u.day = (now() at time zone 'UTC')::date;

  if v.first_responses is not null then
    perform outbound.store_first_responses(p_requests, v.companies, v_stored);
  end if;

  -- The last of all locks. A turn is locked even if it does not move.
  perform outbound.advance_senders(
    array_agg(v.companies[s.ord]), array_agg(v.senders[s.ord]), array_agg(v.due_at[s.ord]))
  from unnest(v_stored) as s(ord) where v.sizes[s.ord] > 0 and (v.campaigns[s.ord] = any (v_held)) is not true
  having count(*) > 0;

  return query
  select o.ord::int, o.outcome, case when o.outcome = 'replayed' then v.first_responses[o.ord] end,
    case when o.outcome = 'recipients' then v.recipients[o.ord] end,
    case when o.outcome = 'campaign_mismatch' then v.mismatches[o.ord] end,
    v.rate_limits[o.ord], v.remaining[o.ord], v.reset_s[o.ord], v.quotas[o.ord], v.quota_used[o.ord]
  from unnest(v.outcomes) with ordinality as o(outcome, ord);
end
$$;
revoke execute on function outbound.accept_notifications from public;

-- 20_queue/cancel_queued.sql

-- Cancels those of the given notifications that are queued; the caller has locked them, and moves the counters. What
-- the platform said of the last attempt stays. Returns how many.
create function outbound.cancel_queued(p_companies uuid[], p_ids uuid[])
returns int
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per message.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_count int;
begin
  with gone as (
    delete from outbound.queue as q using unnest(p_companies, p_ids) as given(company_id, id)
    where q.company_id = given.company_id and q.id = given.id and case when q.status = 'queued' then true end
    returning q.company_id, q.id, q.attempt, q.fence, q.claimed_at, q.error_code, q.error_reason
  )
  update outbound.notification_facts as f
  set status = 'cancelled', attempt = gone.attempt, fence = gone.fence, claimed_at = gone.claimed_at,
    error_code = outbound.lasting_text(gone.error_code, gone.error_code),
    error_reason = outbound.lasting_text(gone.error_code, gone.error_reason)
  from gone where f.company_id = gone.company_id and f.id = gone.id;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
revoke execute on function outbound.cancel_queued from public;

-- 20_queue/check_additions.sql

-- Returns what campaigns say about the requests of a batch that add to them (accept_notifications describes both), at
-- the ord of the request: campaign_not_found, campaign_cancelled, campaign_mismatch with the difference, or null; and
-- whether the campaign is paused and the request does not know it. p_hashes, p_keys: those of check_requests. Reads
-- only; called only if a request adds to a campaign.
create function outbound.check_additions(
  p_hashes text[], p_keys outbound.api_keys[], p_sources json, p_requests json,
  out outcomes text[], out mismatches json[], out are_paused boolean[]
)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  select array_agg(a.outcome order by a.ord), array_agg(a.mismatch order by a.ord),
    array_agg(a.is_paused order by a.ord)
  into outcomes, mismatches, are_paused
  from (
    select r.ord, target.mismatch, target.is_paused and r.knows_paused is not true as is_paused,
      case
        when r.is_addition and target.is_cancelled is null then 'campaign_not_found'
        when target.is_cancelled then 'campaign_cancelled'
        when target.mismatch is not null then 'campaign_mismatch'
      end as outcome
    from (
      select * from json_to_recordset(p_requests) as r(
        ord int, source int, id uuid, scheduled_time timestamptz, timezone text, name_event text, is_addition boolean,
        knows_paused boolean
      )
      join json_to_recordset(p_sources) as s(
        source int, key_hash text, channel text, notification_type text, sender_id uuid, template_id uuid,
        template_name text, template_language text, template_shape text, agent_id uuid
      ) using (source)
    ) as r
    -- Lateral: one look-up per request. As a join it becomes, without statistics, a scan of everything stored.
    left join lateral (
      select g.cancelled_at is not null as is_cancelled, g.paused_at is not null as is_paused,
        outbound.campaign_mismatch(g, jsonb_populate_record(g, to_jsonb(r))) as mismatch
      from outbound.campaigns as g
      where r.is_addition and g.company_id = (p_keys[array_position(p_hashes, r.key_hash)]).company_id and g.id = r.id
      limit 1
    ) as target on true
  ) as a;
end
$$;
revoke execute on function outbound.check_additions from public;

-- 20_queue/check_idempotency_keys.sql

-- Returns what idempotency keys say about the requests of a batch (accept_notifications describes both), at their ord:
-- replayed, with the first response, key_reused, undecided for a key that an earlier request of the batch has too, or
-- null. p_hashes, p_keys: those of check_requests. Reads only; called only if a request has a key.
create function outbound.check_idempotency_keys(
  p_hashes text[], p_keys outbound.api_keys[], p_sources json, p_requests json,
  out outcomes text[], out first_responses json[]
)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  select array_agg(k.outcome order by k.ord), array_agg(k.answer order by k.ord) into outcomes, first_responses
  from (
    select r.ord, case when f.request_hash = r.request_hash then f.answer end as answer,
      case
        when f.request_hash = r.request_hash then 'replayed'
        when f.request_hash is not null then 'key_reused'
        when r.idempotency_key is not null
          and row_number() over (partition by s.key_hash, r.endpoint, r.idempotency_key order by r.ord) > 1
          then 'undecided'
      end as outcome
    from json_to_recordset(p_requests) as r(
      ord int, source int, endpoint text, idempotency_key text, request_hash text
    )
    join json_to_recordset(p_sources) as s(source int, key_hash text) on s.source = r.source
    -- Lateral: one look-up per request. As a join it becomes, without statistics, a scan of everything stored.
    left join lateral (
      select i.request_hash, i.answer from outbound.idempotency_keys as i
      where i.company_id = (p_keys[array_position(p_hashes, s.key_hash)]).company_id and i.endpoint = r.endpoint and i.key = r.idempotency_key
        and i.created_at > now() - interval '24 hours' limit 1
    ) as f on true
  ) as k;
end
$$;
revoke execute on function outbound.check_idempotency_keys from public;

-- 20_queue/check_requests.sql

-- Decides the requests of a batch, for accept_notifications, which describes them and their outcomes. Reads only. Each
-- array has an element for each request, at its ord: its outcome with what belongs to it, then what storing it needs.
-- p_hashes, p_keys, p_uses: the hashes of the locked keys, the keys, and today's use of each, in the same order.
-- Rules that few batches need have functions of their own, called for these only, because Postgres prepares all of a
-- statement before it runs any of it. For the same reason a fact that one row has is a subquery and no join.
-- The switches of accept_notifications hold here: setting them again takes 10 µs.
create function outbound.check_requests(
  p_hashes text[], p_keys outbound.api_keys[], p_uses outbound.usage[], p_sources json, p_requests json,
  p_notifications json, out outcomes text[], out first_responses json[], out recipients json[],
  out mismatches json[], out rate_limits int[], out remaining int[], out reset_s int[], out quotas int[],
  out quota_used int[], out companies uuid[], out api_keys uuid[], out campaigns uuid[], out senders uuid[],
  out are_calls boolean[], out priorities smallint[], out are_metered boolean[], out sizes int[],
  out due_at timestamptz[], out expires_at timestamptz[]
)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  v_keyed text[];
  v_added text[];
  v_are_paused boolean[];
begin
  if strpos(p_requests::text, '"idempotency_key"') > 0 then
    select k.outcomes, k.first_responses into v_keyed, first_responses
    from outbound.check_idempotency_keys(p_hashes, p_keys, p_sources, p_requests) as k;
  end if;
  if strpos(p_requests::text, '"is_addition"') > 0 then
    select a.outcomes, a.mismatches, a.are_paused into v_added, mismatches, v_are_paused
    from outbound.check_additions(p_hashes, p_keys, p_sources, p_requests) as a;
  end if;

  with source as materialized (
    select k.source, k.company_id, k.channel, k.sender_id, k.ttl_s, k.dry_run is true as is_dry_run,
      k.unmetered is not true as is_metered, (k.key).id as api_key_id, (k.key).rate_limit, (k.key).daily_quota,
      (k.usage).window_start, (k.usage).requests as used_requests, (k.usage).notifications as used_notifications,
      case
        when k.company_id is null then 'unauthorized'
        when not (select o.api_access from outbound.companies as o where o.id = k.company_id) then 'no_api_access'
        when not k.permission = any ((k.key).permissions) then 'forbidden'
      end as refusal,
      -- Its sender, template or agent changed since its requests were checked, or hashes are missing. Without offset, a
      -- plan made while there were few would go on reading all of every company's.
      not exists (
        select from outbound.senders as n
        where n.company_id = k.company_id and n.id = k.sender_id and not n.locked offset 0
      ) or k.template_id is not null and k.category is null
      or k.agent_id is not null and not exists (
        select from outbound.voice_agents as a
        where a.company_id = k.company_id and a.id = k.agent_id and a.status = 'active' offset 0
      )
      or k.has_erased and k.knows_erased is not true as is_stale,
      coalesce(k.category = 'MARKETING', k.notification_type = 'marketing') as is_marketing,
      k.notification_type = 'transactional' as is_transactional,
      case when k.policy <> 'warn' or k.warned is not true then k.policy end as policy,
      k.has_erased or coalesce(k.policy <> 'off', false)
        or exists (select from outbound.suppressions as p where p.company_id = k.company_id offset 0) as asks_recipients
    from (
      select g.*, (g.key).company_id, p_uses[g.index] as usage,
        (
          select t.category from outbound.templates as t
          where t.company_id = (g.key).company_id and t.id = g.template_id and t.status = 'approved'
            and t.shape = g.template_shape
        ) as category,
        (select w.consent_policy from outbound.contact_rules as w where w.company_id = (g.key).company_id) as policy,
        exists (
          select from outbound.erased_contacts as e where e.company_id = (g.key).company_id offset 0
        ) as has_erased
      from (
        select s.*, p_keys[array_position(p_hashes, s.key_hash)] as key, array_position(p_hashes, s.key_hash) as index
        from json_to_recordset(p_sources) as s(
          source int, key_hash text, permission text, ttl_s int, channel text, notification_type text, sender_id uuid,
          template_id uuid, template_shape text, agent_id uuid, knows_erased boolean, warned boolean, dry_run boolean,
          unmetered boolean
        ) offset 0
      ) as g offset 0
    ) as k
  ),
  refused as materialized (
    select outbound.refused_recipients(p_requests, p_notifications, json_agg(s)) as recipients
    from source as s where s.asks_recipients
  ),
  judged as (
    select r.ord, r.id, r.size, greatest(r.scheduled_time, now()) as due_at, s.*,
      coalesce(s.refusal, v_keyed[r.ord], case when s.is_stale then 'stale' end, v_added[r.ord], case
        when s.asks_recipients and (select f.recipients from refused as f)[r.ord] is not null then 'recipients'
        when v_are_paused[r.ord] then 'campaign_paused'
        when s.used_requests >= s.rate_limit and s.is_metered and not s.is_dry_run then 'rate_limited'
        when s.used_notifications + r.size > s.daily_quota then 'quota_exceeded'
        when s.is_dry_run then 'acceptable'
      end) as verdict
    from json_to_recordset(p_requests) as r(ord int, source int, size int, id uuid, scheduled_time timestamptz)
    join source as s on s.source = r.source offset 0
  ),
  counted as (
    select j.*,
      (count(*) filter (where j.verdict is null and j.is_metered) over key_so_far)::int as more_requests,
      (coalesce(sum(j.size) filter (where j.verdict is null) over key_so_far, 0))::int as more_notifications
    from judged as j window key_so_far as (partition by j.api_key_id order by j.ord)
  ),
  decided as (
    select c.*, coalesce(c.verdict, case
      when c.used_requests + c.more_requests > c.rate_limit and c.is_metered
        or c.used_notifications + c.more_notifications > c.daily_quota then 'undecided' else 'accepted'
    end) as outcome
    from counted as c order by c.ord
  )
  select array_agg(d.outcome), array_agg(coalesce(d.rate_limit, 0)),
    array_agg(coalesce(greatest(d.rate_limit - d.used_requests - d.more_requests, 0), 0)),
    -- The expression of outbound.seconds_until, because calling it costs 2 to 3 µs per request.
    array_agg(coalesce(greatest(1, ceil(extract(epoch from d.window_start + interval '1 minute' - now()))), 0)::int),
    array_agg(coalesce(d.daily_quota, 0)), array_agg(coalesce(
      least(d.used_notifications + d.more_notifications, greatest(d.used_notifications, d.daily_quota)), 0)),
    array_agg(d.company_id), array_agg(d.api_key_id), array_agg(d.id), array_agg(d.sender_id),
    array_agg(d.channel = 'voice'),
    array_agg((case when d.is_marketing then 2 when d.is_transactional then 0 else 1 end)::smallint),
    array_agg(d.is_metered), array_agg(d.size), array_agg(d.due_at),
    array_agg(d.due_at + make_interval(secs => d.ttl_s)),
    case when bool_or(d.outcome = 'recipients') then (select f.recipients from refused as f) end
  into outcomes, rate_limits, remaining, reset_s, quotas, quota_used, companies, api_keys, campaigns, senders,
    are_calls, priorities, are_metered, sizes, due_at, expires_at, recipients
  from decided as d;

  if outcomes && array['stale', 'recipients', 'rate_limited', 'quota_exceeded', 'undecided'] then
    outcomes := outbound.outcomes_of_stored(p_requests, companies, outcomes);
  end if;
end
$$;
revoke execute on function outbound.check_requests from public;

-- 20_queue/choose_notifications.sql

-- Chooses up to p_limit notifications for a claim, in rounds: where all that the senders of a round have due is locked,
-- has expired or is being stopped, the next senders are looked at. Puts off calls that repeat a number too early.
-- ids is null when nothing can be claimed. seen: the senders of the last round. idle: those of rounds that found
-- nothing.
create function outbound.choose_notifications(
  p_limit int, p_except uuid[],
  out companies uuid[], out ids uuid[], out has_calls boolean, out seen_companies uuid[], out seen_senders uuid[],
  out idle_companies uuid[], out idle_senders uuid[]
)
language plpgsql security invoker set search_path = ''
as $$
declare
  -- Enough to fill the claim without keeping all others from a claim that runs at the same time.
  v_max_senders constant int := least(64, greatest(16, p_limit / 16));
begin
  idle_companies := '{}'::uuid[];
  idle_senders := '{}'::uuid[];
  for v_round in 1..10 loop
    select p.* into seen_companies, seen_senders, companies, ids, has_calls
    from outbound.pick_due_notifications(p_limit, v_max_senders, p_except, idle_senders) as p;
    if has_calls then
      select d.companies, d.ids into companies, ids from outbound.defer_repeat_calls(companies, ids) as d;
    end if;
    exit when ids is not null or seen_senders is null;
    -- Calls that were only deferred leave room for others of the same sender.
    if has_calls is not true then
      idle_companies := idle_companies || seen_companies;
      idle_senders := idle_senders || seen_senders;
    end if;
  end loop;
end
$$;
revoke execute on function outbound.choose_notifications from public;

-- 20_queue/claim_notifications.sql

-- Leases up to p_limit due notifications to p_worker for p_lease: each becomes `sending`, its attempt and its fence
-- count up, and its campaign and its sender's rate are charged. choose_notifications and pick_due_notifications make
-- the choice, by the rules below; this function locks and leases it.
--
-- Skips recipients who have opted out, or who have not consented where that is needed: such a notification becomes
-- `skipped` (opted_out, no_consent), and is not returned. If the company has that rule, marketing to a person whom the
-- platform spares for a while (marketing_cooldowns) waits until then. Marketing is what a template's category says; of
-- a call, which has no template, its type.
--
-- A WhatsApp sender goes no faster than its rate; a voice sender has no more calls going on than it has lines.
-- Companies take turns; in each turn transactional goes before utility before marketing, then what was served longest
-- ago. Within a company transactional goes before utility before marketing, its senders take turns, and each sender's
-- longest due goes first. A round of a claim looks at no more than 64 senders (a sixteenth of p_limit, 16 at least);
-- another one follows where all that they have due is locked, and ten at most.
--
-- While a claim has a sender's rate state locked, other claims pass that sender by: claims of one sender never overlap,
-- and claims of different senders run side by side. They also pass by rows that another transaction has locked, and the
-- companies in p_except.
--
-- Returns {campaigns, messages}, or null if there is nothing to send; facts that messages share come once. A campaign:
--   company_id, campaign_id, sender_id; channel, platform_id, token_sealed, of its sender;
--   template_id, template_name, template_language, name_event, timezone, trace;
--   template_status, template_changed: the template as it is now: its state, and whether it needs other values than
--     when the request was accepted; null without a template;
--   is_marketing; sending_hours and, of marketing, frequency_caps: the company's (contact_rules); null where it has
--   none;
--   agent_disabled: the agent that was to make its calls may not call any more;
--   was_unreachable: the sender's last tries did not reach the platform: a response must be reported (adjust_senders);
--   by_marketing_endpoint: a template of category MARKETING, whose sender uses the platform's endpoint for marketing.
-- A message is an array: campaign_id, id, fence, attempt, number, user_id, message, expires_at in milliseconds since
-- 1970, and the seconds from when it was due until now.
create function outbound.claim_notifications(
  p_worker text, p_limit int, p_lease interval, p_except uuid[] default '{}'
)
returns json
language plpgsql security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_chosen record;
  v_companies uuid[];
  v_ids uuid[];
  v_judged record;
  v_leased record;
  v_moves jsonb;
  v_claimed json;
begin
  select c.* into v_chosen from outbound.choose_notifications(p_limit, p_except) as c;
  if v_chosen.ids is not null then
    -- Locked before they are read, so that what follows sees what changed until then: a recipient's number too.
    select array_agg(n.company_id), array_agg(n.id) into v_companies, v_ids
    from unnest(v_chosen.companies, v_chosen.ids) as chosen(company_id, id)
    -- Lateral: one look-up per row. As a join it becomes, without statistics, a scan of everything that waits. So does
    -- the look-up when the condition on the state is written as in the indexes of what waits.
    cross join lateral (
      select w.company_id, w.id from outbound.queue as w
      where w.company_id = chosen.company_id and w.id = chosen.id
        and case when w.status = 'queued' and w.run_at <= clock_timestamp() then true end
      for update skip locked
    ) as n;

    v_judged := outbound.judge_recipients(v_companies, v_ids);
    if v_judged.refused is not null then
      perform outbound.put_off_claimed(
        v_judged.refused_companies, v_judged.refused, v_judged.codes, v_judged.times);
    end if;
    v_leased := outbound.lease_notifications(p_worker, p_lease, v_judged.companies, v_judged.ids);
    v_claimed := v_leased.claimed;
    v_moves := coalesce(v_leased.moves, '[]') || coalesce(v_judged.moves, '[]');
    if v_moves <> '[]' then
      perform outbound.move_campaign_counters(v_moves);
    end if;

    if v_chosen.has_calls then
      perform outbound.open_calls(p_worker, v_chosen.companies, v_chosen.ids);
    end if;
  end if;
  if v_chosen.seen_senders is not null then
    perform outbound.schedule_senders(v_chosen.seen_companies, v_chosen.seen_senders, false, p_from_first => true);
  end if;
  if v_chosen.idle_senders <> '{}' then
    perform outbound.schedule_senders(
      v_chosen.idle_companies, v_chosen.idle_senders, false, clock_timestamp() + interval '100 ms', true);
  end if;
  return v_claimed;
end
$$;
revoke execute on function outbound.claim_notifications from public;

-- 20_queue/due_from.sql

-- Returns a time before which no row of a schedule is due; p_schedule: senders, replies, webhooks, or failing_webhooks.
-- An old snapshot keeps an index entry for each time that a row had since, and each claim would step over all of them.
-- Functions that set a time therefore set none that is past. Ticks move this time on (move_due_from).
create function outbound.due_from(p_schedule text)
returns timestamptz
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return coalesce((
    select (s.value #>> '{}')::timestamptz from outbound.settings as s where s.name = 'due_from:' || p_schedule
  ), '-infinity');
end
$$;
revoke execute on function outbound.due_from from public;

-- 20_queue/expire_notifications.sql

-- queued → failed, when their time to live is over: at most p_limit, the longest over first. Returns how many,
-- and what move_campaign_counters is to move. A step of tick.
create function outbound.expire_notifications(p_limit int, out expired int, out moves jsonb)
-- Without statistics a bitmap scan would read and sort all that is due instead of the p_limit longest due.
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  with late as (
    select q.company_id, q.id, q.campaign_id, q.held_run_at, q.attempt, q.fence, q.claimed_at, q.error_reason
    from outbound.queue as q
    where q.status = 'queued' and q.expires_at <= now()
    order by q.expires_at limit p_limit for update skip locked
  ),
  expired as (
    update outbound.notification_facts as n
    set status = 'failed', attempt = late.attempt, fence = late.fence, claimed_at = late.claimed_at, failed_at = now(),
      error_code = 'expired',
      error_reason = 'Not sent within its time to live'
        || coalesce(': ' || coalesce(
          (
            select g.held_reason from outbound.campaigns as g
            where late.held_run_at is not null and g.company_id = n.company_id and g.id = n.campaign_id
          ),
          nullif(late.error_reason, '')
        ), '')
    from late where n.company_id = late.company_id and n.id = late.id
    returning n.company_id, n.campaign_id
  ),
  gone as (
    delete from outbound.queue as q using late where q.company_id = late.company_id and q.id = late.id
  )
  select count(*), jsonb_agg(jsonb_build_object(
    'company_id', e.company_id, 'campaign_id', e.campaign_id, 'pending', -1, 'failed', 1))
  into expired, moves from expired as e;
end
$$;
revoke execute on function outbound.expire_notifications from public;

-- 20_queue/finish_first_attempts.sql

-- Finishes what was sent by its first attempt, as nearly all messages are: p_worker still has it, and nothing else was
-- recorded of it. p_results is that of finish_notifications. Returns how many these are, what move_campaign_counters is
-- to move, what follow_up_results is to follow up, and the other results; null for none. A step of
-- finish_notifications.
create function outbound.finish_first_attempts(
  p_worker text, p_results jsonb, out changed int, out moves jsonb, out settled jsonb, out others jsonb
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per result. A plan is kept for the life of the connection, and may have been made for an
-- empty queue.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_done text[];
begin
  with sent as materialized (
    select * from jsonb_to_recordset(p_results) as r(
      company_id uuid, id uuid, fence int, outcome text, platform_message_id text, held_for_quality boolean
    )
    where r.outcome = 'sent' and r.fence = 1 order by r.id
  ),
  -- Locks each as it deletes it, in the order of their ids.
  gone as (
    delete from outbound.queue as q using sent
    where q.company_id = sent.company_id and q.id = sent.id
      and case when q.status = 'sending' and q.worker = p_worker and q.fence = sent.fence then true end
    returning q.company_id, q.id, q.attempt, q.fence, q.claimed_at, sent.platform_message_id, sent.held_for_quality
  ),
  finished as (
    update outbound.notification_facts as n
    set status = 'sent', attempt = gone.attempt, fence = gone.fence, claimed_at = gone.claimed_at,
      platform_message_id = gone.platform_message_id, sent_at = clock_timestamp(),
      held_for_quality = gone.held_for_quality
    from gone where n.company_id = gone.company_id and n.id = gone.id
    returning n.company_id, n.id, n.campaign_id, n.sender_id, n.voice, n.status, n.platform_message_id
  )
  select count(*), array_agg(f.id::text), coalesce(jsonb_agg(to_jsonb(f)) filter (where f.voice), '[]'), coalesce((
    -- Summed up before it becomes JSON, because making JSON costs more than summing.
    select jsonb_agg(to_jsonb(move)) from (
      select m.company_id, m.campaign_id, - count(*) as processing, count(*) as sent
      from finished as m group by m.company_id, m.campaign_id
    ) as move
  ), '[]')
  into changed, v_done, settled, moves
  from finished as f;
  if changed < jsonb_array_length(p_results) then
    others := outbound.results_without(p_results, v_done);
  end if;
end
$$;
revoke execute on function outbound.finish_first_attempts from public;

-- Returns those of p_results, as finish_notifications takes them, that are of none of these notifications; null for
-- none. Looks each up in an object by its key: comparing it with a whole array would take the square of the batch.
create function outbound.results_without(p_results jsonb, p_ids text[])
returns jsonb
language plpgsql immutable security invoker set search_path = ''
as $$
declare
  v_ids constant jsonb := jsonb_object(p_ids, p_ids);
begin
  return (
    select jsonb_agg(r.value) from jsonb_array_elements(p_results) as r
    where (v_ids ? (r.value ->> 'id')) is not true
  );
end
$$;
revoke execute on function outbound.results_without from public;

-- 20_queue/finish_notifications.sql

-- Records the outcomes of tries by p_worker, each an object:
--   company_id, id, fence, attempt, started_at, http_status, error_code, reason, and outcome:
--   sent (platform_message_id, held_for_quality), failed (error_code, reason),
--   retry (retry_in_s: refused for now), not_sent (retry_in_s: it never left, so the try does not count),
--   unknown (the platform may have accepted it: wait p_window for its event), released (handed back untried),
--   postponed (error_code, retry_in_s: untried too, its time has not come; its time to live grows by as much),
--   skipped (error_code: untried too, a rule about the recipient keeps it from leaving).
-- The try is always recorded, if its notification still exists: a first one that sends it in its own row, any other in
-- delivery_attempts. If only the lease ran out, the outcome counts as if it had come in time. That a message was sent
-- counts also for an earlier try, and when the row has failed as unknown or expired, was queued again, was cancelled
-- or was skipped since: what was accepted must not be sent twice. While another try is under way the row keeps its
-- state.
-- The platform's message id contains the number: if the recipient was erased meanwhile, it is not stored.
-- Returns how many rows changed state.
create function outbound.finish_notifications(p_worker text, p_results jsonb, p_window interval)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_first record;
  v_others record;
  v_changed int;
  v_moves jsonb;
  v_settled jsonb;
begin
  perform outbound.lock_results(p_worker, p_results);
  v_first := outbound.finish_first_attempts(p_worker, p_results);
  v_changed := v_first.changed;
  v_moves := v_first.moves;
  v_settled := v_first.settled;
  if v_first.others is not null then
    v_others := outbound.finish_other_attempts(p_worker, v_first.others, p_window);
    v_changed := v_changed + v_others.changed;
    v_moves := v_moves || v_others.moves;
    v_settled := v_settled || v_others.settled;
  end if;
  if v_moves <> '[]' then
    perform outbound.move_campaign_counters(v_moves);
  end if;
  if v_settled <> '[]' then
    perform outbound.follow_up_results(v_settled);
  end if;
  return v_changed;
end
$$;
revoke execute on function outbound.finish_notifications from public;

-- 20_queue/finish_other_attempts.sql

-- Finishes what finish_first_attempts does not, by the rules of finish_notifications. Returns how many rows changed
-- state, what move_campaign_counters is to move, and what follow_up_results is to follow up. A step of
-- finish_notifications.
create function outbound.finish_other_attempts(
  p_worker text, p_results jsonb, p_window interval, out changed int, out moves jsonb, out settled jsonb
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per result. A plan is kept for the life of the connection, and may have been made for an
-- empty queue.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_locked text[];
  v_late jsonb;
  v_attempts jsonb;
  v_requeue jsonb;
  v_more record;
begin
  with locked as materialized (
    select q.company_id, q.id, q.status, q.fence = r.fence as is_last_try, q.worker, q.error_code as was_error_code,
      r.attempt, r.fence, r.started_at, r.outcome, r.http_status, r.error_code, r.reason, r.retry_in_s,
      r.platform_message_id, r.held_for_quality
    from jsonb_to_recordset(p_results) as r(
      company_id uuid, id uuid, attempt smallint, fence int, started_at timestamptz, outcome text, http_status int,
      error_code text, reason text, retry_in_s float8, platform_message_id text, held_for_quality boolean
    )
    join outbound.queue as q on q.company_id = r.company_id and q.id = r.id
    order by q.id for update of q
  ),
  applicable as materialized (
    select r.company_id, r.id, r.status as was, r.error_code, r.reason, r.retry_in_s, r.held_for_quality,
      r.outcome in ('not_sent', 'released', 'postponed', 'skipped') as is_untried,
      case when earlier.platform_message_id is null then r.outcome else 'sent' end as outcome,
      coalesce(earlier.platform_message_id, r.platform_message_id) as platform_message_id
    from locked as r
    -- The outcome of an earlier try may have been recorded while this one was under way.
    left join lateral (
      select a.platform_message_id from outbound.delivery_attempts as a
      where r.fence > 1 and r.is_last_try and r.outcome <> 'sent'
        and a.company_id = r.company_id and a.notification_id = r.id and a.fence < r.fence
        and a.outcome = 'sent' and a.error_code is null
      order by a.fence limit 1
    ) as earlier on true
    where (r.is_last_try or r.outcome = 'sent' and not exists (
      -- It failed after it was sent.
      select from outbound.delivery_attempts as a
      where a.company_id = r.company_id and a.notification_id = r.id and a.fence = r.fence and a.error_code is not null
    )) and case r.status
      when 'sending' then r.is_last_try and r.worker = p_worker
      when 'unconfirmed' then r.outcome = 'sent' or r.is_last_try and r.outcome <> 'unknown'
      -- Queued with a code: the platform itself has reported that this try could not be delivered.
      else r.outcome = 'sent' and (r.was_error_code is null or not r.is_last_try) end
  ),
  gone as (
    delete from outbound.queue as q using applicable as r
    where r.outcome in ('sent', 'failed', 'skipped') and q.company_id = r.company_id and q.id = r.id
    returning q.company_id, q.id, q.attempt - r.is_untried::int as attempt, q.fence, q.claimed_at,
      r.was, r.outcome, r.platform_message_id, r.held_for_quality, r.error_code, r.reason
  ),
  finished as (
    update outbound.notification_facts as n
    set status = gone.outcome, attempt = gone.attempt, fence = gone.fence, claimed_at = gone.claimed_at,
      platform_message_id = coalesce(gone.platform_message_id, n.platform_message_id),
      sent_at = case when gone.outcome = 'sent' then clock_timestamp() end,
      held_for_quality = case when gone.outcome = 'sent' then gone.held_for_quality end,
      failed_at = case when gone.outcome = 'failed' then clock_timestamp() end,
      skipped_at = case when gone.outcome = 'skipped' then clock_timestamp() end,
      error_code = case when gone.outcome <> 'sent' then gone.error_code end,
      error_reason = case gone.outcome when 'skipped' then outbound.skip_reason(gone.error_code)
        when 'failed' then gone.reason end
    from gone where n.company_id = gone.company_id and n.id = gone.id
    returning n.company_id, n.id, n.campaign_id, n.sender_id, n.voice, gone.was, n.status,
      n.platform_message_id, n.error_code
  )
  select
    (select array_agg(l.id::text) from locked as l), (select count(*) from finished),
    -- Summed up before it becomes JSON, because making JSON costs more than summing.
    coalesce((
      select jsonb_agg(to_jsonb(move)) from (
        select f.company_id, f.campaign_id, - count(*) filter (where f.was = 'queued') as pending,
          - count(*) filter (where f.was <> 'queued') as processing, count(*) filter (where f.status = 'sent') as sent,
          count(*) filter (where f.status = 'failed') as failed, count(*) filter (where f.status = 'skipped') as skipped
        from finished as f group by f.company_id, f.campaign_id
      ) as move
    ), '[]'),
    (
      select jsonb_agg(to_jsonb(l)) from locked as l where l.outcome not in ('released', 'postponed', 'skipped')
        and not (l.outcome = 'sent' and l.fence = 1 and l.is_last_try and l.status = 'sending' and l.worker = p_worker)
    ),
    (select jsonb_agg(to_jsonb(a)) from applicable as a where a.outcome not in ('sent', 'failed', 'skipped')),
    coalesce((select jsonb_agg(to_jsonb(f)) from finished as f where f.voice or f.status = 'failed'), '[]')
  into v_locked, changed, moves, v_attempts, v_requeue, settled;

  if v_requeue is not null then
    v_more := outbound.requeue_notifications(v_requeue, p_window);
    changed := changed + v_more.changed;
    moves := moves || v_more.moves;
    settled := settled || v_more.settled;
  end if;
  v_late := outbound.results_without(p_results, v_locked);
  if v_late is not null then
    v_more := outbound.record_late_results(p_worker, v_late);
    changed := changed + v_more.changed;
    moves := moves || v_more.moves;
    settled := settled || v_more.settled;
  end if;
  if v_attempts is not null then
    perform outbound.record_attempts(p_worker, v_attempts);
  end if;
end
$$;
revoke execute on function outbound.finish_other_attempts from public;

-- 20_queue/follow_up_results.sql

-- Does what follows from the results of attempts, besides the counters: what came back to the queue is held or
-- cancelled with its campaign, a refusal for marketing says something about the person, events about a call that was
-- taken are due again, and a call that is over frees its line. p_results: [{company_id, id, sender_id, voice, status,
-- run_at (of what came back), platform_message_id, error_code}, …]. The caller has the campaigns locked. A step of
-- finish_notifications.
create function outbound.follow_up_results(p_results jsonb)
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  v record;
begin
  select
    array_agg(r.company_id) filter (where r.status = 'queued') as companies,
    array_agg(r.id) filter (where r.status = 'queued') as requeued,
    array_agg(r.sender_id) filter (where r.status = 'queued') as senders,
    array_agg(r.run_at) filter (where r.status = 'queued') as times,
    array_agg(r.platform_message_id) filter (where r.voice and r.status = 'sent') as called,
    array_agg(r.company_id) filter (where r.error_code in ('131049', '131050')) as refusing_companies,
    array_agg(r.id) filter (where r.error_code in ('131049', '131050')) as refused,
    array_agg(r.error_code) filter (where r.error_code in ('131049', '131050')) as refusals,
    array_agg(r.company_id) filter (where r.voice and r.status in ('queued', 'failed')) as calling_companies,
    array_agg(r.sender_id) filter (where r.voice and r.status in ('queued', 'failed')) as callers
  into v
  from jsonb_to_recordset(p_results) as r(
    company_id uuid, id uuid, sender_id uuid, voice boolean, status text, run_at timestamptz, platform_message_id text,
    error_code text
  );
  if v.requeued is not null then
    perform outbound.stop_requeued(v.companies, v.requeued);
  end if;
  if v.called is not null then
    perform outbound.retry_events_of_calls(v.called);
  end if;
  if v.refused is not null then
    perform outbound.record_marketing_refusals(
      v.refusing_companies, v.refused, v.refusals, array_fill(now(), array[cardinality(v.refused)]));
  end if;
  -- In one statement, because a transaction locks all its turns at once.
  if v.callers is not null then
    perform outbound.schedule_senders(v.calling_companies || v.companies, v.callers || v.senders, true);
  elsif v.requeued is not null then
    perform outbound.advance_senders(v.companies, v.senders, v.times);
  end if;
end
$$;
revoke execute on function outbound.follow_up_results from public;

-- 20_queue/judge_recipients.sql

-- Asks the rules about the recipients of notifications that a claim has locked, as they are now: they may have changed
-- since the request was accepted. companies, ids: those that may leave. refused_companies, refused: those that may not;
-- codes says why, as error_code of a skipped notification, and where it is null, times says until when the platform
-- spares the recipient more marketing. moves: what move_campaign_counters is to move for those that never leave. A step
-- of claim_notifications.
create function outbound.judge_recipients(
  p_companies uuid[], p_ids uuid[], out companies uuid[], out ids uuid[], out refused_companies uuid[],
  out refused uuid[], out codes text[], out times timestamptz[], out moves jsonb
)
language plpgsql security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  with locked as materialized (
    select n.company_id, n.id, n.campaign_id, n.voice, n.number, n.user_id
    from unnest(p_companies, p_ids) as l(company_id, id)
    cross join lateral (
      select * from outbound.notification_facts as f where f.company_id = l.company_id and f.id = l.id limit 1
    ) as n
  ),
  -- One look-up per campaign, not one per message.
  about as materialized (
    select g.company_id, g.campaign_id, g.is_marketing, r.consent_policy, r.marketing_cooldown
    from (select distinct l.company_id, l.campaign_id from locked as l) as used
    cross join lateral (
      select w.company_id, w.id as campaign_id, coalesce((
        select u.category = 'MARKETING' from outbound.templates as u
        where u.company_id = w.company_id and u.id = w.template_id limit 1
      ), w.notification_type = 'marketing') as is_marketing
      from outbound.campaigns as w where w.company_id = used.company_id and w.id = used.campaign_id limit 1
    ) as g
    left join lateral (
      select u.consent_policy, u.marketing_cooldown from outbound.contact_rules as u
      where u.company_id = g.company_id limit 1
    ) as r on true
  ),
  judged as (
    select l.company_id, l.id, l.campaign_id, rule.skip_code,
      case when rule.skip_code is null then rule.cooldown_until end as cooldown_until,
      rule.skip_code is null and rule.cooldown_until is null as may_leave
    from locked as l
    join about on about.company_id = l.company_id and about.campaign_id = l.campaign_id
    cross join lateral (
      select
        case
          -- Lateral, address by address: without statistics `any` becomes a scan of all the company's people.
          when exists (
            select from (values (l.number), (l.user_id)) as a(address)
            cross join lateral (
              select from outbound.suppressions as s
              where s.company_id = l.company_id and s.address = a.address and s.lifted_at is null
                and s.channel in ('any', case when l.voice then 'voice' else 'whatsapp' end)
                and (s.category = 'all' or about.is_marketing)
              limit 1
            ) as suppression
          ) then 'opted_out'
          when about.is_marketing and about.consent_policy = 'require'
            and not outbound.is_consent_given(l.company_id, array[l.number, l.user_id], l.voice) then 'no_consent'
        end as skip_code,
        case when about.is_marketing and about.marketing_cooldown and not l.voice then (
          select max(r.until) from (values (l.number), (l.user_id)) as a(address)
          cross join lateral (
            select m.until from outbound.marketing_cooldowns as m
            where m.company_id = l.company_id and m.address = a.address and m.until > clock_timestamp() limit 1
          ) as r
        ) end as cooldown_until
    ) as rule
  )
  select array_agg(j.company_id) filter (where j.may_leave), array_agg(j.id) filter (where j.may_leave),
    array_agg(j.company_id) filter (where not j.may_leave), array_agg(j.id) filter (where not j.may_leave),
    array_agg(j.skip_code) filter (where not j.may_leave), array_agg(j.cooldown_until) filter (where not j.may_leave),
    jsonb_agg(jsonb_build_object('company_id', j.company_id, 'campaign_id', j.campaign_id, 'pending', -1, 'skipped', 1))
      filter (where j.skip_code is not null)
  into companies, ids, refused_companies, refused, codes, times, moves
  from judged as j;
end
$$;
revoke execute on function outbound.judge_recipients from public;

-- 20_queue/lease_notifications.sql

-- Leases to p_worker for p_lease the given notifications, which may leave and which the caller has locked, and charges
-- their senders' rates. claimed: what claim_notifications returns, null if there are none; moves: what
-- move_campaign_counters is to move. A step of claim_notifications.
create function outbound.lease_notifications(
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
    returning r.company_id, r.sender_id, r.failures, s.channel, s.platform_id, s.token_sealed, s.marketing_endpoint
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
      'was_unreachable', p.failures > 0,
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

-- 20_queue/lock_notifications.sql

-- Locks notifications, in the lock order: each is read as it is now by the statements that follow. Ids may be null and
-- may come twice.
create function outbound.lock_notifications(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  perform outbound.lock_queue(p_companies, p_ids);
  perform from (
    select distinct n.company_id, n.id from unnest(p_companies, p_ids) as n(company_id, id)
    where n.id is not null order by n.id
  ) as n
  cross join lateral (
    select from outbound.notification_facts as w where w.company_id = n.company_id and w.id = n.id for update
  ) as locked;
end
$$;
revoke execute on function outbound.lock_notifications from public;

-- Locks what the queue has of notifications, which is the first half of locking them.
create function outbound.lock_queue(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  perform from (
    select distinct n.company_id, n.id from unnest(p_companies, p_ids) as n(company_id, id)
    where n.id is not null order by n.id
  ) as n
  cross join lateral (
    select from outbound.queue as w where w.company_id = n.company_id and w.id = n.id for update
  ) as locked;
end
$$;
revoke execute on function outbound.lock_queue from public;

-- 20_queue/lock_results.sql

-- Locks the notifications of results in the lock order, unless all of them are what finish_first_attempts deletes: that
-- locks them in the same order. The other steps come after it, so what they need must be locked by then. p_results is
-- that of finish_notifications. A step of it.
create function outbound.lock_results(p_worker text, p_results jsonb)
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per result.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  if exists (
    select from jsonb_to_recordset(p_results) as r(company_id uuid, id uuid, fence int, outcome text)
    left join lateral (
      select q.status, q.worker, q.fence from outbound.queue as q
      where q.company_id = r.company_id and q.id = r.id limit 1
    ) as q on true
    where (r.outcome = 'sent' and r.fence = 1 and q.fence = 1 and q.status = 'sending' and q.worker = p_worker) is not true
  ) then
    perform outbound.lock_queue(array_agg(r.company_id), array_agg(r.id))
    from jsonb_to_recordset(p_results) as r(company_id uuid, id uuid);
  end if;
end
$$;
revoke execute on function outbound.lock_results from public;

-- 20_queue/move_campaign_counters.sql

-- Moves campaign counters by the sums in p_moves: [{company_id, campaign_id, pending, processing, sent, delivered,
-- read, failed, cancelled, skipped, replied}, …], all optional. Besides accepting (add_to_campaigns included) and
-- resends (continue_resend), the only function that touches them.
create function outbound.move_campaign_counters(p_moves jsonb)
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per campaign.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  with moved as materialized (
    select m.company_id, m.campaign_id,
      coalesce(sum(m.pending), 0)::int as pending, coalesce(sum(m.processing), 0)::int as processing,
      coalesce(sum(m.sent), 0)::int as sent, coalesce(sum(m.delivered), 0)::int as delivered,
      coalesce(sum(m.read), 0)::int as read, coalesce(sum(m.failed), 0)::int as failed,
      coalesce(sum(m.cancelled), 0)::int as cancelled, coalesce(sum(m.skipped), 0)::int as skipped,
      coalesce(sum(m.replied), 0)::int as replied
    from jsonb_to_recordset(p_moves) as m(
      company_id uuid, campaign_id uuid, pending int, processing int, sent int, delivered int, read int,
      failed int, cancelled int, skipped int, replied int
    )
    group by m.company_id, m.campaign_id
    -- The update locks them in this order, because it looks up one after the other.
    order by m.campaign_id
  )
  update outbound.campaigns as g
  set pending = g.pending + moved.pending, processing = g.processing + moved.processing,
    sent = g.sent + moved.sent, delivered = g.delivered + moved.delivered, read = g.read + moved.read,
    failed = g.failed + moved.failed, cancelled = g.cancelled + moved.cancelled,
    skipped = g.skipped + moved.skipped, replied = g.replied + moved.replied,
    -- Only a claim makes more of them being processed.
    started_at = coalesce(g.started_at, case when moved.processing > 0 then now() end),
    completed_at = case
      when g.pending + moved.pending + g.processing + moved.processing = 0 and g.open_until is null
        then coalesce(g.completed_at, now())
    end
  from moved where g.company_id = moved.company_id and g.id = moved.campaign_id;
end
$$;
revoke execute on function outbound.move_campaign_counters from public;

-- 20_queue/move_due_from.sql

-- Moves the times before which no row of a schedule is due (due_from) on, in steps of ten seconds, because each step is
-- a version of a row that an old snapshot keeps too. p_from_first: reads the schedules from their beginning, and so
-- finds a time that was set in a transaction which took longer than ten seconds.
create function outbound.move_due_from(p_from_first boolean)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_step constant interval := interval '10 seconds';
  v_senders constant timestamptz := case when p_from_first then '-infinity' else outbound.due_from('senders') end;
  v_replies constant timestamptz := case when p_from_first then '-infinity' else outbound.due_from('replies') end;
  v_webhooks constant timestamptz := case when p_from_first then '-infinity' else outbound.due_from('webhooks') end;
  v_failing constant timestamptz := case when p_from_first then '-infinity'
    else outbound.due_from('failing_webhooks') end;
begin
  insert into outbound.settings as s (name, value)
  select 'due_from:' || f.schedule, to_jsonb(least(f.due_at, now() - v_step)) from (values
    ('failing_webhooks', (
      select w.due_at from outbound.webhook_schedule as w
      where w.is_failing and w.due_at >= v_failing order by w.due_at limit 1
    )),
    ('replies', (
      select r.due_at from outbound.reply_schedule as r where r.due_at >= v_replies order by r.due_at limit 1
    )),
    ('senders', (
      select t.due_at from outbound.sender_schedule as t where t.due_at >= v_senders order by t.due_at limit 1
    )),
    ('webhooks', (
      select w.due_at from outbound.webhook_schedule as w
      where not w.is_failing and w.due_at >= v_webhooks order by w.due_at limit 1
    ))
  ) as f(schedule, due_at)
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now()
    where (excluded.value #>> '{}')::timestamptz < (s.value #>> '{}')::timestamptz
      or (excluded.value #>> '{}')::timestamptz >= (s.value #>> '{}')::timestamptz + v_step;
end
$$;
revoke execute on function outbound.move_due_from from public;

-- 20_queue/next_due.sql

-- Returns when there is something to do next: the earliest turn of a sender, or the end of a lease or a wait. The
-- time at which a line becomes free is not known.
create function outbound.next_due()
returns timestamptz
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_due_from constant timestamptz := outbound.due_from('senders');
  v_leases_from constant timestamptz := outbound.leases_from();
begin
  return least(
    (select t.due_at from outbound.sender_schedule as t where t.due_at >= v_due_from order by t.due_at limit 1),
    (
      select n.lease_until from outbound.queue as n
      where n.status in ('sending', 'unconfirmed') and n.lease_until >= v_leases_from
      order by n.lease_until limit 1
    )
  );
end
$$;
revoke execute on function outbound.next_due from public;

-- 20_queue/open_chores.sql

-- Returns the chores of a dispatcher that have something to do, by name: one look by small indexes instead of a query
-- per chore, most of which would find nothing. A chore that is named may still find nothing, because what waits is not
-- due or is locked; one that is not named would find nothing.
create function outbound.open_chores(p_by text default 'dispatcher')
returns text[]
language plpgsql stable security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  -- Once: each call of these functions is a query.
  v_leases_from constant timestamptz := outbound.leases_from();
  v_replies_from constant timestamptz := outbound.due_from('replies');
begin
  return array(
    select chore.name from (values
      (
        'tick',
        exists (
          select from outbound.queue as n
          where n.status in ('sending', 'unconfirmed') and n.lease_until <= now()
            and n.lease_until >= v_leases_from
        )
        or exists (
          select from outbound.queue as n where n.status = 'queued' and n.expires_at <= now()
        )
        or exists (
          select from outbound.webhook_deliveries as d
          where d.status = 'pending' and d.worker is not null and d.run_at <= now()
            and d.run_at >= v_leases_from
        )
        or exists (select from outbound.handoffs as h where h.status <> 'ended' and h.expires_at <= now())
        or exists (select from outbound.campaigns as g where g.open_until <= now())
        -- A tick has work whatever is due: it records that a dispatcher keeps time, and repairs turns.
        or not exists (
          select from outbound.settings as s
          where s.name = 'last_tick:' || p_by and s.updated_at > now() - interval '10 seconds'
        )
      ),
      (
        'outages',
        exists (
          select from outbound.sender_rate_state as p
          where p.unreachable_since is not null and p.blocked_until > now() - interval '2 minutes'
        )
        or exists (select from outbound.settings as s where s.name in ('outage:whatsapp', 'outage:voice'))
      ),
      (
        'events',
        exists (select from outbound.platform_events as e where e.applied_at is null and e.apply_at <= now())
      ),
      (
        'account_events',
        exists (select from outbound.account_events as e where e.applied_at is null)
        or exists (select from outbound.senders as s where s.stopped_until <= now())
      ),
      (
        'template_events',
        exists (select from outbound.template_events as e where e.applied_at is null)
        or exists (select from outbound.templates as t where t.unsettled)
      ),
      (
        'replies',
        exists (
          select from outbound.reply_schedule as s
          where s.due_at <= now() and s.due_at >= v_replies_from
        )
        or coalesce((
          select m.expires_at from outbound.contact_messages as m where m.status = 'queued'
          order by m.expires_at limit 1
        ) <= now(), false)
        or exists (
          select from outbound.contact_messages as m
          where m.status in ('sending', 'unconfirmed') and m.lease_until <= now()
        )
      ),
      (
        'deliveries',
        exists (select from outbound.webhook_deliveries as d where d.status = 'pending' and not d.deferred)
        or cardinality(outbound.due_companies(1, 1)) > 0
      ),
      ('stopping', exists (select from outbound.campaigns as g where g.stopping_at is not null)),
      ('resends', exists (select from outbound.resends as r)),
      (
        'calls',
        exists (select from outbound.calls as k where k.check_at is not null)
        or exists (select from outbound.notification_facts as n where n.on_call)
      ),
      ('voice_sessions', exists (select from outbound.voice_sessions as v where v.check_at <= now()))
    ) as chore(name, is_open)
    where chore.is_open
  );
end
$$;
revoke execute on function outbound.open_chores from public;

-- 20_queue/outcomes_of_stored.sql

-- Returns the outcomes of requests, at their ord, with accepted instead of a refusal where the request is stored. A
-- caller that lost its connection before the response offers its request again, and the response is the same, even if
-- its limits, sender or template have changed since. Reads only.
create function outbound.outcomes_of_stored(p_requests json, p_companies uuid[], p_outcomes text[])
returns text[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    select case
      when p_outcomes[r.ord] in ('stale', 'recipients', 'rate_limited', 'quota_exceeded', 'undecided')
        and r.is_addition is not true and exists (
          select from outbound.campaigns as g where g.company_id = p_companies[r.ord] and g.id = r.id offset 0
        ) then 'accepted'
      else p_outcomes[r.ord]
    end
    from json_to_recordset(p_requests) as r(ord int, id uuid, is_addition boolean) order by r.ord
  );
end
$$;
revoke execute on function outbound.outcomes_of_stored from public;

-- 20_queue/pick_due_notifications.sql

-- Looks once for up to p_limit notifications that are due, and locks the rate state of the senders it looked at. Used
-- by choose_notifications only. Looks at no more than p_max_senders senders, those whose turn came first, and at none
-- whose turn is still to come; leaves out the companies in p_except and the senders in p_idle_senders. Locks no
-- notification. seen_companies and seen_senders: the senders it looked at. has_calls: whether any chosen notification
-- is a call.
create function outbound.pick_due_notifications(
  p_limit int, p_max_senders int, p_except uuid[], p_idle_senders uuid[],
  out seen_companies uuid[], out seen_senders uuid[], out companies uuid[], out ids uuid[], out has_calls boolean
)
language plpgsql security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored. A bitmap would read all senders of a
-- company for each of them. Without statistics every turn looks due, and so much work seems worth compiling: 60 ms for
-- each claim with 5,000 senders, 700 ms with 20,000.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_due_from constant timestamptz := outbound.due_from('senders');
begin
  with sender as materialized (
    select r.state, s.voice, t.queue_cursor, t.queue_cursor_id,
      -- An open breaker lets one message through to see whether the platform is back.
      case when (r.state).blocked_until > now() then 0 else least(
        case when (r.state).failures >= outbound.breaker_threshold() then 1 else p_limit end,
        case when s.voice then outbound.free_lines(r.state, s.concurrency)
          else floor(outbound.available_tokens(r.state, s.rate_per_second)) end
      ) end as free
    from outbound.sender_schedule as t
    -- Lateral: one look-up per sender, so that the turns are read in their order and no further than needed.
    cross join lateral (
      select w.channel = 'voice' as voice, w.rate_per_second, w.concurrency from outbound.senders as w
      where w.company_id = t.company_id and w.id = t.sender_id and w.status = 'active' limit 1
    ) as s
    cross join lateral (
      select w as state from outbound.sender_rate_state as w
      where w.company_id = t.company_id and w.sender_id = t.sender_id
      for no key update skip locked
    ) as r
    where t.due_at >= v_due_from and t.due_at <= now()
      and not t.company_id = any (p_except) and not t.sender_id = any (p_idle_senders)
    order by t.due_at limit p_max_senders
  ),
  allowance as materialized (
    select (s.state).company_id, (s.state).sender_id, (s.state).refilled_at as served_at, s.voice, s.queue_cursor,
      s.queue_cursor_id,
      least(s.free, greatest(1, 2 * p_limit / count(*) over ()))::int as messages
    from sender as s where s.free >= 1
  ),
  candidate as (
    select a.company_id, a.served_at, a.voice, n.id, n.priority, n.run_at,
      row_number() over (partition by a.company_id order by n.priority, n.position, n.run_at, n.id) as turn
    from allowance as a
    cross join lateral (
      select due.*, row_number() over (order by due.priority, due.run_at, due.id) as position
      from (values (0::smallint), (1::smallint), (2::smallint)) as level(priority)
      cross join lateral (
        select n.id, n.priority, n.run_at from outbound.queue as n
        where n.sender_id = a.sender_id and n.status = 'queued'
          and n.priority = level.priority and n.run_at <= now()
          and (n.run_at, n.id) >= (a.queue_cursor[level.priority + 1], a.queue_cursor_id[level.priority + 1])
          -- Written so that no index matches it: with the index on expires_at, everything that waits would be read and
          -- sorted.
          and case when n.expires_at > now() then true end
          and not n.campaign_id = any (array(
            select g.id from outbound.campaigns as g where g.stopping_at is not null
          ))
        order by n.run_at, n.id limit a.messages
      ) as due
      order by due.priority, due.run_at, due.id limit a.messages
    ) as n
  ),
  chosen as (
    select c.company_id, c.id, c.voice from candidate as c
    order by c.turn, c.priority, c.served_at, c.run_at, c.id limit p_limit
  )
  select
    (select array_agg((s.state).company_id) from sender as s), (select array_agg((s.state).sender_id) from sender as s),
    (select array_agg(chosen.company_id) from chosen), (select array_agg(chosen.id) from chosen),
    (select bool_or(chosen.voice) from chosen)
  into seen_companies, seen_senders, companies, ids, has_calls;
end
$$;
revoke execute on function outbound.pick_due_notifications from public;

-- 20_queue/put_off_claimed.sql

-- Puts off notifications that a claim has locked and that may not leave now. p_codes: why a rule about the recipient
-- keeps it from leaving for good, as error_code of a skipped notification; where it is null, p_times says when the
-- platform ends sparing the recipient, and the notification waits until then, with as long to live as before. The
-- caller moves the counters. A step of claim_notifications.
create function outbound.put_off_claimed(p_companies uuid[], p_ids uuid[], p_codes text[], p_times timestamptz[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per message.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  update outbound.queue as q
  set run_at = j.until, expires_at = q.expires_at + (j.until - clock_timestamp()),
    error_code = 'marketing_cooldown', error_reason = 'The platform spares the recipient more marketing until then'
  from unnest(p_companies, p_ids, p_codes, p_times) as j(company_id, id, code, until)
  where j.code is null and q.company_id = j.company_id and q.id = j.id;

  with gone as (
    delete from outbound.queue as q using unnest(p_companies, p_ids, p_codes) as j(company_id, id, code)
    where j.code is not null and q.company_id = j.company_id and q.id = j.id
    returning q.company_id, q.id, q.attempt, q.fence, q.claimed_at, j.code
  )
  update outbound.notification_facts as f
  set status = 'skipped', attempt = gone.attempt, fence = gone.fence, claimed_at = gone.claimed_at,
    skipped_at = clock_timestamp(), error_code = gone.code, error_reason = outbound.skip_reason(gone.code)
  from gone where f.company_id = gone.company_id and f.id = gone.id;
end
$$;
revoke execute on function outbound.put_off_claimed from public;

-- 20_queue/record_attempts.sql

-- Records attempts of p_worker in delivery_attempts: [{company_id, id (of the notification), attempt, fence,
-- started_at, outcome, http_status, error_code, reason, platform_message_id}, …]. What is known of an attempt already,
-- because its lease ran out, is replaced. The caller has locked the notifications.
create function outbound.record_attempts(p_worker text, p_attempts jsonb)
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.delivery_attempts as a (
    company_id, notification_id, attempt, fence, worker, started_at, outcome, http_status, error_code, reason,
    platform_message_id
  )
  select distinct on (r.id, r.fence) r.company_id, r.id, r.attempt, r.fence, p_worker, r.started_at, r.outcome,
    r.http_status, r.error_code, r.reason, r.platform_message_id
  from jsonb_to_recordset(p_attempts) as r(
    company_id uuid, id uuid, attempt smallint, fence int, started_at timestamptz, outcome text, http_status int,
    error_code text, reason text, platform_message_id text
  )
  order by r.id, r.fence
  on conflict on constraint delivery_attempts_pkey do update
    set worker = excluded.worker, outcome = excluded.outcome, http_status = excluded.http_status,
      error_code = excluded.error_code, reason = excluded.reason, finished_at = now(),
      platform_message_id = coalesce(excluded.platform_message_id, a.platform_message_id)
$$;
revoke execute on function outbound.record_attempts from public;

-- 20_queue/record_late_results.sql

-- Records the results of attempts whose notifications have left the queue, which finish_notifications describes: that
-- the message was sent counts where the notification has failed as unknown or expired, was cancelled or was skipped
-- since. Results of notifications that are in the queue are left alone. Returns how many rows changed state, what
-- move_campaign_counters is to move, and what follow_up_results is to follow up. A step of finish_notifications.
create function outbound.record_late_results(
  p_worker text, p_results jsonb, out changed int, out moves jsonb, out settled jsonb
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per result.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_attempts jsonb;
begin
  with locked as materialized (
    select n.company_id, n.id, n.status, n.error_code as was_error_code,
      r.attempt, r.fence, r.started_at, r.outcome, r.http_status, r.error_code, r.reason, r.held_for_quality,
      case when num_nonnulls(n.number, n.user_id) > 0 then r.platform_message_id end as platform_message_id
    from jsonb_to_recordset(p_results) as r(
      company_id uuid, id uuid, attempt smallint, fence int, started_at timestamptz, outcome text, http_status int,
      error_code text, reason text, platform_message_id text, held_for_quality boolean
    )
    join outbound.notification_facts as n on n.company_id = r.company_id and n.id = r.id
    where n.status is not null
    order by n.id for update of n
  ),
  finished as (
    update outbound.notification_facts as n
    set status = 'sent', sent_at = clock_timestamp(), held_for_quality = r.held_for_quality, failed_at = null,
      skipped_at = null, error_code = null, error_reason = null,
      platform_message_id = coalesce(r.platform_message_id, n.platform_message_id)
    from locked as r
    where n.company_id = r.company_id and n.id = r.id and r.outcome = 'sent'
      and (r.status in ('cancelled', 'skipped')
        or r.status = 'failed' and r.was_error_code in ('outcome_unknown', 'expired'))
      -- It failed after it was sent.
      and (n.fence = r.fence or not exists (
        select from outbound.delivery_attempts as a
        where a.company_id = r.company_id and a.notification_id = r.id and a.fence = r.fence
          and a.error_code is not null
      ))
    returning n.company_id, n.id, n.campaign_id, n.sender_id, n.voice, n.status, n.platform_message_id, r.status as was
  )
  select count(*), coalesce(jsonb_agg(jsonb_build_object(
      'company_id', f.company_id, 'campaign_id', f.campaign_id, 'sent', 1, 'failed', - (f.was = 'failed')::int,
      'cancelled', - (f.was = 'cancelled')::int, 'skipped', - (f.was = 'skipped')::int
    )), '[]'), coalesce(jsonb_agg(to_jsonb(f)) filter (where f.voice), '[]'),
    (select jsonb_agg(to_jsonb(l)) from locked as l where l.outcome not in ('released', 'postponed', 'skipped'))
  into changed, moves, settled, v_attempts
  from finished as f;
  if v_attempts is not null then
    perform outbound.record_attempts(p_worker, v_attempts);
  end if;
end
$$;
revoke execute on function outbound.record_late_results from public;

-- 20_queue/refused_recipients.sql

-- Returns, of the requests of a batch (accept_notifications describes them), the recipients who may not be written to,
-- [{id, code}, …], at the ord of the request: opted_out, no_consent, or warn_no_consent, of whom the response has to
-- warn.
-- p_sources: the sources of which recipients may be refused, as check_requests knows them: source, company_id,
-- channel, is_marketing (the company's rules about marketing apply), and policy: require, warn, or none.
-- Called only for companies that know of any, or ask for consent.
create function outbound.refused_recipients(p_requests json, p_notifications json, p_sources json)
returns json[]
language plpgsql stable security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v record;
  v_refused json[];
begin
  for v in
    select n.ord, json_agg(json_build_object('id', n.id, 'code', rule.code)) as recipients
    from (
      select g.*, s.company_id, s.channel, s.is_marketing, s.policy
      from json_to_recordset(p_sources) as s(
        source int, company_id uuid, channel text, is_marketing boolean, policy text
      )
      join json_to_recordset(p_requests) as r(ord int, source int) on r.source = s.source
      join json_to_recordset(p_notifications) as g(ord int, id uuid, number text, user_id text, hashes json)
        on g.ord = r.ord
    ) as n
    cross join lateral (
      select case
        -- Lateral, address by address: without statistics `any` becomes a scan of all the company's people.
        when exists (
          select from (values (n.number), (n.user_id)) as a(address)
          cross join lateral (
            select from outbound.suppressions as s
            where s.company_id = n.company_id and s.address = a.address and s.lifted_at is null
              and s.channel in ('any', n.channel) and (s.category = 'all' or n.is_marketing)
            limit 1
          ) as suppression
        ) then 'opted_out'
        when exists (
          select from json_array_elements_text(n.hashes) as h(address_hash)
          cross join lateral (
            select from outbound.erased_contacts as e
            where e.company_id = n.company_id and e.address_hash = h.address_hash limit 1
          ) as erased
        -- The same word: a company must not find out who was erased by trying all numbers.
        ) then 'opted_out'
        when n.is_marketing and n.policy in ('require', 'warn')
          and not outbound.is_consent_given(n.company_id, array[n.number, n.user_id], n.channel = 'voice')
          then case n.policy when 'require' then 'no_consent' else 'warn_no_consent' end
      end as code
    ) as rule
    where rule.code is not null
    group by n.ord
  loop
    v_refused[v.ord] := v.recipients;
  end loop;
  return v_refused;
end
$$;
revoke execute on function outbound.refused_recipients from public;

-- 20_queue/release_claimed.sql

-- Hands back, untried, the notifications that p_worker has leased and that are not among the given ones: those of a
-- claim whose response was lost. The worker has no other claim under way, so no process sends these rows. Locks as
-- finish_notifications does. Returns how many rows went back to the queue.
create function outbound.release_claimed(p_worker text, p_companies uuid[], p_ids uuid[])
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_results jsonb;
begin
  select jsonb_agg(jsonb_build_object(
    'company_id', n.company_id, 'id', n.id, 'fence', n.fence, 'attempt', n.attempt, 'outcome', 'released'
  )) into v_results
  from outbound.queue as n
  where n.status = 'sending' and n.worker = p_worker and not exists (
    select from unnest(p_companies, p_ids) as kept(company_id, id)
    where kept.company_id = n.company_id and kept.id = n.id
  );
  return case when v_results is null then 0 else outbound.finish_notifications(p_worker, v_results, interval '0') end;
end
$$;
revoke execute on function outbound.release_claimed from public;

-- 20_queue/renew_leases.sql

-- Extends the leases of those of the given notifications that p_worker has leased; returns how many. It names them,
-- because a worker may not know everything it has: the response to a claim can get lost, and such a row must not be
-- leased forever.
create function outbound.renew_leases(p_worker text, p_lease interval, p_companies uuid[], p_ids uuid[])
returns int
language sql security invoker set search_path = ''
-- A batch: one look-up per lease.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
  with locked as (
    select n.company_id, n.id from unnest(p_companies, p_ids) as given(company_id, id)
    join outbound.queue as n on n.company_id = given.company_id and n.id = given.id
    where n.status = 'sending' and n.worker = p_worker and n.lease_until > now()
    -- A locked row is being finished.
    for update of n skip locked
  ),
  renewed as (
    update outbound.queue as n set lease_until = clock_timestamp() + p_lease
    from locked where n.company_id = locked.company_id and n.id = locked.id
    returning 1
  )
  select count(*)::int from renewed
$$;
revoke execute on function outbound.renew_leases from public;

-- 20_queue/requeue_notifications.sql

-- Puts notifications back into the queue, or lets them wait for the platform's report, after attempts that neither sent
-- them nor failed for good: [{company_id, id, was (the state), outcome, error_code, reason, retry_in_s}, …], as
-- finish_notifications describes them. The caller has locked them. Returns how many rows changed, what
-- move_campaign_counters is to move, and what follow_up_results is to follow up. A step of finish_notifications.
create function outbound.requeue_notifications(
  p_results jsonb, p_window interval, out changed int, out moves jsonb, out settled jsonb
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per result.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  with requeued as (
    update outbound.queue as q
    set status = case r.outcome when 'unknown' then 'unconfirmed' else 'queued' end, worker = null,
      attempt = q.attempt - (r.outcome in ('not_sent', 'released', 'postponed'))::int,
      lease_until = case when r.outcome = 'unknown' then clock_timestamp() + p_window end,
      run_at = case when r.outcome in ('retry', 'not_sent', 'postponed')
        then clock_timestamp() + make_interval(secs => coalesce(r.retry_in_s, 0)) else q.run_at end,
      expires_at = case when r.outcome = 'postponed'
        then q.expires_at + make_interval(secs => r.retry_in_s) else q.expires_at end,
      error_code = r.error_code, error_reason = r.reason
    from jsonb_to_recordset(p_results) as r(
      company_id uuid, id uuid, was text, outcome text, error_code text, reason text, retry_in_s float8
    )
    where q.company_id = r.company_id and q.id = r.id
    returning q.company_id, q.id, q.campaign_id, q.sender_id, q.voice, r.was, q.status, q.run_at
  )
  select count(*), coalesce((
      select jsonb_agg(to_jsonb(move)) from (
        select q.company_id, q.campaign_id, sum((q.status = 'queued')::int - (q.was = 'queued')::int) as pending,
          sum((q.status = 'unconfirmed')::int - (q.was <> 'queued')::int) as processing
        from requeued as q group by q.company_id, q.campaign_id
      ) as move
    ), '[]'),
    coalesce(jsonb_agg(to_jsonb(r) order by r.id) filter (where r.status = 'queued'), '[]')
  into changed, moves, settled
  from requeued as r;
end
$$;
revoke execute on function outbound.requeue_notifications from public;

-- 20_queue/rescue_lost_leases.sql

-- sending → unconfirmed, when the worker's lease ran out: the worker may have sent it or not. At most p_limit, of the
-- leases that ended after p_leases_from. Returns how many. A step of tick.
create function outbound.rescue_lost_leases(p_limit int, p_window interval, p_leases_from timestamptz)
returns int
-- Without statistics a bitmap scan would read and sort all that is due instead of the p_limit longest due.
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_rescued int;
begin
  with lost as (
    select n.company_id, n.id from outbound.queue as n
    where n.status = 'sending' and n.lease_until >= p_leases_from and n.lease_until <= now()
    order by n.lease_until limit p_limit for update skip locked
  ),
  rescued as (
    update outbound.queue as n
    set status = 'unconfirmed', lease_until = now() + p_window, worker = null, error_code = null, error_reason = null
    from lost where n.company_id = lost.company_id and n.id = lost.id
    returning n.company_id, n.id, n.attempt, n.fence, n.claimed_at
  )
  insert into outbound.delivery_attempts as a (
    company_id, notification_id, attempt, fence, worker, started_at, outcome, reason
  )
  select r.company_id, r.id, r.attempt, r.fence, 'lost', r.claimed_at, 'unknown',
    'The dispatcher stopped before it recorded a result'
  from rescued as r
  on conflict on constraint delivery_attempts_pkey do nothing;
  get diagnostics v_rescued = row_count;
  return v_rescued;
end
$$;
revoke execute on function outbound.rescue_lost_leases from public;

-- 20_queue/send_context.sql

-- Returns what a request is checked against before it is stored: the key, the sender that p_recipient names (by id,
-- number or the platform's id), all languages of the template in that sender's account, and the voice agent (by id or
-- the platform's id). With p_bulk an unknown name means the company's oldest sender of the channel. What may keep its
-- notifications from leaving at once comes with it.
create function outbound.send_context(
  p_key_hash text, p_channel text, p_recipient text, p_template text, p_agent text, p_bulk boolean
)
returns table (
  outcome text, company_id uuid, api_key_id uuid, permissions text[], api_access boolean,
  rate_limit int, remaining int, reset_s int, sender_id uuid, sender_number text, sender_locked text, templates jsonb, agent jsonb,
  -- Why the sender sends nothing at present, and until when; since when the platform has not responded to it, and when
  -- it is tried next; how many people it may write to (TIER_2K), and how the platform rates it (RED).
  sender_stopped text, sender_stopped_until timestamptz, outage_since timestamptz, outage_until timestamptz,
  sender_limit text, sender_quality text,
  -- The company's rules (contact_rules, companies); null for none.
  sending_hours jsonb, frequency_caps jsonb, marketing_cooldown boolean, call_gap_s int,
  -- The key of the hashes of erased people, sealed; null where no person was erased.
  erasure_key_sealed text,
  -- A webhook of the company receives flow.triggered.
  has_flow_webhook boolean
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_key record;
  v_sender record;
  v_rules record;
begin
  select * into v_key from outbound.use_access_key(p_key_hash, 0);
  if v_key.outcome <> 'ok' then
    outcome := v_key.outcome;
    rate_limit := 0;
    remaining := 0;
    reset_s := 0;
    return next;
    return;
  end if;
  select s.id, s.waba_id, s.number, s.locked, s.stopped_reason, s.stopped_until, s.messaging_limit, s.quality,
    outage.since as outage_since, case when outage.since is not null then p.blocked_until end as outage_until
  into v_sender
  from outbound.senders as s
  join outbound.sender_rate_state as p on p.company_id = s.company_id and p.sender_id = s.id
  cross join lateral outbound.outage_since(p) as outage(since)
  where s.company_id = v_key.company_id and s.channel = p_channel
    and (p_bulk or p_recipient in (s.id::text, s.number, s.platform_id))
  order by p_recipient in (s.id::text, s.number, s.platform_id) desc, s.created_at, s.id
  limit 1;
  select y.call_gap_s, nullif(r.sending_hours, '[]') as sending_hours, nullif(r.frequency_caps, '[]') as frequency_caps,
    coalesce(r.marketing_cooldown, false) as marketing_cooldown, r.erasure_key_sealed
  into v_rules
  from outbound.companies as y left join outbound.contact_rules as r on r.company_id = y.id
  where y.id = v_key.company_id;
  return query select v_key.outcome, v_key.company_id, v_key.api_key_id, v_key.permissions, v_key.api_access,
    v_key.rate_limit, v_key.remaining, v_key.reset_s, v_sender.id,
    v_sender.number, case when v_sender.locked then v_sender.stopped_reason end,
    (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', t.id, 'language', t.language, 'category', t.category, 'status', t.status, 'shape', t.shape,
        'parameter_format', t.parameter_format, 'components', t.components
      )), '[]')
      from outbound.templates as t
      where t.company_id = v_key.company_id and t.waba_id = v_sender.waba_id and t.name = p_template
    ),
    (
      select jsonb_build_object('id', a.id, 'platform_agent_id', a.platform_agent_id, 'status', a.status)
      from outbound.voice_agents as a
      where a.company_id = v_key.company_id and p_agent in (a.id::text, a.platform_agent_id)
      order by a.id::text = p_agent desc limit 1
    ),
    v_sender.stopped_reason, v_sender.stopped_until, v_sender.outage_since, v_sender.outage_until,
    v_sender.messaging_limit, v_sender.quality,
    v_rules.sending_hours, v_rules.frequency_caps, v_rules.marketing_cooldown, v_rules.call_gap_s,
    case when v_rules.erasure_key_sealed is not null and exists (
      select from outbound.erased_contacts as e where e.company_id = v_key.company_id
    ) then v_rules.erasure_key_sealed end,
    exists (
      select from outbound.webhooks as w
      where w.company_id = v_key.company_id and w.is_active
        and coalesce('flow.triggered' = any (w.event_types), true)
    );
end
$$;
revoke execute on function outbound.send_context from public;

-- 20_queue/settle_unconfirmed.sql

-- unconfirmed → queued or failed, when the platform reported nothing in time. A step of tick.
-- That nothing was reported counts only if an event could have reached us since the try began:
--   an event of the sender's account arrived, or a probe of our webhook came back;
--   no event of the account was refused after the last one that was accepted;
--   and for half the window nothing has kept events from us: a pause without ticks, an open breaker, a failed probe,
--   a refused event. After such a time we wait for as long again, because the platform repeats what it could not report
--   after ever longer waits.
-- Otherwise the message gets another window, up to its time to live. Calls need no event: the dispatcher polls the
-- platform about them. Each message is examined once per window, and p_limit of them per tick.
--
-- again: how many were queued again; failed: how many were not. moves: what move_campaign_counters is to move.
-- requeued: those for stop_requeued; planned: the senders whose turns change. silent_accounts: [{company_id, waba_id,
-- messages, refused}, …], accounts whose messages wait because no event of theirs can arrive.
create function outbound.settle_unconfirmed(
  p_limit int, p_window interval, p_leases_from timestamptz, p_missed_ticks interval, p_awake_since timestamptz,
  out again int, out failed int, out moves jsonb, out requeued_companies uuid[], out requeued uuid[],
  out planned_companies uuid[], out planned_senders uuid[], out silent_accounts jsonb
)
-- Without statistics a bitmap scan would read and sort all that is due instead of the p_limit longest due.
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_unread boolean;
begin
  -- Events of the platform that have not been applied for so long may be about any message.
  v_unread := exists (
    select from outbound.platform_events as e
    where e.applied_at is null and e.apply_at < now() - p_window / 2 and e.apply_at = e.received_at
  );

  with due as (
    select n.company_id, n.id, n.campaign_id, n.sender_id, n.voice, n.attempt, n.fence, n.claimed_at,
      s.waba_id, signal.refused_at > signal.event_at as refused,
      n.expires_at > now() and (
        v_unread
        or coalesce(greatest(p.blocked_until, p.reached_at) > now() - p_window / 2, false)
        or coalesce(
          now() - p_awake_since < greatest(p_window / 2, least(p_missed_ticks, p_awake_since - n.claimed_at)), false)
      ) as early,
      n.expires_at > now() and not n.voice and (
        signal.reachable_at <= n.claimed_at
        -- Failed probes say nothing if none came back for a day: some dispatchers cannot reach OUTBOUND_PUBLIC_URL at
        -- all.
        or w.returned_at > now() - interval '1 day' and w.failed_at > least(signal.reachable_at, now() - p_window / 2)
        or now() - w.recovered_at < w.recovered_at - greatest(w.failing_since, n.claimed_at)
        or signal.refused_at > least(signal.event_at, now() - p_window / 2)
        or now() - a.accepted_at < a.accepted_at - greatest(a.refused_since, n.claimed_at)
      ) as unproven,
      -- A call whose outcome is unknown is never repeated: the person may have been called already.
      c.on_unknown = 'resend' and not n.voice and n.attempt < outbound.max_attempts() and n.expires_at > now()
        and g.cancelled_at is null as again
    from outbound.queue as n
    join outbound.companies as c on c.id = n.company_id
    join outbound.campaigns as g on g.company_id = n.company_id and g.id = n.campaign_id
    left join outbound.senders as s on s.company_id = n.company_id and s.id = n.sender_id
    left join outbound.sender_rate_state as p on p.company_id = n.company_id and p.sender_id = n.sender_id
    left join outbound.account_signals as a on a.company_id = s.company_id and a.waba_id = s.waba_id
    left join outbound.webhook_probe as w on w.only_row
    cross join lateral (
      select greatest(a.event_at, w.returned_at, '-infinity') as reachable_at,
        coalesce(a.event_at, '-infinity') as event_at, a.refused_at
    ) as signal
    where n.status = 'unconfirmed' and n.lease_until >= p_leases_from and n.lease_until <= now()
    order by n.lease_until limit p_limit for update of n skip locked
  ),
  extended as (
    update outbound.queue as n set lease_until = least(now() + p_window, n.expires_at)
    from due where n.company_id = due.company_id and n.id = due.id and (due.early or due.unproven)
  ),
  settled as (
    select * from due where not due.early and due.unproven is not true
  ),
  requeued as (
    update outbound.queue as n
    set status = 'queued', lease_until = null, run_at = now(), error_code = null, error_reason = null
    from settled as s where s.again and n.company_id = s.company_id and n.id = s.id
  ),
  failed as (
    update outbound.notification_facts as n
    set status = 'failed', attempt = s.attempt, fence = s.fence, claimed_at = s.claimed_at, failed_at = now(),
      error_code = 'outcome_unknown',
      error_reason = case
        when s.voice then 'The platform never said whether it made the call; it was not made again'
        else 'The platform never said whether it took the message; it was not sent again'
      end
    from settled as s where s.again is not true and n.company_id = s.company_id and n.id = s.id
  ),
  gone as (
    delete from outbound.queue as n using settled as s
    where s.again is not true and n.company_id = s.company_id and n.id = s.id
  )
  select count(*) filter (where s.again), count(*) filter (where not s.again),
    jsonb_agg(jsonb_build_object('company_id', s.company_id, 'campaign_id', s.campaign_id, 'processing', -1,
      'pending', s.again::int, 'failed', (not s.again)::int)),
    array_agg(s.company_id) filter (where s.again), array_agg(s.id) filter (where s.again),
    array_agg(s.company_id) filter (where s.again or s.voice), array_agg(s.sender_id) filter (where s.again or s.voice),
    (
      select jsonb_agg(to_jsonb(account)) from (
        select due.company_id, due.waba_id, count(*) as messages, coalesce(bool_or(due.refused), false) as refused
        from due where due.unproven and not due.early
        group by due.company_id, due.waba_id order by count(*) desc limit 100
      ) as account
    )
  into again, failed, moves, requeued_companies, requeued, planned_companies, planned_senders, silent_accounts
  from settled as s;
end
$$;
revoke execute on function outbound.settle_unconfirmed from public;

-- 20_queue/stop_requeued.sql

-- Cancels or holds notifications that came back to the queue (refused for now, handed back, to be sent again after an
-- unknown outcome) if their campaign was cancelled or paused meanwhile, or its template is not approved. Its callers
-- have the campaigns' rows locked by moving their counters. So a pause or a cancellation is either over, and seen
-- here, or waits for them and then finds what they put back.
create function outbound.stop_requeued(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per message. A plan that starts at the campaigns would read a whole campaign for each of them.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_companies uuid[];
  v_campaigns uuid[];
  v_ids uuid[];
  v_held uuid[];
  v_cancelled uuid[];
  v_moves jsonb;
begin
  select array_agg(used.company_id), array_agg(used.campaign_id) into v_companies, v_campaigns
  from (
    select distinct n.company_id, n.campaign_id
    from unnest(p_companies, p_ids) as requeued(company_id, id)
    cross join lateral (
      select w.company_id, w.campaign_id from outbound.queue as w
      where w.company_id = requeued.company_id and w.id = requeued.id limit 1
    ) as n
  ) as used;

  -- A campaign that was accepted, or a message that was claimed, while its template was stopped. Locking the template
  -- keeps another transaction from approving it and releasing its campaigns meanwhile. Waiting for such a transaction
  -- would be a deadlock, and is not needed: the message comes back here if it still cannot leave.
  with stopped as (
    select g.company_id, g.id, t.reason
    from unnest(v_companies, v_campaigns) as used(company_id, campaign_id)
    cross join lateral (
      select w.company_id, w.id, w.template_id from outbound.campaigns as w
      where w.company_id = used.company_id and w.id = used.campaign_id
        and w.template_id is not null and w.held_reason is null limit 1
    ) as g
    cross join lateral (
      select outbound.hold_reason(u) as reason from outbound.templates as u
      where u.company_id = g.company_id and u.id = g.template_id and u.status <> 'approved'
      for share skip locked
    ) as t
  )
  update outbound.campaigns as g set held_reason = stopped.reason
  from stopped where g.company_id = stopped.company_id and g.id = stopped.id;

  select array_agg(g.id) filter (where g.cancelled_at is null),
    array_agg(g.id) filter (where g.cancelled_at is not null)
  into v_held, v_cancelled
  from unnest(v_companies, v_campaigns) as used(company_id, campaign_id)
  cross join lateral (
    select w.id, w.cancelled_at from outbound.campaigns as w
    where w.company_id = used.company_id and w.id = used.campaign_id
      and num_nonnulls(w.cancelled_at, w.paused_at, w.held_reason) > 0 limit 1
  ) as g;

  if v_held is not null then
    update outbound.queue as q set held_run_at = q.run_at, run_at = 'infinity'
    from unnest(p_companies, p_ids) as requeued(company_id, id)
    where q.company_id = requeued.company_id and q.id = requeued.id and q.campaign_id = any (v_held)
      and case when q.status = 'queued' then true end and q.held_run_at is null;
  end if;

  if v_cancelled is not null then
    select array_agg(q.company_id), array_agg(q.id), jsonb_agg(jsonb_build_object(
        'company_id', q.company_id, 'campaign_id', q.campaign_id, 'pending', -1, 'cancelled', 1))
    into v_companies, v_ids, v_moves
    from unnest(p_companies, p_ids) as requeued(company_id, id)
    join outbound.queue as q on q.company_id = requeued.company_id and q.id = requeued.id
    where q.campaign_id = any (v_cancelled) and case when q.status = 'queued' then true end;
    if v_moves is not null then
      perform outbound.cancel_queued(v_companies, v_ids);
      perform outbound.move_campaign_counters(v_moves);
    end if;
  end if;
end
$$;
revoke execute on function outbound.stop_requeued from public;

-- 20_queue/store_additions.sql

-- Adds the accepted requests of a batch to their campaigns (accept_notifications describes requests; p_outcomes and
-- p_companies have an element for each, at its ord). Returns the requests that were stored, by ord, and the campaigns
-- that are held. Called only if a request adds to a campaign.
create function outbound.store_additions(
  p_requests json, p_outcomes text[], p_companies uuid[], out stored int[], out held uuid[]
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  select a.ords, array(
    select g.id from outbound.add_to_campaigns(a.companies, a.ids, a.sizes, a.rejected, a.more) as g where g.is_held
  )
  into stored, held
  from (
    select array_agg(r.ord order by r.ord) as ords, array_agg(p_companies[r.ord] order by r.ord) as companies,
      array_agg(r.id order by r.ord) as ids, array_agg(r.size order by r.ord) as sizes,
      array_agg(r.rejected order by r.ord) as rejected, array_agg(r.more order by r.ord) as more
    from json_to_recordset(p_requests) as r(
      ord int, size int, id uuid, rejected int, is_addition boolean, more boolean
    )
    where p_outcomes[r.ord] = 'accepted' and r.is_addition
  ) as a;
end
$$;
revoke execute on function outbound.store_additions from public;

-- Locks the campaigns that requests of these companies add to, in the order of their ids.
create function outbound.lock_campaigns(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  perform from (select c.id from unnest(p_ids) as c(id) order by c.id) as named
  cross join lateral (
    select from outbound.campaigns as g where g.company_id = any (p_companies) and g.id = named.id for no key update
  ) as g;
end
$$;
revoke execute on function outbound.lock_campaigns from public;

-- 20_queue/store_first_responses.sql

-- Stores the responses to the requests of a batch that have an idempotency key and were stored (accept_notifications
-- describes requests; p_stored has their ords, p_companies an element for each request, at its ord). Called only if a
-- request has a key.
create function outbound.store_first_responses(p_requests json, p_companies uuid[], p_stored int[])
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.idempotency_keys as i (company_id, endpoint, key, request_hash, answer)
  select p_companies[r.ord], r.endpoint, r.idempotency_key, r.request_hash, r.answer::json
  from json_to_recordset(p_requests) as r(
    ord int, endpoint text, idempotency_key text, request_hash text, answer text
  )
  where r.idempotency_key is not null and r.ord = any (p_stored)
  -- Only a key that is older than a day gets here; a younger one was replayed.
  on conflict on constraint idempotency_keys_pkey do update
    set request_hash = excluded.request_hash, answer = excluded.answer, created_at = now();
end
$$;
revoke execute on function outbound.store_first_responses from public;

-- 20_queue/tick.sql

-- Returns a time before which no lease and no wait ends. An old snapshot keeps an index entry for every lease that
-- ended since, and each tick would step over all of them. Each tick moves this time on. Once per minute it reads from
-- the beginning, and so finds a lease that ended before this time after all, because its transaction took that long.
create function outbound.leases_from()
returns timestamptz
language sql stable security invoker set search_path = ''
return coalesce((
  select (s.value #>> '{}')::timestamptz from outbound.settings as s where s.name = 'leases_from'
), '-infinity');
revoke execute on function outbound.leases_from from public;

-- Moves the time before which no lease ends (leases_from) on, from p_leases_from.
create function outbound.move_leases_from(p_leases_from timestamptz)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  insert into outbound.settings as s (name, value)
  values ('leases_from', to_jsonb(least(now() - interval '10 seconds', (
    select min(n.lease_until) from outbound.queue as n
    where n.status in ('sending', 'unconfirmed') and n.lease_until >= p_leases_from
  ))))
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now();
end
$$;
revoke execute on function outbound.move_leases_from from public;

-- Records that a tick runs, which GET /health reads, and returns the last time without ticks: how long it was, and when
-- it ended.
create function outbound.record_tick(p_by text, out missed_ticks interval, out awake_since timestamptz)
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.settings as s (name, value)
  select 'missed_ticks', to_jsonb(extract(epoch from now() - max(t.updated_at)))
  from outbound.settings as t where t.name like 'last\_tick:%'
  having max(t.updated_at) < now() - interval '90 seconds'
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now();
  select make_interval(secs => s.value::float8), s.updated_at into missed_ticks, awake_since
  from outbound.settings as s where s.name = 'missed_ticks';

  insert into outbound.settings as s (name, value) values ('last_tick:' || p_by, to_jsonb(now()))
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now()
    where s.updated_at < now() - interval '1 second';
end
$$;
revoke execute on function outbound.record_tick from public;

-- Does what time alone brings about: rescues what a dead worker left, settles what the platform said nothing of,
-- expires what is too late. Dispatchers and pg_cron call it every second; one of them at a time does the work, the
-- others return {busy}. Notifications that come due need none of it: claims read their due times.
-- Returns how many notifications moved, per step, and silent_accounts, [{company_id, waba_id, messages, refused}, …]:
-- accounts whose messages wait because no event of theirs can arrive.
create function outbound.tick(
  p_limit int default 10000,
  p_window interval default '120 seconds',
  p_by text default 'dispatcher'
)
returns jsonb
-- Without statistics a bitmap scan would read and sort all that is due instead of the p_limit longest due.
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_leases_from timestamptz := outbound.leases_from();
  v_awake record;
  v_rescued int;
  v_unconfirmed record;
  v_late record;
  v_moves jsonb;
  v_repaired_turns int := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('outbound.tick', 0)) then
    return jsonb_build_object('busy', true);
  end if;
  v_awake := outbound.record_tick(p_by);

  perform outbound.expire_handoffs(p_limit);

  v_rescued := outbound.rescue_lost_leases(p_limit, p_window, v_leases_from);
  v_unconfirmed := outbound.settle_unconfirmed(
    p_limit, p_window, v_leases_from, v_awake.missed_ticks, v_awake.awake_since);
  v_late := outbound.expire_notifications(p_limit);

  -- Together and last: every transaction locks its campaigns once, in their order.
  v_moves := coalesce(v_unconfirmed.moves, '[]') || coalesce(v_late.moves, '[]');
  if v_moves <> '[]' then
    perform outbound.move_campaign_counters(v_moves);
  end if;
  perform outbound.close_campaigns(p_limit);
  perform outbound.schedule_lost_deliveries(v_leases_from);
  if v_unconfirmed.requeued is not null then
    perform outbound.stop_requeued(v_unconfirmed.requeued_companies, v_unconfirmed.requeued);
  end if;
  if v_unconfirmed.planned_senders is not null then
    perform outbound.schedule_senders(v_unconfirmed.planned_companies, v_unconfirmed.planned_senders, true);
  end if;

  -- Once per minute.
  insert into outbound.settings as s (name, value) values ('last_turn_repair', to_jsonb(now()))
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now()
    where outbound.is_window_over(s.updated_at, interval '1 minute');
  if found then
    v_repaired_turns := outbound.repair_sender_schedule();
    perform outbound.repair_webhook_schedule();
    perform outbound.repair_reply_schedule();
    v_leases_from := '-infinity';
  end if;
  perform outbound.move_leases_from(v_leases_from);
  perform outbound.move_due_from(v_leases_from = '-infinity');

  return jsonb_strip_nulls(jsonb_build_object(
    'rescued', v_rescued, 'resent', v_unconfirmed.again, 'failed_unknown', v_unconfirmed.failed,
    'expired', v_late.expired, 'repaired_turns', v_repaired_turns, 'silent_accounts', v_unconfirmed.silent_accounts
  ));
end
$$;
revoke execute on function outbound.tick from public;

-- 22_senders/adjust_senders.sql

-- Records what the platform's responses say about senders. Any number of rows per sender; change is one of:
--   reached: the platform responded; the breaker closes.
--   unreachable: it did not. After breaker_threshold() times in a row the breaker opens. From then on claims let one
--     message through after 1, 2, 4 … 60 s, and messages that were being sent when it opened do not extend that.
--   slow_down: it is sent to faster than it accepts; halves the rate.
--   stop (reason, locked): nothing more leaves the sender until an operator resumes it. locked: the platform has
--     locked the account, so new requests for it are refused.
-- Where rows of one sender disagree, it was reached: slow_down and stop are responses too.
create function outbound.adjust_senders(p_changes jsonb)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  perform from (
    select distinct c.company_id, c.sender_id
    from jsonb_to_recordset(p_changes) as c(company_id uuid, sender_id uuid, change text) where c.change = 'stop'
    order by c.sender_id
  ) as stopped
  cross join lateral (
    select from outbound.senders as s where s.company_id = stopped.company_id and s.id = stopped.sender_id
    for no key update
  ) as locked;

  with change as (
    select c.company_id, c.sender_id, bool_or(c.change in ('reached', 'slow_down', 'stop')) as reached,
      count(*) filter (where c.change = 'unreachable')::int as unreachable,
      bool_or(c.change = 'slow_down') as slow_down
    from jsonb_to_recordset(p_changes) as c(company_id uuid, sender_id uuid, change text)
    group by c.company_id, c.sender_id
  ),
  locked as (
    select p.company_id, p.sender_id from outbound.sender_rate_state as p
    join change on change.company_id = p.company_id and change.sender_id = p.sender_id
    order by p.sender_id for no key update of p
  )
  update outbound.sender_rate_state as p
  set failures = case when change.reached then 0
      else greatest(p.failures, least(outbound.breaker_threshold(), p.failures + change.unreachable)) end,
    blocked_until = case when change.reached then null
      when p.failures < outbound.breaker_threshold() and p.failures + change.unreachable >= outbound.breaker_threshold()
        then clock_timestamp() + interval '1 second'
      else p.blocked_until end,
    unreachable_since = case when change.reached then null
      when change.unreachable > 0 then coalesce(p.unreachable_since, clock_timestamp())
      else p.unreachable_since end,
    reached_at = case when change.reached and p.failures >= outbound.breaker_threshold()
      then clock_timestamp() else p.reached_at end,
    throttle = case when change.slow_down and coalesce(p.throttled_at < now() - interval '1 second', true)
      then greatest(outbound.current_throttle(p) / 2, 0.02) else p.throttle end,
    throttled_at = case when change.slow_down and coalesce(p.throttled_at < now() - interval '1 second', true)
      then now() else p.throttled_at end,
    tokens = case when change.slow_down then 0 else p.tokens end,
    refilled_at = case when change.slow_down then clock_timestamp() else p.refilled_at end
  from change join locked on locked.company_id = change.company_id and locked.sender_id = change.sender_id
  where p.company_id = change.company_id and p.sender_id = change.sender_id;

  perform outbound.schedule_senders(array_agg(c.company_id), array_agg(c.sender_id), true, p_from_first => true)
  from jsonb_to_recordset(p_changes) as c(company_id uuid, sender_id uuid);

  update outbound.senders as s
  set status = 'stopped', stopped_reason = c.reason, stopped_code = c.code, stopped_at = now(), locked = c.locked,
    stopped_by_account = false, stopped_until = null
  from (
    select distinct on (r.company_id, r.sender_id) r.company_id, r.sender_id, r.reason, r.code,
      coalesce(r.locked, false) as locked
    from jsonb_to_recordset(p_changes) as r(
      company_id uuid, sender_id uuid, change text, reason text, code text, locked boolean
    )
    where r.change = 'stop'
    order by r.company_id, r.sender_id, coalesce(r.locked, false) desc
  ) as c
  where s.company_id = c.company_id and s.id = c.sender_id
    and (s.status = 'active' or (c.locked and not s.locked));
end
$$;
revoke execute on function outbound.adjust_senders from public;

-- 22_senders/advance_senders.sql

-- Brings the turns of senders forward for work that is due at p_times, to no time that is past (due_from), and has
-- claims read from there on; a sender may be named more than once. Call it in the transaction that puts the work in the
-- queue, after all other locks.
create function outbound.advance_senders(p_companies uuid[], p_senders uuid[], p_times timestamptz[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  with locked as materialized (
    select t.company_id, t.sender_id, t.ready_at, t.due_at, t.queue_cursor, work.due_at as run_at,
      greatest(t.ready_at, work.due_at, clock_timestamp()) as wanted_at
    from (
      select w.company_id, w.sender_id, min(w.due_at) as due_at
      from unnest(p_companies, p_senders, p_times) as w(company_id, sender_id, due_at)
      group by w.company_id, w.sender_id order by w.sender_id
    ) as work
    cross join lateral (
      select w.* from outbound.sender_schedule as w
      where w.company_id = work.company_id and w.sender_id = work.sender_id for no key update
    ) as t
  )
  -- Sets all columns, because constraints are checked on the row as this statement saw it first, which may be older
  -- than the one that it locked.
  update outbound.sender_schedule as t
  set ready_at = locked.ready_at, due_at = least(locked.due_at, locked.wanted_at),
    queue_cursor = array[
      least(locked.queue_cursor[1], locked.run_at),
      least(locked.queue_cursor[2], locked.run_at),
      least(locked.queue_cursor[3], locked.run_at)
    ],
    queue_cursor_id = default
  from locked
  where t.company_id = locked.company_id and t.sender_id = locked.sender_id
    and (locked.due_at > locked.wanted_at or locked.run_at <= any (locked.queue_cursor));
end
$$;
revoke execute on function outbound.advance_senders from public;

-- 22_senders/available_tokens.sql

-- Returns the share of its rate, or of its lines, that a sender may use: halved by the platform's refusals, doubling
-- again with every 30 s without one.
create function outbound.current_throttle(p_state outbound.sender_rate_state)
returns double precision
language sql stable security invoker set search_path = ''
return case when p_state.throttled_at is null then 1 else
  least(1, p_state.throttle * power(2, least(20, floor(extract(epoch from now() - p_state.throttled_at) / 30))))
end;
revoke execute on function outbound.current_throttle from public;

-- Returns the number of messages in a sender's bucket now. A bucket has room for a twentieth of a second's worth: in no
-- second more than 1.05 times the rate leaves, nor more than 1.1 times arrives when the network delay varies.
-- Volatile, as is the clock that it reads.
create function outbound.available_tokens(p_state outbound.sender_rate_state, p_rate int)
returns double precision
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  v_rate double precision := case when p_state.throttled_at is null then p_rate
    else p_rate * outbound.current_throttle(p_state) end;
begin
  return least(
    greatest(1, v_rate / 20),
    p_state.tokens + greatest(0, extract(epoch from clock_timestamp() - p_state.refilled_at)) * v_rate
  );
end
$$;
revoke execute on function outbound.available_tokens from public;

-- 22_senders/free_lines.sql

-- Returns how many more calls a voice sender may have going on. A call occupies a line from its claim until it is
-- known to be over, or fail_endless_calls fails it. Only its state says so, so no line can get lost. Volatile, so
-- that it counts the calls as they are after the sender's row was locked, those of the claim before included.
create function outbound.free_lines(p_state outbound.sender_rate_state, p_concurrency int)
returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  v_going_on int;
begin
  select count(*) into v_going_on from outbound.ongoing_calls as k where k.sender_id = p_state.sender_id;
  return greatest(0, greatest(1, floor(p_concurrency * outbound.current_throttle(p_state)))::int - v_going_on);
end
$$;
revoke execute on function outbound.free_lines from public;

-- 22_senders/outage_since.sql

-- Returns since when the platform has not responded to a sender; null while it responds. An outage has begun once the
-- breaker is open, so that one lost connection is none. It is over as well when nothing has been tried for
-- outage_ends_after(): refilled_at is when it last was, and the claim that tries next begins the count anew.
create function outbound.outage_since(p_state outbound.sender_rate_state)
returns timestamptz
language sql stable security invoker set search_path = ''
as $$
  select case when p_state.failures >= outbound.breaker_threshold()
    and p_state.refilled_at > now() - outbound.outage_ends_after() then p_state.unreachable_since end
$$;
revoke execute on function outbound.outage_since from public;

-- 22_senders/platform_outages.sql

-- Returns the platforms that respond to none of the attempts of some sender: since when, to how many senders, and when
-- the next one is tried.
create function outbound.platform_outages()
returns table (channel text, since timestamptz, senders int, next_try_at timestamptz)
language sql stable security invoker set search_path = ''
as $$
  select s.channel, min(p.unreachable_since), count(*)::int, min(p.blocked_until)
  from outbound.sender_rate_state as p
  join outbound.senders as s on s.company_id = p.company_id and s.id = p.sender_id
  where p.unreachable_since is not null and outbound.outage_since(p) is not null and s.status = 'active'
  group by s.channel
$$;
revoke execute on function outbound.platform_outages from public;

-- 22_senders/repair_sender_schedule.sql

-- Returns every sender that has something waiting. Jumps from one to the next in the index instead of reading the
-- whole queue.
create function outbound.senders_with_work()
returns table (company_id uuid, sender_id uuid)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  with recursive busy as (
    (
      select n.company_id, n.sender_id from outbound.queue as n
      where n.status = 'queued' order by n.sender_id limit 1
    )
    union all
    select following.company_id, following.sender_id
    from busy cross join lateral (
      select n.company_id, n.sender_id from outbound.queue as n
      where n.status = 'queued' and n.sender_id > busy.sender_id
      order by n.sender_id limit 1
    ) as following
  )
  select busy.company_id, busy.sender_id from busy;
end
$$;
revoke execute on function outbound.senders_with_work from public;

-- Plans the turns that come later than something that waits, or begin to read after it. A safety net for work that
-- reached the queue in another way, such as an operator's statement. Leaves all other turns alone, because requests
-- wait for a turn that is being planned. Returns how many senders would have been claimed too late.
create function outbound.repair_sender_schedule()
returns int
language sql security invoker set search_path = ''
-- A batch: one look-up per sender that has work.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
  select outbound.schedule_senders(array_agg(w.company_id), array_agg(w.sender_id), false)
  from outbound.senders_with_work() as w
  cross join lateral (
    select u.* from outbound.sender_schedule as u
    where u.company_id = w.company_id and u.sender_id = w.sender_id limit 1
  ) as t
  where exists (
    select from (values (0::smallint), (1::smallint), (2::smallint)) as level(priority)
    cross join lateral (
      select n.run_at, n.id from outbound.queue as n
      where n.sender_id = t.sender_id and n.priority = level.priority and n.status = 'queued'
      order by n.run_at, n.id limit 1
    ) as first
    where (first.run_at < t.due_at and t.due_at > now())
      or (first.run_at, first.id) < (t.queue_cursor[level.priority + 1], t.queue_cursor_id[level.priority + 1])
  )
$$;
revoke execute on function outbound.repair_sender_schedule from public;

-- 22_senders/report_platform_outages.sql

-- Returns each outage of a platform once when it begins and once when it is over, to whichever dispatcher calls first:
-- the names in settings are what was reported.
create function outbound.report_platform_outages()
returns table (channel text, since timestamptz, senders int, next_try_at timestamptz, is_over boolean)
language sql volatile security invoker set search_path = ''
as $$
  with outage as materialized (
    select o.channel, o.since, o.senders, o.next_try_at from outbound.platform_outages() as o
  ),
  begun as (
    insert into outbound.settings (name, value)
    select 'outage:' || outage.channel, to_jsonb(outage.since) from outage
    on conflict on constraint settings_pkey do nothing
    returning name
  ),
  ended as (
    delete from outbound.settings as s
    where s.name in ('outage:whatsapp', 'outage:voice')
      and not exists (select from outage where 'outage:' || outage.channel = s.name)
    returning s.name, s.value
  )
  select outage.channel, outage.since, outage.senders, outage.next_try_at, false
  from begun join outage on begun.name = 'outage:' || outage.channel
  union all
  select substr(ended.name, 8), (ended.value #>> '{}')::timestamptz, 0, null, true from ended
$$;
revoke execute on function outbound.report_platform_outages from public;

-- 22_senders/schedule_senders.sql

-- Sets the turns of the given senders, who may be named more than once, to what their state and their queue say now.
-- Call it after all other locks.
-- p_wait false: only turns that can be locked at once. A turn that is locked elsewhere is being brought forward, and
-- may stay.
-- p_not_before: where a sender was ready when this transaction began, its turn comes at this time at the earliest,
-- because what it has due could not be sent. A sender that only waits for its rate is not delayed.
-- A turn is set to no time that is past (due_from): one that is due is not moved back in time.
-- p_from_first: reads the queue from queue_cursor on. Only for a transaction that has put nothing in the queue; all
-- others read everything that waits, and so set queue_cursor right whatever it was.
-- Returns how many turns it brought forward, or had their work before queue_cursor.
create function outbound.schedule_senders(
  p_companies uuid[], p_senders uuid[], p_wait boolean, p_not_before timestamptz default '-infinity',
  p_from_first boolean default false
)
returns int
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per sender.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_companies uuid[];
  v_senders uuid[];
  v_forward int;
  v_now constant timestamptz := clock_timestamp();
  v_no_id constant uuid := '00000000-0000-0000-0000-000000000000'::uuid;
  -- Messages that are being accepted now are due a little before they can be seen here. They may lower queue_cursor,
  -- but all of them would have to if it were as late as the last claim.
  v_latest constant timestamptz := v_now - interval '200 ms';
begin
  if p_wait then
    select array_agg(t.company_id), array_agg(t.sender_id) into v_companies, v_senders
    from (
      select distinct g.company_id, g.sender_id from unnest(p_companies, p_senders) as g(company_id, sender_id)
      order by g.sender_id
    ) as given
    cross join lateral (
      select w.company_id, w.sender_id from outbound.sender_schedule as w
      where w.company_id = given.company_id and w.sender_id = given.sender_id for no key update
    ) as t;
  else
    select array_agg(t.company_id), array_agg(t.sender_id) into v_companies, v_senders
    from unnest(p_companies, p_senders) as given(company_id, sender_id)
    cross join lateral (
      select w.company_id, w.sender_id from outbound.sender_schedule as w
      where w.company_id = given.company_id and w.sender_id = given.sender_id for no key update skip locked
    ) as t;
  end if;

  -- A separate statement, so that it sees what the transactions that had the turns locked before put in the queue.
  with planned as (
    select t.company_id, t.sender_id, t.due_at as was_due_at, r.ready_at,
      greatest(
        r.ready_at, case when r.ready_at <= now() then p_not_before end, coalesce(q.run_at, 'infinity'),
        least(t.due_at, v_now)
      ) as due_at,
      q.queue_cursor, q.queue_cursor_id, q.was_before
    from unnest(v_companies, v_senders) as locked(company_id, sender_id)
    cross join lateral (
      select w.* from outbound.sender_schedule as w
      where w.company_id = locked.company_id and w.sender_id = locked.sender_id limit 1
    ) as t
    cross join lateral (
      select outbound.sender_ready_at(p, s) as ready_at from outbound.senders as s
      join outbound.sender_rate_state as p on p.company_id = s.company_id and p.sender_id = s.id
      where s.company_id = t.company_id and s.id = t.sender_id limit 1
    ) as r
    cross join lateral (
      select min(first.run_at) as run_at,
        array_agg(coalesce(least(first.run_at, v_latest), v_latest) order by level.priority) as queue_cursor,
        array_agg(case when first.run_at < v_latest then first.id else v_no_id end order by level.priority)
          as queue_cursor_id,
        bool_or(coalesce(
          (first.run_at, first.id) < (t.queue_cursor[level.priority + 1], t.queue_cursor_id[level.priority + 1]), false
        )) as was_before
      from (values (0::smallint), (1::smallint), (2::smallint)) as level(priority)
      left join lateral (
        select n.run_at, n.id from outbound.queue as n
        where n.sender_id = t.sender_id and n.priority = level.priority and n.status = 'queued'
          and (n.run_at, n.id) >= (
            case when p_from_first then t.queue_cursor[level.priority + 1] else '-infinity' end,
            case when p_from_first then t.queue_cursor_id[level.priority + 1] else v_no_id end
          )
        order by n.run_at, n.id limit 1
      ) as first on true
    ) as q
  ),
  -- A queue_cursor that only moved on is not worth a write of its own.
  moved as (
    update outbound.sender_schedule as t
    set ready_at = planned.ready_at, due_at = planned.due_at, queue_cursor = planned.queue_cursor,
      queue_cursor_id = planned.queue_cursor_id
    from planned
    where t.company_id = planned.company_id and t.sender_id = planned.sender_id
      and ((t.ready_at, t.due_at) is distinct from (planned.ready_at, planned.due_at) or planned.was_before)
    returning planned.was_due_at > planned.due_at or planned.was_before as forward
  )
  select count(*) filter (where m.forward) into v_forward from moved as m;
  return v_forward;
end
$$;
revoke execute on function outbound.schedule_senders from public;

-- 22_senders/sender_ready_at.sql

-- Returns when the sender itself may send: its bucket holds a message again, it has rested, it has a free line.
-- infinity while it is stopped or all its lines are taken. A bucket fills for 25 ms, so that a fast sender is claimed
-- for a few messages at a time and not for each one. The queue does not matter here.
create function outbound.sender_ready_at(p_state outbound.sender_rate_state, p_sender outbound.senders)
returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  v_throttle double precision := case when p_state.throttled_at is null then 1
    else outbound.current_throttle(p_state) end;
  v_ready_at timestamptz := p_state.refilled_at;
begin
  if p_sender.status <> 'active' then
    return 'infinity'::timestamptz;
  end if;
  if p_sender.channel = 'voice' then
    if outbound.free_lines(p_state, p_sender.concurrency) = 0 then
      -- A transaction that ends a call plans the turn again. Time alone frees a line only when it lifts the throttle.
      v_ready_at := case when v_throttle < 1 then p_state.throttled_at + interval '30 seconds'
        * (1 + floor(extract(epoch from now() - p_state.throttled_at) / 30)) else 'infinity'::timestamptz end;
    end if;
  elsif p_state.tokens < 1 then
    v_ready_at := p_state.refilled_at
      + make_interval(secs => greatest(0.025, (1 - p_state.tokens) / (p_sender.rate_per_second * v_throttle)));
  end if;
  return greatest(v_ready_at, p_state.blocked_until);
end
$$;
revoke execute on function outbound.sender_ready_at from public;

-- 22_senders/sender_wait.sql

-- Returns why nothing leaves a sender, since when, until when, and a text of the platform about it; nulls while
-- something does. The first of:
--   sender_stopped, sender_locked: by the platform; wait_detail is its reason
--   no_dispatcher: something is due, and no dispatcher takes it. pg_cron alone starts one within the 90 seconds
--   platform_unreachable: the platform does not respond
--   lines_busy: as many calls are going on as it has lines
--   rate_limited: the platform refuses its rate, and it sends more slowly. This alone keeps nothing from leaving.
-- Reads one row of each table, and no more calls than the sender has lines.
create function outbound.sender_wait(
  p_company_id uuid, p_sender_id uuid,
  out wait_reason text, out wait_since timestamptz, out wait_until timestamptz, out wait_detail text
)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_sender record;
  v_dispatcher_at timestamptz;
  v_pg_cron_at timestamptz;
  v_calls int;
  v_last_call_at timestamptz;
begin
  select s.channel, s.status, s.locked, s.stopped_reason, s.stopped_at, s.stopped_until, s.concurrency, s.created_at,
    p.blocked_until, p.throttled_at, t.due_at, outbound.outage_since(p) as outage_since,
    outbound.current_throttle(p) as throttle
  into v_sender
  from outbound.senders as s
  join outbound.sender_rate_state as p on p.company_id = s.company_id and p.sender_id = s.id
  join outbound.sender_schedule as t on t.company_id = s.company_id and t.sender_id = s.id
  where s.company_id = p_company_id and s.id = p_sender_id;
  if v_sender.status = 'stopped' then
    wait_reason := case when v_sender.locked then 'sender_locked' else 'sender_stopped' end;
    wait_since := coalesce(v_sender.stopped_at, v_sender.created_at);
    wait_until := v_sender.stopped_until;
    wait_detail := v_sender.stopped_reason;
    return;
  end if;

  if v_sender.due_at < now() - interval '5 seconds' then
    select max(s.updated_at) filter (where s.name = 'last_tick:dispatcher'),
      max(s.updated_at) filter (where s.name = 'last_tick:pg_cron')
    into v_dispatcher_at, v_pg_cron_at
    from outbound.settings as s where s.name in ('last_tick:dispatcher', 'last_tick:pg_cron');
    if coalesce(v_dispatcher_at < now() - interval '90 seconds', true) and (
      v_sender.due_at < now() - interval '90 seconds' or coalesce(v_pg_cron_at < now() - interval '90 seconds', true)
    ) then
      wait_reason := 'no_dispatcher';
      wait_since := coalesce(v_dispatcher_at, v_sender.due_at);
      return;
    end if;
  end if;

  if v_sender.outage_since is not null then
    wait_reason := 'platform_unreachable';
    wait_since := v_sender.outage_since;
    wait_until := v_sender.blocked_until;
    return;
  end if;
  if v_sender.channel = 'voice' then
    select count(*), max(k.claimed_at) into v_calls, v_last_call_at from outbound.ongoing_calls as k
    where k.sender_id = p_sender_id;
    if v_calls >= greatest(1, floor(v_sender.concurrency * v_sender.throttle)) then
      wait_reason := 'lines_busy';
      wait_since := v_last_call_at;
      return;
    end if;
  end if;
  if v_sender.throttle < 1 then
    wait_reason := 'rate_limited';
    wait_since := v_sender.throttled_at;
    -- It doubles with every 30 seconds without a refusal (current_throttle).
    wait_until := now() + interval '30 seconds' * ceil(ln(1 / v_sender.throttle) / ln(2.0))
      - make_interval(secs => mod(extract(epoch from now() - v_sender.throttled_at), 30)::float8);
  end if;
end
$$;
revoke execute on function outbound.sender_wait from public;

-- 30_campaigns/add_to_campaigns.sql

-- Adds accepted requests to their campaigns, given in the order of the requests: how many notifications each has, how
-- many of its contacts were refused, and whether more requests follow; a campaign's last request decides. The caller
-- has the campaigns locked and stores the notifications; is_held says that those wait with the campaign's others.
-- A finished campaign opens again. Its template is approved, so what held it before it finished holds nothing new.
create function outbound.add_to_campaigns(
  p_companies uuid[], p_ids uuid[], p_sizes int[], p_rejected int[], p_more boolean[]
)
returns table (company_id uuid, id uuid, is_held boolean)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  with added as (
    select r.company_id, r.id, sum(r.size)::int as size, sum(r.rejected)::int as rejected,
      coalesce((array_agg(r.more order by r.ord desc))[1], false) as more
    from unnest(p_companies, p_ids, p_sizes, p_rejected, p_more) with ordinality
      as r(company_id, id, size, rejected, more, ord)
    group by r.company_id, r.id
  )
  update outbound.campaigns as g
  set total = g.total + added.size, pending = g.pending + added.size, rejected = g.rejected + added.rejected,
    open_until = case when added.more then outbound.open_until() end,
    held_reason = case when g.completed_at is null then g.held_reason end,
    completed_at = case
      when g.pending + added.size + g.processing = 0 and not added.more then coalesce(g.completed_at, now())
    end
  from added where g.company_id = added.company_id and g.id = added.id
  returning g.company_id, g.id, num_nonnulls(g.paused_at, g.held_reason) > 0;
end
$$;
revoke execute on function outbound.add_to_campaigns from public;

-- 30_campaigns/campaign_mismatch.sql

-- Compares a campaign with a request to add to it, as a campaign of its own would be. Returns the first difference as
-- {field, expected}, a field of the API and its value in the campaign, or null. The names may differ. The field
-- template_shape means that the template itself has changed.
create function outbound.campaign_mismatch(p_campaign outbound.campaigns, p_request outbound.campaigns)
returns json
language sql stable security invoker set search_path = ''
as $$
  select json_build_object('field', pair.field, 'expected', pair.expected)
  from (values
    (1, 'channel', p_campaign.channel, p_request.channel),
    (2, 'recipient_id', p_campaign.sender_id::text, p_request.sender_id::text),
    (3, 'name_template', p_campaign.template_name, p_request.template_name),
    (4, 'language_template', p_campaign.template_language, p_request.template_language),
    (5, 'agent_id', p_campaign.agent_id::text, p_request.agent_id::text),
    (6, 'notification_type', p_campaign.notification_type, p_request.notification_type),
    (7, 'datetime_sending', outbound.iso_time(p_campaign.scheduled_time), outbound.iso_time(p_request.scheduled_time)),
    (8, 'timezone', lower(p_campaign.timezone), lower(p_request.timezone)),
    (9, 'name_event', p_campaign.name_event, p_request.name_event)
  ) as pair(ord, field, expected, given)
  where pair.expected is distinct from pair.given
  union all
  -- Its messages are made for the template as it was; those of the request, as it is now.
  select json_build_object('field', 'template_shape', 'expected', null)
  where p_campaign.template_id is distinct from p_request.template_id
    or p_campaign.template_shape is distinct from p_request.template_shape
  limit 1
$$;
revoke execute on function outbound.campaign_mismatch from public;

-- 30_campaigns/campaign_state.sql

-- Returns the state that GET /notify/status shows. It is derived, so it can never disagree with the counters.
-- paused_reason says why a campaign is paused: sender_stopped, template_not_approved or operator, the first of these
-- that holds. paused_detail is a text for people. Reads one row of senders, however large the campaign is.
create function outbound.campaign_state(
  p_campaign outbound.campaigns, out status text, out paused_reason text, out paused_detail text
)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if p_campaign.completed_at is not null then
    status := case when p_campaign.cancelled > 0 and p_campaign.cancelled = p_campaign.total
      then 'cancelled' else 'completed' end;
    return;
  end if;
  if p_campaign.pending > 0 then
    select format('The sender %s is stopped: %s', s.number, s.stopped_reason) into paused_detail
    from outbound.senders as s
    where s.company_id = p_campaign.company_id and s.id = p_campaign.sender_id and s.status = 'stopped';
  end if;
  if paused_detail is not null then
    paused_reason := 'sender_stopped';
  elsif p_campaign.pending = 0 and p_campaign.cancelled > 0 then
    -- After a cancellation nothing is left to be held: all that remains is being sent.
    null;
  elsif p_campaign.held_reason is not null then
    paused_reason := 'template_not_approved';
    paused_detail := p_campaign.held_reason;
  elsif p_campaign.paused_at is not null then
    paused_reason := 'operator';
    paused_detail := 'The campaign was paused; it continues when it is resumed';
  end if;
  status := case
    when paused_reason is not null then 'paused'
    when p_campaign.scheduled_time > now() and p_campaign.started_at is null then 'scheduled'
    else 'sending'
  end;
end
$$;
revoke execute on function outbound.campaign_state from public;
-- Returns the status of campaign_state alone.
create function outbound.campaign_status(p_campaign outbound.campaigns)
returns text
language sql stable security invoker set search_path = ''
as $$ select s.status from outbound.campaign_state(p_campaign) as s $$;
revoke execute on function outbound.campaign_status from public;

-- 30_campaigns/campaign_wait.sql

-- Returns why nothing of a campaign leaves although it is under way, since when, and until when; nulls while something
-- does. The first of:
--   no_dispatcher, platform_unreachable, lines_busy: by its sender (sender_wait)
--   unconfirmed: the platform has not said of the last ones whether it took them
--   the reasons of wait_reason: everything left was put off. Of several, the one that ends first
--   rate_limited, behind_others: the sender's messages ahead of it leave first; wait_until is about when they have left
-- A message of unknown outcome does not hide why all others wait. Reads some thousand notifications at most, and only
-- those that were put off or are unconfirmed: of a larger campaign, a thousand that wait speak for the rest.
create function outbound.campaign_wait(
  p_campaign outbound.campaigns, out wait_reason text, out wait_since timestamptz, out wait_until timestamptz
)
language plpgsql stable security invoker set search_path = ''
-- A page: the first that was put off, by its index in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
declare
  v_sender record;
  v_unconfirmed int;
  v_put_off int;
  v_ahead record;
begin
  select w.* into v_sender from outbound.sender_wait(p_campaign.company_id, p_campaign.sender_id) as w;
  if v_sender.wait_reason in ('no_dispatcher', 'platform_unreachable')
    or v_sender.wait_reason = 'lines_busy' and p_campaign.pending > 0
  then
    wait_reason := v_sender.wait_reason;
    wait_since := v_sender.wait_since;
    wait_until := v_sender.wait_until;
    return;
  end if;

  if p_campaign.processing > 0 then
    select count(*) into v_unconfirmed from (
      select from outbound.queue as n
      where n.campaign_id = p_campaign.id and n.status = 'unconfirmed' limit 1000
    ) as waiting;
    if v_unconfirmed < least(p_campaign.processing, 1000) then
      return;
    end if;
  end if;
  if p_campaign.pending = 0 then
    select 'unconfirmed', n.claimed_at, n.lease_until into wait_reason, wait_since, wait_until
    from outbound.queue as n
    where n.campaign_id = p_campaign.id and n.status = 'unconfirmed'
    order by n.campaign_id, n.lease_until limit 1;
    return;
  end if;

  select count(*) into v_put_off from (
    select from outbound.queue as n
    where n.campaign_id = p_campaign.id and n.status = 'queued' and n.error_reason is not null
    limit 1000
  ) as put_off;
  if v_put_off >= least(p_campaign.pending, 1000) then
    select outbound.wait_reason(n.error_code),
      coalesce(n.claimed_at, p_campaign.scheduled_time, p_campaign.created_at), n.run_at
    into wait_reason, wait_since, wait_until
    from outbound.queue as n
    where n.campaign_id = p_campaign.id and n.status = 'queued' and n.error_reason is not null
    order by n.campaign_id, n.run_at limit 1;
    if wait_until > now() then
      return;
    end if;
    wait_reason := null;
    wait_since := null;
    wait_until := null;
  end if;

  select s.rate_per_second, s.channel, head.campaign_id, coalesce(head.pending, 0) as pending into v_ahead
  from outbound.senders as s
  join outbound.sender_schedule as t on t.company_id = s.company_id and t.sender_id = s.id
  left join lateral (
    select g.id as campaign_id, g.pending
    from (values (0::smallint), (1::smallint), (2::smallint)) as level(priority)
    cross join lateral (
      select n.campaign_id from outbound.queue as n
      where n.sender_id = t.sender_id and n.priority = level.priority and n.status = 'queued'
        and n.run_at <= now()
        and (n.run_at, n.id) >= (t.queue_cursor[level.priority + 1], t.queue_cursor_id[level.priority + 1])
      order by n.sender_id, n.priority, n.run_at, n.id limit 1
    ) as first
    cross join lateral (
      select c.id, c.pending from outbound.campaigns as c
      where c.company_id = t.company_id and c.id = first.campaign_id limit 1
    ) as g
    order by level.priority limit 1
  ) as head on true
  where s.company_id = p_campaign.company_id and s.id = p_campaign.sender_id;
  if v_ahead.campaign_id <> p_campaign.id then
    wait_reason := 'behind_others';
    wait_since := coalesce(p_campaign.scheduled_time, p_campaign.created_at);
    if v_ahead.channel = 'whatsapp' then
      wait_until := now() + make_interval(secs => v_ahead.pending::float8 / v_ahead.rate_per_second);
    end if;
  elsif v_sender.wait_reason = 'rate_limited' then
    wait_reason := v_sender.wait_reason;
    wait_since := v_sender.wait_since;
    wait_until := v_sender.wait_until;
  end if;
end
$$;
revoke execute on function outbound.campaign_wait from public;

-- 30_campaigns/cancel_campaign.sql

-- Cancels what has not left yet, and keeps what is being sent from being retried. Handles at most p_limit
-- notifications per step, after the one whose id is p_after, so that no step keeps the sender's other campaigns
-- waiting: where last_id is not null, call again with it as p_after, in a transaction of its own. From the first step
-- on nothing more leaves, and no request adds to it. Returns how many this step cancelled and, with the last one, how
-- many a dispatcher still has. The first step writes the audit of p_actor, if it changes anything.
create function outbound.cancel_campaign(
  p_company_id uuid, p_campaign_id uuid, p_after uuid default null, p_limit int default 5000,
  p_actor text default null, p_request_id text default null
)
returns table (cancelled int, in_flight int, last_id uuid)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_ids uuid[];
  v_is_new boolean;
  v_late int;
begin
  select array_agg(locked.id order by locked.id) into v_ids
  from (
    select q.id from outbound.queue as q
    where q.company_id = p_company_id and q.campaign_id = p_campaign_id and (p_after is null or q.id > p_after)
      and case when q.status = 'queued' then true end
    order by q.id limit p_limit for update
  ) as locked;
  last_id := case when cardinality(v_ids) = p_limit then v_ids[p_limit] end;
  cancelled := outbound.cancel_queued(array_fill(p_company_id, array[coalesce(cardinality(v_ids), 0)]), v_ids);
  select g.cancelled_at is null into v_is_new
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id for no key update;
  update outbound.campaigns as g
  set cancelled_at = coalesce(g.cancelled_at, now()), stopping_at = case when last_id is not null then now() end,
    open_until = null,
    completed_at = case when g.pending + g.processing = 0 then coalesce(g.completed_at, now()) end
  where g.company_id = p_company_id and g.id = p_campaign_id;
  if p_actor is not null and p_after is null and (v_is_new or cancelled > 0) then
    perform outbound.write_audit(
      p_company_id, p_actor, 'campaign.cancelled', p_campaign_id::text, null, null, p_request_id);
  end if;
  if cancelled > 0 then
    perform outbound.move_campaign_counters(jsonb_build_array(jsonb_build_object(
      'company_id', p_company_id, 'campaign_id', p_campaign_id, 'pending', -cancelled, 'cancelled', cancelled)));
  end if;
  if last_id is not null then
    return next;
    return;
  end if;

  -- Notifications that went back to the queue, or were added, before the campaign's row was locked above. Later ones
  -- need that row, which we have locked, and will see that it is cancelled. A row that is locked elsewhere is most
  -- likely being claimed by a transaction that waits for that row; if it is not, the dispatchers cancel it in a while
  -- (stopping_at), and claims pass it by until then.
  v_ids := array(
    select q.id from outbound.queue as q
    where q.company_id = p_company_id and q.campaign_id = p_campaign_id and case when q.status = 'queued' then true end
    for update skip locked
  );
  v_late := outbound.cancel_queued(array_fill(p_company_id, array[cardinality(v_ids)]), v_ids);
  if v_late > 0 then
    perform outbound.move_campaign_counters(jsonb_build_array(jsonb_build_object(
      'company_id', p_company_id, 'campaign_id', p_campaign_id, 'pending', -v_late, 'cancelled', v_late)));
    cancelled := cancelled + v_late;
  end if;
  update outbound.campaigns as g set stopping_at = now()
  where g.company_id = p_company_id and g.id = p_campaign_id and g.pending > 0;
  select g.processing + g.pending into in_flight from outbound.campaigns as g
  where g.company_id = p_company_id and g.id = p_campaign_id;
  perform outbound.schedule_senders(array[g.company_id], array[g.sender_id], false)
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
  return next;
end
$$;
revoke execute on function outbound.cancel_campaign from public;

-- 30_campaigns/close_campaigns.sql

-- Closes campaigns that more requests were expected for, after an hour without any: at most p_limit, the longest open
-- first. Those of which everything was sent complete. Passes by campaigns that are locked elsewhere.
create function outbound.close_campaigns(p_limit int)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  -- Mostly there are none, and an update of none calls its trigger too.
  if not exists (select from outbound.campaigns as g where g.open_until <= now()) then
    return;
  end if;
  with over as (
    select g.company_id, g.id from outbound.campaigns as g
    where g.open_until <= now() order by g.open_until limit p_limit for no key update skip locked
  )
  update outbound.campaigns as g
  set open_until = null, completed_at = case when g.pending + g.processing = 0 then now() end
  from over where g.company_id = over.company_id and g.id = over.id;
end
$$;
revoke execute on function outbound.close_campaigns from public;

-- Returns until when a campaign stays open whose last request says that more will follow: an hour, in whole minutes,
-- so that a campaign of many requests enters its index once per minute and not with each of them.
create function outbound.open_until()
returns timestamptz
language sql stable security invoker set search_path = ''
return date_trunc('minute', now()) + interval '61 minutes';
revoke execute on function outbound.open_until from public;

-- 30_campaigns/complete_upload.sql

-- Completes an upload whose file was read to its end by the request p_run, and closes its campaign: nothing more is
-- added. Returns whether it did; it does not once another request sends the file.
create function outbound.complete_upload(p_company_id uuid, p_upload_id uuid, p_run int)
returns boolean
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_campaign_id uuid;
begin
  update outbound.campaign_uploads as u
  set completed_at = now(), changed_at = now(), in_doubt_since = null, stopped = null
  where u.company_id = p_company_id and u.id = p_upload_id and u.run = p_run and u.completed_at is null
  returning u.campaign_id into v_campaign_id;
  if not found then
    return false;
  end if;
  update outbound.campaigns as g
  set open_until = null, completed_at = case when g.pending + g.processing = 0 then now() end
  where g.company_id = p_company_id and g.id = v_campaign_id and g.open_until is not null;
  return true;
end
$$;
revoke execute on function outbound.complete_upload from public;

-- 30_campaigns/hold_campaigns.sql

-- Holds what has not left of the given campaigns, because their template is not approved: the platform would refuse
-- each message. Handles all campaigns in one statement, so that no campaign's row is locked while waiting for a
-- notification of another.
--
-- Changing a template's state only marks it (templates.unsettled). settle_templates holds or releases its campaigns
-- later, in transactions of their own, a few hundred at a time, because there may be very many. Until then, and for a
-- campaign that is being accepted at the same time, two others keep messages back: a claim returns the template's
-- state, so a dispatcher hands back what it may not send, and stop_requeued holds what is handed back.
create function outbound.hold_campaigns(p_company_id uuid, p_campaign_ids uuid[], p_reason text)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  with waiting as (
    select q.company_id, q.id from outbound.queue as q
    where q.company_id = p_company_id and q.campaign_id = any (p_campaign_ids)
      and case when q.status = 'queued' and q.held_run_at is null then true end
    order by q.id for update
  )
  update outbound.queue as q set held_run_at = q.run_at, run_at = 'infinity'
  from waiting where q.company_id = waiting.company_id and q.id = waiting.id;

  perform from outbound.campaigns as g
  where g.company_id = p_company_id and g.id = any (p_campaign_ids) order by g.id for no key update;
  update outbound.campaigns as g set held_reason = p_reason
  where g.company_id = p_company_id and g.id = any (p_campaign_ids) and g.completed_at is null;

  -- As in pause_campaign: one that is locked elsewhere counts as gone.
  perform outbound.hold_late_arrivals(p_company_id, p_campaign_ids);
end
$$;
revoke execute on function outbound.hold_campaigns from public;

-- 30_campaigns/hold_late_arrivals.sql

-- Holds notifications that came back to the queue, or were added, while their campaigns were being held. The caller has
-- locked the campaigns' rows. Passes by notifications that are locked elsewhere: waiting for a claim, which waits for a
-- campaign's row, would be a deadlock. Returns how many it held.
create function outbound.hold_late_arrivals(p_company_id uuid, p_campaign_ids uuid[])
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_held int;
begin
  with waiting as (
    select q.company_id, q.id from outbound.queue as q
    where q.company_id = p_company_id and q.campaign_id = any (p_campaign_ids)
      and case when q.status = 'queued' and q.held_run_at is null then true end
    order by q.id for update skip locked
  )
  update outbound.queue as q set held_run_at = q.run_at, run_at = 'infinity'
  from waiting where q.company_id = waiting.company_id and q.id = waiting.id;
  get diagnostics v_held = row_count;
  return v_held;
end
$$;
revoke execute on function outbound.hold_late_arrivals from public;

-- 30_campaigns/hold_reason.sql

-- Returns why the campaigns of a template that cannot be used are held, in words for people.
create function outbound.hold_reason(p_template outbound.templates)
returns text
language sql immutable security invoker set search_path = ''
as $$
  select format('The template %s is %s, not approved', p_template.name, p_template.status)
    || coalesce(': ' || p_template.rejected_reason, '')
$$;
revoke execute on function outbound.hold_reason from public;

-- 30_campaigns/list_campaigns.sql

-- Returns a company's campaigns, newest first: a page of p_limit after the campaign p_after, or the first one; of one
-- channel, or of both; with p_is_over only those that are over. Reads an index in its order, as list_calls does.
create function outbound.list_campaigns(
  p_company_id uuid, p_channel text, p_is_over boolean, p_after uuid, p_limit int
)
returns setof outbound.campaigns
language plpgsql stable security invoker set search_path = ''
-- A page: by the index of the channel, or of all, in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
declare
  v_after constant uuid := coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
begin
  if p_channel is null then
    return query
    select g.* from outbound.campaigns as g
    where g.company_id = p_company_id and g.id < v_after and (g.completed_at is not null or not p_is_over)
    order by g.id desc limit p_limit;
  else
    return query
    select g.* from outbound.campaigns as g
    where g.company_id = p_company_id and g.channel = p_channel and g.id < v_after
      and (g.completed_at is not null or not p_is_over)
    order by g.id desc limit p_limit;
  end if;
end
$$;
revoke execute on function outbound.list_campaigns from public;

-- 30_campaigns/list_recipients.sql

-- Returns a campaign's notifications in the order of their ids, which is that of the request: a page of p_limit after the
-- notification p_after, or the first one. p_status, p_code and p_held_for_quality leave out the others; null leaves out
-- none. Reads the campaign's index in its order, as list_calls does.
create function outbound.list_recipients(
  p_company_id uuid, p_campaign_id uuid, p_after uuid, p_limit int, p_status text, p_code text,
  p_held_for_quality boolean
)
returns setof outbound.notifications
language sql stable security invoker set search_path = ''
-- A page: by the campaign's index in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
  select n.* from outbound.notifications as n
  where n.campaign_id = p_campaign_id and n.id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
    -- Not as an equation, by which the index of a company's notifications would be in the same order.
    and case when n.company_id = p_company_id then true end
    and (p_status is null or n.status = p_status)
    and (p_code is null or n.error_code = p_code)
    and (p_held_for_quality is null or n.held_for_quality = p_held_for_quality)
  order by n.campaign_id, n.id limit p_limit
$$;
revoke execute on function outbound.list_recipients from public;

-- 30_campaigns/list_uploads.sql

-- Returns a company's uploads, newest first: a page of p_limit after the upload p_after, or the first one; those of
-- p_channel, or all. Reads the index in its order, as list_calls does.
create function outbound.list_uploads(p_company_id uuid, p_after uuid, p_limit int, p_channel text)
returns setof outbound.campaign_uploads
language sql stable security invoker set search_path = ''
-- A page: by the company's index in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
  select u.* from outbound.campaign_uploads as u
  where u.company_id = p_company_id and u.id < coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    and (p_channel is null or u.plan ->> 'channel' = p_channel)
  order by u.id desc limit p_limit
$$;
revoke execute on function outbound.list_uploads from public;

-- 30_campaigns/open_campaigns.sql

-- Returns the campaigns of a company that are not over: of which the queue has something, or which stay open for more
-- requests. Newest first, at most p_limit of those before p_before; null for all. Jumps from one campaign to the next in
-- the index of the queue, so it reads nothing of campaigns that are over.
create function outbound.open_campaigns(p_company_id uuid, p_before uuid, p_limit int)
returns uuid[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    with recursive campaign as (
      select coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff') as id
      union all
      select greatest(waiting.id, expecting.id) from campaign
      left join lateral (
        select q.campaign_id as id from outbound.queue as q
        where q.company_id = p_company_id and q.campaign_id < campaign.id
        order by q.company_id desc, q.campaign_id desc limit 1
      ) as waiting on true
      left join lateral (
        select g.id from outbound.campaigns as g
        where g.company_id = p_company_id and g.id < campaign.id and g.open_until is not null
        order by g.company_id desc, g.id desc limit 1
      ) as expecting on true
      where num_nonnulls(waiting.id, expecting.id) > 0
    )
    select c.id from campaign as c offset 1 limit p_limit
  );
end
$$;
revoke execute on function outbound.open_campaigns from public;

-- 30_campaigns/pause_campaign.sql

-- Holds what has not left, in steps as cancel_campaign does: at most p_limit notifications per step, after p_after.
-- From the first step on nothing more leaves until the campaign is resumed. A campaign that is over stays so; the
-- second step leaves a campaign alone that was resumed after the first. Returns how many this step held and, with the
-- last one, how many may still leave because a dispatcher has them. The first step writes the audit of p_actor, if it
-- changes anything.
--
-- A held notification keeps its status, so counters do not move. Its time is kept in held_run_at and run_at becomes
-- infinity, where the index ranges of claims and ticks never get. Its expiry stays: what is paused for too long fails
-- as `expired`. A campaign can be held for two independent reasons: an operator's pause (paused_at) and a template
-- that is not approved (held_reason). Notifications are released when the last reason is gone.
create function outbound.pause_campaign(
  p_company_id uuid, p_campaign_id uuid, p_after uuid default null, p_limit int default 5000,
  p_actor text default null, p_request_id text default null
)
returns table (paused int, in_flight int, last_id uuid)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_ids uuid[];
  v_resumed boolean;
  v_is_new boolean;
  v_left int;
begin
  select array_agg(locked.id order by locked.id) into v_ids
  from (
    select q.id from outbound.queue as q
    where q.company_id = p_company_id and q.campaign_id = p_campaign_id and (p_after is null or q.id > p_after)
      and case when q.status = 'queued' and q.held_run_at is null then true end
    order by q.id limit p_limit for update
  ) as locked;
  paused := coalesce(cardinality(v_ids), 0);
  last_id := case when paused = p_limit then v_ids[p_limit] end;

  select p_after is not null and g.paused_at is null, g.paused_at is null and g.completed_at is null
  into v_resumed, v_is_new
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id for no key update;
  if v_resumed then
    paused := 0;
    last_id := null;
  else
    update outbound.queue as q set held_run_at = q.run_at, run_at = 'infinity'
    where q.company_id = p_company_id and q.id = any (v_ids);
  end if;
  update outbound.campaigns as g
  set paused_at = case when not v_resumed and g.completed_at is null
      then coalesce(g.paused_at, now()) else g.paused_at end,
    -- A cancellation that is under way as well clears this when it ends.
    stopping_at = case when last_id is not null then now() when g.cancelled_at is not null then g.stopping_at end
  where g.company_id = p_company_id and g.id = p_campaign_id;
  if p_actor is not null and p_after is null and (v_is_new or paused > 0) then
    perform outbound.write_audit(p_company_id, p_actor, 'campaign.paused', p_campaign_id::text, null, null, p_request_id);
  end if;
  if last_id is not null then
    return next;
    return;
  end if;

  -- Notifications that came back to the queue, or were added, between the two statements above. Now that the campaign's
  -- row is locked, no more do. One that is locked elsewhere is most likely being claimed by a transaction that waits for
  -- that row: waiting for it would be a deadlock, so it counts as gone. If it stays after all, the dispatchers hold it
  -- in a while (stopping_at), and claims pass it by until then.
  if not v_resumed then
    paused := paused + outbound.hold_late_arrivals(p_company_id, array[p_campaign_id]);
  end if;

  select count(*)::int into v_left from outbound.queue as q
  where q.company_id = p_company_id and q.campaign_id = p_campaign_id
    and case when q.status = 'queued' and q.held_run_at is null then true end;
  update outbound.campaigns as g set stopping_at = now()
  where g.company_id = p_company_id and g.id = p_campaign_id and v_left > 0 and not v_resumed;
  select g.processing + v_left into in_flight
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
  perform outbound.schedule_senders(array[g.company_id], array[g.sender_id], false)
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
  return next;
end
$$;
revoke execute on function outbound.pause_campaign from public;

-- 30_campaigns/release_campaigns.sql

-- Releases the given campaigns of a template that is approved again. Those that are paused as well stay held until
-- they are resumed.
create function outbound.release_campaigns(p_company_id uuid, p_campaign_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_free uuid[];
begin
  loop
    begin
      v_free := array(
        select g.id from outbound.campaigns as g
        where g.company_id = p_company_id and g.id = any (p_campaign_ids) and g.paused_at is null
      );
      perform outbound.release_held(p_company_id, v_free);

      perform from outbound.campaigns as g
      where g.company_id = p_company_id and g.id = any (p_campaign_ids) order by g.id for no key update;
      if exists (
        select 1 from outbound.campaigns as g
        where g.company_id = p_company_id and g.id = any (v_free) and g.paused_at is not null
      ) then
        raise exception 'a campaign was paused meanwhile' using errcode = 'OB001';
      end if;
      update outbound.campaigns as g set held_reason = null
      where g.company_id = p_company_id and g.id = any (p_campaign_ids);

      perform outbound.release_late_holds(p_company_id, array(
        select g.id from outbound.campaigns as g
        where g.company_id = p_company_id and g.id = any (p_campaign_ids) and g.paused_at is null
      ));
      perform outbound.schedule_senders(array_agg(g.company_id), array_agg(g.sender_id), true)
      from outbound.campaigns as g where g.company_id = p_company_id and g.id = any (p_campaign_ids);
      return;
    exception when sqlstate 'OB001' then
      null;
    end;
  end loop;
end
$$;
revoke execute on function outbound.release_campaigns from public;

-- 30_campaigns/release_held.sql

-- Releases what is held of the given campaigns; waits for notifications that are locked elsewhere. Returns how many. What is
-- held while this runs is for release_late_holds.
create function outbound.release_held(p_company_id uuid, p_campaign_ids uuid[])
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_released int;
begin
  with locked as (
    select q.company_id, q.id from outbound.queue as q
    where q.company_id = p_company_id and q.campaign_id = any (p_campaign_ids)
      and case when q.status = 'queued' and q.held_run_at is not null then true end
    order by q.id for update
  )
  update outbound.queue as q set run_at = q.held_run_at, held_run_at = null
  from locked where q.company_id = locked.company_id and q.id = locked.id;
  get diagnostics v_released = row_count;
  return v_released;
end
$$;
revoke execute on function outbound.release_held from public;

-- 30_campaigns/release_late_holds.sql

-- Releases notifications that were requeued and held while their campaign was being resumed. The caller has locked the
-- campaigns' rows. Returns how many. Raises OB001 if one is locked elsewhere, for example by a claim that is passing
-- it by: waiting for it would be a deadlock, so the caller undoes everything and begins again.
create function outbound.release_late_holds(p_company_id uuid, p_campaign_ids uuid[])
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_released int;
begin
  with locked as (
    select q.company_id, q.id from outbound.queue as q
    where q.company_id = p_company_id and q.campaign_id = any (p_campaign_ids)
      and case when q.status = 'queued' and q.held_run_at is not null then true end
    order by q.id for update skip locked
  )
  update outbound.queue as q set run_at = q.held_run_at, held_run_at = null
  from locked where q.company_id = locked.company_id and q.id = locked.id;
  get diagnostics v_released = row_count;
  if exists (
    select from outbound.queue as q
    where q.company_id = p_company_id and q.campaign_id = any (p_campaign_ids)
      and case when q.status = 'queued' and q.held_run_at is not null then true end
  ) then
    raise exception 'a held notification is locked' using errcode = 'OB001';
  end if;
  return v_released;
end
$$;
revoke execute on function outbound.release_late_holds from public;

-- 30_campaigns/resume_campaign.sql

-- Ends a pause and releases what is held, unless its template holds it as well. Overdue ones may leave at once.
-- Returns how many were released, and how many a dispatcher has. Writes the audit of p_actor, if anything changes.
create function outbound.resume_campaign(
  p_company_id uuid, p_campaign_id uuid, p_actor text default null, p_request_id text default null
)
returns table (resumed int, in_flight int)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_free boolean;
  v_stopped boolean;
  v_paused boolean;
begin
  loop
    begin
      select g.held_reason is null into v_free
      from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
      resumed := 0;
      if v_free then
        resumed := outbound.release_held(p_company_id, array[p_campaign_id]);
      end if;

      select g.processing, g.held_reason is not null, g.paused_at is not null into in_flight, v_stopped, v_paused
      from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id for no key update;
      -- Its template was stopped between the two statements above.
      if v_free and v_stopped then
        raise exception 'its template was stopped meanwhile' using errcode = 'OB001';
      end if;
      update outbound.campaigns as g
      set paused_at = null, stopping_at = case when g.cancelled_at is not null then g.stopping_at end
      where g.company_id = p_company_id and g.id = p_campaign_id and g.paused_at is not null;

      if not v_stopped then
        resumed := resumed + outbound.release_late_holds(p_company_id, array[p_campaign_id]);
        perform outbound.schedule_senders(array[g.company_id], array[g.sender_id], true)
        from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
      end if;
      if p_actor is not null and (v_paused or resumed > 0) then
        perform outbound.write_audit(
          p_company_id, p_actor, 'campaign.resumed', p_campaign_id::text, null, null, p_request_id);
      end if;
      return next;
      return;
    exception when sqlstate 'OB001' then
      null;
    end;
  end loop;
end
$$;
revoke execute on function outbound.resume_campaign from public;

-- 30_campaigns/verify_campaign.sql

-- Compares the counters of a campaign with what its notifications really are. They are equal, or there is a fault.
-- inconsistent: how many of its notifications have facts that contradict their state, and one more if the campaign
-- itself is complete and is not, or the other way round; none, or there is a fault.
create function outbound.verify_campaign(p_company_id uuid, p_campaign_id uuid)
returns table (counter text, stored int, actual int)
language sql stable security invoker set search_path = ''
as $$
  select c.counter, c.stored, c.actual::int
  from outbound.campaigns as g
  cross join lateral (
    select
      count(*) as total,
      count(*) filter (where n.status in ('scheduled', 'queued')) as pending,
      count(*) filter (where n.status in ('sending', 'unconfirmed')) as processing,
      count(*) filter (where n.status in ('sent', 'delivered', 'read')) as sent,
      count(*) filter (where n.status in ('delivered', 'read')) as delivered,
      count(*) filter (where n.status = 'read') as read,
      count(*) filter (where n.status = 'failed') as failed,
      count(*) filter (where n.status = 'cancelled') as cancelled,
      count(*) filter (where n.status = 'skipped') as skipped,
      count(*) filter (where n.replied_at is not null) as replied,
      count(*) filter (where (
        n.status in ('scheduled', 'queued', 'sending', 'unconfirmed', 'sent', 'delivered', 'read', 'failed',
          'cancelled', 'skipped')
        -- A notification that may still leave needs somewhere to go.
        and (num_nonnulls(n.number, n.user_id) > 0 or n.status not in ('scheduled', 'queued', 'sending', 'unconfirmed'))
        and (n.status = 'sending') = (n.worker is not null)
        and (n.status not in ('sent', 'delivered', 'read') or n.sent_at is not null)
        and (n.status not in ('delivered', 'read') or n.delivered_at is not null)
        and (n.status = 'read') = (n.read_at is not null)
        and (n.status = 'failed') = (n.failed_at is not null) and (n.status <> 'failed' or n.error_reason is not null)
        and (n.status = 'skipped') = (n.skipped_at is not null) and (n.status <> 'skipped' or n.error_code is not null)
        and (n.held_for_quality is null or n.status = 'sent')
      ) is not true) as inconsistent
    from outbound.notifications as n where n.company_id = g.company_id and n.campaign_id = g.id
  ) as a
  cross join lateral (values
    ('total', g.total, a.total), ('pending', g.pending, a.pending), ('processing', g.processing, a.processing),
    ('sent', g.sent, a.sent), ('delivered', g.delivered, a.delivered), ('read', g.read, a.read),
    ('failed', g.failed, a.failed), ('cancelled', g.cancelled, a.cancelled),
    ('skipped', g.skipped, a.skipped), ('replied', g.replied, a.replied),
    ('inconsistent', 0, a.inconsistent + (
      (g.pending + g.processing = 0 and g.open_until is null) <> (g.completed_at is not null)
    )::int + (
      -- A notification that has left the queue for good may not be in it.
      select count(*) from outbound.queue as q
      join outbound.notification_facts as f on f.company_id = q.company_id and f.id = q.id
      where q.company_id = g.company_id and q.campaign_id = g.id and f.status is not null
    ))
  ) as c(counter, stored, actual)
  where g.company_id = p_company_id and g.id = p_campaign_id
$$;
revoke execute on function outbound.verify_campaign from public;

-- 30_campaigns/wait_reason.sql

-- Returns the reason for which a notification with this code waits: a rule of ours names itself, and every other code is
-- the platform's.
create function outbound.wait_reason(p_error_code text)
returns text
language sql immutable security invoker set search_path = ''
as $$
  select case
    when p_error_code in ('sending_hours', 'marketing_cooldown', 'call_gap', 'rules_unreadable') then p_error_code
    else 'platform_refused'
  end
$$;
revoke execute on function outbound.wait_reason from public;
-- Returns what a notification that does not wait any more keeps of its code or its reason: the platform's words about its
-- last attempt, and nothing of a rule of ours.
create function outbound.lasting_text(p_error_code text, p_text text)
returns text
language sql immutable security invoker set search_path = ''
as $$ select case when outbound.wait_reason(p_error_code) = 'platform_refused' then p_text end $$;
revoke execute on function outbound.lasting_text from public;

-- 32_resends/begin_resend.sql

-- Stores a campaign p_id of those who failed in the campaign p_of with one of p_codes, with the same content, sender and
-- type. continue_resend makes its notifications. p_name: null for the same name. p_by_operator: no key made the request;
-- the campaign counts for the key p_api_key_id or, if that is gone, for the company's present one, whatever its state
-- and its quota. p_idempotency: {endpoint, key, request_hash} or null. p_trace: the span of the request, as traceparent.
--
-- Returns outcome:
--   accepted, replayed (an earlier request with the same idempotency key), key_reused,
--   nothing (no recipient is left, or all are refused: see result),
--   running (another resend of this campaign is under way),
--   unauthorized (the key is not active any more), quota_exceeded,
--   stale (the template, the agent or the sender cannot be used any more).
-- Only `accepted` stores anything. result: {campaign_id (null unless accepted), total, processed, refused: {code: count},
-- scheduled_time}.
create function outbound.begin_resend(
  p_company_id uuid, p_of uuid, p_id uuid, p_codes text[], p_name text, p_scheduled_time timestamptz, p_timezone text,
  p_api_key_id uuid, p_by_operator boolean, p_idempotency jsonb, p_trace text default null,
  out outcome text, out result json, out quota int, out quota_used int
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_key record;
  v_first record;
  v_total int;
  v_processed int;
  v_refused jsonb;
begin
  -- First: who comes second waits here for the first one's transaction, and then counts what that one has left.
  insert into outbound.resends as r (company_id, campaign_id, resend_of, codes)
  values (p_company_id, p_id, p_of, p_codes) on conflict (company_id, resend_of) do nothing;
  outcome := case when found then 'accepted' else 'running' end;

  select i.request_hash, i.answer into v_first from outbound.idempotency_keys as i
  where i.company_id = p_company_id and i.endpoint = p_idempotency ->> 'endpoint' and i.key = p_idempotency ->> 'key'
    and i.created_at > now() - interval '24 hours';
  if found then
    outcome := case when v_first.request_hash = p_idempotency ->> 'request_hash' then 'replayed' else 'key_reused' end;
    result := case outcome when 'replayed' then v_first.answer end;
  end if;

  if outcome = 'accepted' then
    select coalesce(sum(c.candidates), 0), coalesce(sum(c.candidates) filter (where c.refusal is null), 0),
      coalesce(jsonb_object_agg(c.refusal, c.candidates) filter (where c.refusal is not null), '{}')
    into v_total, v_processed, v_refused
    from (
      select f.refusal, count(*)::int as candidates
      from outbound.resend_candidates(p_company_id, p_of, p_codes, '00000000-0000-0000-0000-000000000000', null) as f
      group by f.refusal
    ) as c;
    if v_processed = 0 then
      outcome := 'nothing';
    end if;
    result := json_build_object('campaign_id', case outcome when 'accepted' then p_id end, 'total', v_total,
      'processed', v_processed, 'refused', v_refused, 'scheduled_time', outbound.iso_time(p_scheduled_time));
  end if;

  if outcome = 'accepted' then
    select k.id, k.daily_quota into v_key from outbound.api_keys as k
    where k.company_id = p_company_id
      and case when p_by_operator then k.id = p_api_key_id or k.is_current else k.id = p_api_key_id and k.is_active end
    order by k.id = p_api_key_id desc limit 1 for no key update;
    if not found then
      outcome := 'unauthorized';
    elsif not exists (
      select from outbound.campaigns as g
      join outbound.senders as s on s.company_id = g.company_id and s.id = g.sender_id and not s.locked
      left join outbound.templates as t on t.company_id = g.company_id and t.id = g.template_id
      left join outbound.voice_agents as a on a.company_id = g.company_id and a.id = g.agent_id
      where g.company_id = p_company_id and g.id = p_of
        and (g.template_id is null or t.status = 'approved' and t.shape = g.template_shape)
        and (g.agent_id is null or a.status = 'active')
    ) then
      outcome := 'stale';
    else
      quota := v_key.daily_quota;
      quota_used := (outbound.open_usage(p_company_id, v_key.id)).notifications;
      if not p_by_operator and quota_used + v_processed > quota then
        outcome := 'quota_exceeded';
      end if;
    end if;
  end if;

  if outcome <> 'accepted' then
    delete from outbound.resends as r where r.company_id = p_company_id and r.campaign_id = p_id;
    return;
  end if;
  insert into outbound.campaigns (
    company_id, id, api_key_id, channel, name, notification_type, sender_id, template_id, template_name,
    template_language, template_shape, agent_id, name_event, scheduled_time, timezone, trace, total, pending, rejected
  )
  select g.company_id, p_id, v_key.id, g.channel, coalesce(p_name, g.name), g.notification_type, g.sender_id,
    g.template_id, g.template_name, g.template_language, g.template_shape, g.agent_id, g.name_event, p_scheduled_time,
    coalesce(p_timezone, g.timezone), coalesce(p_trace, g.trace), v_processed, v_processed, v_total - v_processed
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_of;
  update outbound.usage as u set notifications = u.notifications + v_processed
  where u.company_id = p_company_id and u.api_key_id = v_key.id and u.day = (now() at time zone 'UTC')::date;
  update outbound.resends as r set remaining = v_processed
  where r.company_id = p_company_id and r.campaign_id = p_id;
  perform outbound.store_idempotent_response(p_company_id, p_idempotency, result);
end
$$;
revoke execute on function outbound.begin_resend from public;

-- 32_resends/continue_resend.sql

-- Makes the next notifications of a campaign that begin_resend has stored, at most one for each of p_ids, in one
-- transaction that locks nothing for long. Each has the message of the one that failed, which it replaces
-- (resent_as): that is never resent again. Returns whether all are made; otherwise call again.
--
-- The last step takes those off the campaign's counters that could not be made: erased or delivered since they were
-- counted, or cancelled before they were made.
create function outbound.continue_resend(p_company_id uuid, p_campaign_id uuid, p_ids uuid[], p_ttl_s int)
returns boolean
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_job outbound.resends;
  v_campaign outbound.campaigns;
  v_last uuid;
  v_seen int;
  v_from uuid[];
  v_made int := 0;
  v_priority smallint;
  v_due timestamptz;
  v_is_over boolean;
begin
  select * into v_job from outbound.resends as r
  where r.company_id = p_company_id and r.campaign_id = p_campaign_id for update;
  if not found then
    return true;
  end if;

  select count(*), (array_agg(f.id order by f.id desc))[1],
    (array_agg(f.id order by f.id) filter (where f.refusal is null))[1:v_job.remaining]
  into v_seen, v_last, v_from
  from outbound.resend_candidates(
    p_company_id, v_job.resend_of, v_job.codes, v_job.after_id, cardinality(p_ids)) as f;
  v_from := array(
    select n.id from outbound.notification_facts as n
    where n.company_id = p_company_id and n.id = any (v_from) and n.status in ('failed', 'skipped')
      and n.resent_as is null and num_nonnulls(n.number, n.user_id) > 0
    order by n.id for no key update
  );
  select * into v_campaign from outbound.campaigns as g
  where g.company_id = p_company_id and g.id = p_campaign_id for no key update;

  -- As accept_notifications gives it: the platform may have changed the template's category since.
  v_priority := case
    when coalesce((
      select t.category = 'MARKETING' from outbound.templates as t
      where t.company_id = p_company_id and t.id = v_campaign.template_id limit 1
    ), v_campaign.notification_type = 'marketing') then 2
    when v_campaign.notification_type = 'transactional' then 0
    else 1
  end;
  v_due := coalesce(v_campaign.scheduled_time, now());
  if v_campaign.cancelled_at is null then
    with made as (
      insert into outbound.notification_facts (
        company_id, id, campaign_id, sender_id, voice, number, user_id, message, metadata
      )
      select n.company_id, p_ids[old.ord], v_campaign.id, n.sender_id, n.voice, n.number, n.user_id, n.message,
        n.metadata
      from unnest(v_from) with ordinality as old(id, ord)
      join outbound.notification_facts as n on n.company_id = p_company_id and n.id = old.id
      returning company_id, id, campaign_id, sender_id, voice
    ),
    queued as (
      insert into outbound.queue (
        company_id, id, campaign_id, sender_id, voice, priority, is_scheduled, run_at, held_run_at, expires_at
      )
      select made.company_id, made.id, made.campaign_id, made.sender_id, made.voice, v_priority, v_due > now(),
        case when hold.is_held then 'infinity' else v_due end, case when hold.is_held then v_due end,
        v_due + make_interval(secs => p_ttl_s)
      from made
      cross join (select num_nonnulls(v_campaign.paused_at, v_campaign.held_reason) > 0 as is_held) as hold
    )
    update outbound.notification_facts as n set resent_as = p_ids[old.ord]
    from unnest(v_from) with ordinality as old(id, ord)
    where n.company_id = p_company_id and n.id = old.id;
    get diagnostics v_made = row_count;
  end if;
  v_job.remaining := v_job.remaining - v_made;
  v_is_over := v_campaign.cancelled_at is not null or v_seen < cardinality(p_ids) or v_job.remaining = 0;

  if v_is_over then
    delete from outbound.resends as r where r.company_id = p_company_id and r.campaign_id = p_campaign_id;
    update outbound.campaigns as g
    set total = g.total - v_job.remaining, pending = g.pending - v_job.remaining,
      completed_at = case when g.pending - v_job.remaining + g.processing = 0 then now() end
    where g.company_id = p_company_id and g.id = p_campaign_id and v_job.remaining > 0;
  else
    update outbound.resends as r set after_id = v_last, remaining = v_job.remaining, stepped_at = now()
    where r.company_id = p_company_id and r.campaign_id = p_campaign_id;
  end if;
  if v_made > 0 then
    perform outbound.advance_senders(array[p_company_id], array[v_campaign.sender_id], array[v_due]);
  end if;
  return v_is_over;
end
$$;
revoke execute on function outbound.continue_resend from public;

-- 32_resends/resend_candidates.sql

-- Returns the notifications of a campaign that failed or were skipped with one of p_codes and were not resent, by id,
-- after p_after, at most p_limit (null: all). refusal: the error of a request for this recipient
-- (recipient_opted_out, consent_missing); null where none would be. Erased people are none: their notifications have
-- no recipient any more.
create function outbound.resend_candidates(
  p_company_id uuid, p_campaign_id uuid, p_codes text[], p_after uuid, p_limit int
)
returns table (id uuid, refusal text)
language plpgsql stable security invoker set search_path = ''
-- By the index of what failed, and address by address, whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  with source as materialized (
    select g.channel, coalesce(t.category = 'MARKETING', g.notification_type = 'marketing') as is_marketing,
      r.consent_policy
    from outbound.campaigns as g
    left join outbound.templates as t on t.company_id = g.company_id and t.id = g.template_id
    left join outbound.contact_rules as r on r.company_id = g.company_id
    where g.company_id = p_company_id and g.id = p_campaign_id
  )
  select failed.id, rule.refusal
  from source
  cross join lateral (
    select picked.id, picked.number, picked.user_id
    from (select distinct c.code from unnest(p_codes) as c(code)) as wanted
    cross join lateral (
      select n.id, n.number, n.user_id from outbound.notification_facts as n
      where n.campaign_id = p_campaign_id and coalesce(n.error_code, 'unknown') = wanted.code and n.id > p_after
        and (n.failed_at is not null or n.skipped_at is not null)
        and case when n.company_id = p_company_id then true end
        and n.resent_as is null and num_nonnulls(n.number, n.user_id) > 0
      order by n.campaign_id, coalesce(n.error_code, 'unknown'), n.id limit p_limit
    ) as picked
    order by picked.id limit p_limit
  ) as failed
  cross join lateral (
    select case
      when exists (
        select from (values (failed.number), (failed.user_id)) as a(address)
        cross join lateral (
          select from outbound.suppressions as s
          where s.company_id = p_company_id and s.address = a.address and s.lifted_at is null
            and s.channel in ('any', source.channel) and (s.category = 'all' or source.is_marketing)
          limit 1
        ) as suppression
      ) then 'recipient_opted_out'
      when source.is_marketing and source.consent_policy = 'require' and not outbound.is_consent_given(
        p_company_id, array[failed.number, failed.user_id], source.channel = 'voice'
      ) then 'consent_missing'
    end as refusal
  ) as rule
  order by failed.id;
end
$$;
revoke execute on function outbound.resend_candidates from public;

-- 40_templates/begin_template_submission.sql

-- Records that a template is about to be submitted. p_submission: {id, waba_id, name, language, content_hash, lease_s,
-- idempotency {endpoint, key, request_hash} or null}. outcome:
--   replayed (answer: the first response), key_reused, in_use (the first request is still at work; wait_s),
--   exists (the company has this name and language; template_id, template_status),
--   started, or taken_over: an earlier request left its record behind; repeated says whether it submitted the same.
create function outbound.begin_template_submission(p_company_id uuid, p_submission jsonb)
returns table (
  outcome text, answer json, wait_s int, template_id uuid, template_status text, repeated boolean
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_new record;
  v_key record;
  v_first record;
  v_open outbound.template_submissions;
  v_template record;
begin
  select * into v_new from jsonb_to_record(p_submission) as n(
    id uuid, waba_id text, name text, language text, content_hash text, lease_s int, idempotency jsonb
  );
  select * into v_key from jsonb_to_record(coalesce(nullif(v_new.idempotency, 'null'), '{}')) as k(
    endpoint text, key text, request_hash text
  );
  -- Always the key's lock before the name's: requests that share only one of them cannot deadlock.
  if v_key.key is not null then
    perform pg_advisory_xact_lock(hashtextextended('template key ' || p_company_id || ' ' || v_key.key, 0));
  end if;
  perform pg_advisory_xact_lock(hashtextextended(
    'template ' || p_company_id || ' ' || v_new.waba_id || ' ' || v_new.name || ' ' || v_new.language, 0));

  if v_key.key is not null then
    select i.request_hash, i.answer into v_first from outbound.idempotency_keys as i
    where i.company_id = p_company_id and i.endpoint = v_key.endpoint and i.key = v_key.key
      and i.created_at > now() - interval '24 hours';
    if found then
      outcome := case when v_first.request_hash = v_key.request_hash then 'replayed' else 'key_reused' end;
      answer := case when outcome = 'replayed' then v_first.answer end;
      return next;
      return;
    end if;
    select * into v_open from outbound.template_submissions as s
    where s.company_id = p_company_id and s.idempotency_key = v_key.key;
    if found and (v_open.request_hash <> v_key.request_hash or v_open.lease_until > now()) then
      outcome := case when v_open.request_hash <> v_key.request_hash then 'key_reused' else 'in_use' end;
      wait_s := outbound.seconds_until(v_open.lease_until);
      return next;
      return;
    end if;
  end if;

  select * into v_open from outbound.template_submissions as s
  where s.company_id = p_company_id and s.waba_id = v_new.waba_id and s.name = v_new.name
    and s.language = v_new.language;
  repeated := coalesce(v_open.content_hash = v_new.content_hash, false);
  -- A disabled template may have been deleted on the platform, which decides whether the name is free.
  select t.id, t.status, t.created_at into v_template from outbound.templates as t
  where t.company_id = p_company_id and t.waba_id = v_new.waba_id and t.name = v_new.name
    and t.language = v_new.language and t.status <> 'disabled';
  if v_template.id is not null then
    -- A sync has found the template that the request with this key created: return that request's response.
    if v_key.key is not null and v_open.idempotency_key = v_key.key and v_template.created_at >= v_open.started_at then
      outcome := 'replayed';
      answer := outbound.template_answer(v_template.id, v_new.name, v_open.started_at);
      perform outbound.store_idempotent_response(p_company_id, v_new.idempotency, answer);
      delete from outbound.template_submissions as s
      where s.company_id = p_company_id and s.id = v_open.id;
    else
      outcome := 'exists';
      template_id := v_template.id;
      template_status := v_template.status;
    end if;
    return next;
    return;
  end if;

  outcome := case when v_open.id is null then 'started' else 'taken_over' end;
  insert into outbound.template_submissions as s (
    company_id, waba_id, name, language, id, content_hash, idempotency_key, request_hash, lease_until
  ) values (
    p_company_id, v_new.waba_id, v_new.name, v_new.language, v_new.id, v_new.content_hash, v_key.key,
    v_key.request_hash, now() + make_interval(secs => v_new.lease_s)
  )
  on conflict on constraint template_submissions_pkey do update
    set id = excluded.id, content_hash = excluded.content_hash, idempotency_key = excluded.idempotency_key,
      request_hash = excluded.request_hash, lease_until = excluded.lease_until;
  return next;
end
$$;
revoke execute on function outbound.begin_template_submission from public;

-- 40_templates/confirm_template.sql

-- Applies what the platform reports of a template that was just created, unless it was changed since p_version: the
-- platform may review it, and report that, before it is stored here. p_template as in finish_template_submission.
create function outbound.confirm_template(
  p_company_id uuid, p_template_id uuid, p_version text, p_template jsonb
)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.templates as t
  set category = n.category, status = n.status, rejected_reason = n.rejected_reason,
    parameter_format = n.parameter_format, components = n.components, updated_at = now(),
    -- The platform's clock may differ from ours: an event from about the same time still counts.
    status_at = case when t.status <> n.status then now() - interval '10 seconds' else t.status_at end
  from jsonb_to_record(p_template) as n(
    category text, status text, rejected_reason text, parameter_format text, components jsonb
  )
  where t.company_id = p_company_id and t.id = p_template_id and t.updated_at = p_version::timestamptz
    and (t.category, t.status, t.rejected_reason, t.parameter_format, t.components)
      is distinct from (n.category, n.status, n.rejected_reason, n.parameter_format, n.components)
$$;
revoke execute on function outbound.confirm_template from public;

-- 40_templates/drop_template_submission.sql

-- Deletes the record of a submission that the platform certainly did not accept.
create function outbound.drop_template_submission(p_company_id uuid, p_id uuid)
returns void
language sql security invoker set search_path = ''
as $$
  delete from outbound.template_submissions as s where s.company_id = p_company_id and s.id = p_id
$$;
revoke execute on function outbound.drop_template_submission from public;

-- 40_templates/finish_template_submission.sql

-- Stores a template that the platform accepted, and the response to the request. p_template: {waba_id,
-- platform_template_id, name, language, category, status, rejected_reason, parameter_format, components}. If a sync or
-- another request has stored the same template first, its state is kept. version: what confirm_template needs.
create function outbound.finish_template_submission(
  p_company_id uuid, p_id uuid, p_template jsonb, p_idempotency jsonb
)
returns table (template_id uuid, version text, answer json)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_started timestamptz;
  v_template record;
begin
  select s.started_at into v_started from outbound.template_submissions as s
  where s.company_id = p_company_id and s.id = p_id;
  insert into outbound.templates as t (
    company_id, waba_id, platform_template_id, name, language, category, status, rejected_reason,
    parameter_format, components
  )
  select p_company_id, n.waba_id, n.platform_template_id, n.name, n.language, n.category, n.status,
    n.rejected_reason, n.parameter_format, n.components
  from jsonb_to_record(p_template) as n(
    waba_id text, platform_template_id text, name text, language text, category text, status text,
    rejected_reason text, parameter_format text, components jsonb
  )
  on conflict on constraint templates_name_key do update
    set platform_template_id = excluded.platform_template_id, category = excluded.category,
      status = excluded.status, rejected_reason = excluded.rejected_reason,
      parameter_format = excluded.parameter_format, components = excluded.components,
      created_at = now(), updated_at = now()
    where t.platform_template_id is distinct from excluded.platform_template_id;
  -- After the template, in the same order as a sync, or the two would deadlock.
  delete from outbound.template_submissions as s where s.company_id = p_company_id and s.id = p_id;
  select t.id, t.name, t.updated_at into v_template
  from jsonb_to_record(p_template) as n(waba_id text, name text, language text)
  join outbound.templates as t on t.company_id = p_company_id and t.waba_id = n.waba_id and t.name = n.name
    and t.language = n.language;
  template_id := v_template.id;
  version := v_template.updated_at::text;
  answer := outbound.template_answer(v_template.id, v_template.name, coalesce(v_started, now()));
  perform outbound.store_idempotent_response(p_company_id, nullif(p_idempotency, 'null'), answer);
  return next;
end
$$;
revoke execute on function outbound.finish_template_submission from public;

-- 40_templates/lease_template_submission.sql

-- Extends the lease of a submission; p_lease_s 0 ends it. Changes nothing once another request took it over.
create function outbound.lease_template_submission(p_company_id uuid, p_id uuid, p_lease_s int)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.template_submissions as s set lease_until = now() + make_interval(secs => p_lease_s)
  where s.company_id = p_company_id and s.id = p_id
$$;
revoke execute on function outbound.lease_template_submission from public;

-- 40_templates/merge_listing.sql

-- Merges one template of a platform listing into ours; ignored when a newer report came after p_listed_at. The
-- platform gives reasons for rejections only, so our reason stays as long as the state does.
create function outbound.merge_listing(p_ours outbound.templates, p_theirs outbound.templates, p_listed_at timestamptz)
returns table (category text, status text, rejected_reason text, quality text)
language sql immutable security invoker set search_path = ''
as $$
  select case when l.is_newer then p_theirs.category else p_ours.category end,
    case when l.is_newer then p_theirs.status else p_ours.status end,
    case
      when not l.is_newer then p_ours.rejected_reason
      when p_theirs.status = 'approved' then null
      else coalesce(p_theirs.rejected_reason,
        case when p_ours.status = p_theirs.status then p_ours.rejected_reason end)
    end,
    case when l.is_newer then coalesce(p_theirs.quality, p_ours.quality) else p_ours.quality end
  from (select p_ours.reported_at <= p_listed_at as is_newer) as l
$$;
revoke execute on function outbound.merge_listing from public;

-- 40_templates/request_template_sync.sql

-- Requests a sync of the templates of a sender's account.
create function outbound.request_template_sync(p_company_id uuid, p_sender_id uuid)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  update outbound.senders as s set template_sync_requested = true
  where s.company_id = p_company_id and s.id = p_sender_id and not s.template_sync_requested;
end
$$;
revoke execute on function outbound.request_template_sync from public;

-- 40_templates/set_template_status.sql

-- Sets the state of our copy of a template for an operator, until the platform reports the next one.
create function outbound.set_template_status(p_company_id uuid, p_template_id uuid, p_status text)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.templates as t
  set status = p_status, status_at = now(), reported_at = now(), updated_at = now(),
    rejected_reason = case when p_status in ('rejected', 'disabled') then t.rejected_reason end
  where t.company_id = p_company_id and t.id = p_template_id
$$;
revoke execute on function outbound.set_template_status from public;

-- 40_templates/settle_template_submissions.sql

-- Deletes submissions that no process works on, once all templates of the account were listed since p_listed_at and
-- written: either the platform has the template, and so do we, or it never got it. A submission with an idempotency
-- key stays for that key's day.
create function outbound.settle_template_submissions(p_company_id uuid, p_waba_id text, p_listed_at timestamptz)
returns void
language sql security invoker set search_path = ''
as $$
  delete from outbound.template_submissions as s
  where s.company_id = p_company_id and s.waba_id = p_waba_id and s.lease_until <= p_listed_at
    and (s.idempotency_key is null or s.started_at < p_listed_at - interval '24 hours')
$$;
revoke execute on function outbound.settle_template_submissions from public;

-- 40_templates/settle_templates.sql

-- Holds or releases the campaigns of one template whose state changed, as its state requires now; looks at p_limit. Returns
-- whether there was anything to do: call it until it returns false. Passes by a template that another transaction has
-- locked.
create function outbound.settle_templates(p_limit int default 500)
returns boolean
language plpgsql security invoker set search_path = ''
as $$
declare
  v_template outbound.templates;
  v_campaigns uuid[];
begin
  select t.* into v_template from outbound.templates as t
  where t.unsettled order by t.company_id, t.id limit 1 for no key update skip locked;
  if not found then
    return false;
  end if;
  if v_template.status = 'approved' then
    v_campaigns := array(
      select g.id from outbound.campaigns as g
      where g.company_id = v_template.company_id and g.template_id = v_template.id and g.held_reason is not null
      limit p_limit
    );
    perform outbound.release_campaigns(v_template.company_id, v_campaigns);
  else
    v_campaigns := outbound.open_campaigns(v_template.company_id, v_template.settled_to, p_limit);
    perform outbound.hold_campaigns(v_template.company_id, array(
      select g.id from outbound.campaigns as g
      where g.company_id = v_template.company_id and g.id = any (v_campaigns) and g.template_id = v_template.id
        and g.held_reason is null
    ), outbound.hold_reason(v_template));
  end if;
  update outbound.templates as t
  set unsettled = cardinality(v_campaigns) = p_limit,
    settled_to = case when cardinality(v_campaigns) = p_limit and t.status <> 'approved' then v_campaigns[p_limit] end
  where t.company_id = v_template.company_id and t.id = v_template.id;
  return true;
end
$$;
revoke execute on function outbound.settle_templates from public;

-- 40_templates/stop_template.sql

-- Disables a template after the platform refused a message because of the template itself, in an attempt that began at
-- p_at; not if it was approved since. The platform's own event, with its time, may still arrive, so this sets no
-- status_at. settle_templates then holds its campaigns.
create function outbound.stop_template(
  p_company_id uuid, p_template_id uuid, p_reason text, p_at timestamptz default clock_timestamp()
)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.templates as t
  set status = 'disabled', rejected_reason = p_reason, refused_at = p_at, reported_at = now(), updated_at = now()
  where t.company_id = p_company_id and t.id = p_template_id and t.status = 'approved' and t.status_at <= p_at
$$;
revoke execute on function outbound.stop_template from public;

-- 40_templates/sync_templates.sql

-- Brings our copy of an account's templates in line with p_templates, the complete list that the platform gave:
-- [{platform_template_id, name, language, category, status, rejected_reason, quality, parameter_format, components},
-- …]. A template that the platform no longer lists becomes disabled. p_listed_at is when the platform began to list: a
-- template made since is left alone, as are the state, category and quality of one that was reported since. Returns
-- how many rows were written.
create function outbound.sync_templates(
  p_company_id uuid, p_waba_id text, p_templates jsonb, p_listed_at timestamptz default now()
)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_written int;
  v_gone int;
begin
  perform pg_advisory_xact_lock(outbound.template_lock());

  insert into outbound.templates as t (
    company_id, waba_id, platform_template_id, name, language, category, status, rejected_reason, quality,
    parameter_format, components
  )
  select distinct on (p.name, p.language) p_company_id, p_waba_id, p.platform_template_id, p.name, p.language,
    p.category, p.status, p.rejected_reason, p.quality, p.parameter_format, p.components
  from jsonb_to_recordset(p_templates) as p(
    platform_template_id text, name text, language text, category text, status text, rejected_reason text,
    quality text, parameter_format text, components jsonb
  )
  order by p.name, p.language
  on conflict on constraint templates_name_key do update
    set (platform_template_id, parameter_format, components, updated_at)
      = (excluded.platform_template_id, excluded.parameter_format, excluded.components, now()),
      (category, status, rejected_reason, quality)
      = (
        select l.category, l.status, l.rejected_reason, l.quality
        from outbound.merge_listing(t, excluded, p_listed_at) as l
      ),
      -- The platform's clock may differ from ours: an event from about the same time still counts.
      status_at = case when t.status <> excluded.status and t.reported_at <= p_listed_at
        then p_listed_at - interval '10 seconds' else t.status_at end
    where (t.platform_template_id, t.parameter_format, t.components)
      is distinct from (excluded.platform_template_id, excluded.parameter_format, excluded.components)
      or (t.category, t.status, t.rejected_reason, t.quality) is distinct from
        (
          select (l.category, l.status, l.rejected_reason, l.quality)
          from outbound.merge_listing(t, excluded, p_listed_at) as l
        );
  get diagnostics v_written = row_count;

  update outbound.templates as t
  set status = 'disabled', rejected_reason = 'No longer on the platform', updated_at = now(),
    status_at = p_listed_at - interval '10 seconds'
  where t.company_id = p_company_id and t.waba_id = p_waba_id and t.status <> 'disabled'
    and t.created_at <= p_listed_at and t.reported_at <= p_listed_at
    -- A hashed subplan, whatever the planner expects. An anti-join may compare each of 6,000 with every other.
    and (t.name, t.language) not in (
      select p.name, p.language from jsonb_to_recordset(p_templates) as p(name text, language text)
      where p.name is not null and p.language is not null
    );
  get diagnostics v_gone = row_count;
  return v_written + v_gone;
end
$$;
revoke execute on function outbound.sync_templates from public;

-- 40_templates/take_accounts_to_sync.sql

-- Hands out up to p_limit business accounts whose templates have not been read for an hour, or for a minute after a
-- sync was requested. Each goes to one caller only, with a token that opens it: of a sender that works, if there is
-- any.
create function outbound.take_accounts_to_sync(p_limit int)
returns table (company_id uuid, waba_id text, sender_id uuid, token_sealed text)
language sql security invoker set search_path = ''
as $$
  with due as (
    select s.company_id, s.id from outbound.senders as s
    where s.channel = 'whatsapp' and s.token_sealed is not null
      and (
        coalesce(s.template_sync_taken_at, s.created_at) <= now() - interval '1 hour'
        or s.template_sync_requested and coalesce(s.template_sync_taken_at, '-infinity') <= now() - interval '1 minute'
      )
    order by s.id limit p_limit for no key update skip locked
  ),
  taken as (
    update outbound.senders as s set template_sync_taken_at = now(), template_sync_requested = false
    from due where s.company_id = due.company_id and s.id = due.id
    returning s.company_id, s.waba_id, s.id, s.token_sealed, s.status, s.created_at
  )
  select distinct on (t.company_id, t.waba_id) t.company_id, t.waba_id, t.id, t.token_sealed
  from taken as t
  order by t.company_id, t.waba_id, t.status = 'stopped', t.created_at
$$;
revoke execute on function outbound.take_accounts_to_sync from public;

-- 40_templates/template_account.sql

-- Returns what a caller may do with a business account: whether the user may act for the company (true without a user),
-- whether the account is the company's, and a token that opens it, of a sender that works if there is any.
create function outbound.template_account(p_company_id uuid, p_waba_id text, p_user_id uuid)
returns table (is_member boolean, api_access boolean, is_known boolean, sender_id uuid, token_sealed text)
language sql stable security invoker set search_path = ''
as $$
  select p_user_id is null or exists (
      select 1 from outbound.company_members as m where m.company_id = c.id and m.user_id = p_user_id and m.role <> 'viewer'
    ),
    c.api_access, s.waba_id is not null, s.id, s.token_sealed
  from outbound.companies as c
  left join lateral (
    select s.waba_id, s.id, s.token_sealed from outbound.senders as s
    where s.company_id = c.id and s.channel = 'whatsapp' and s.waba_id = p_waba_id
    order by s.token_sealed is null, s.status = 'stopped', s.created_at, s.id limit 1
  ) as s on true
  where c.id = p_company_id
$$;
revoke execute on function outbound.template_account from public;

-- 40_templates/template_answer.sql

-- Returns the response to a request that created a template, with the contract's order of fields. Its status is always
-- the first one.
create function outbound.template_answer(p_template_id uuid, p_name text, p_submitted_at timestamptz)
returns json
language sql stable security invoker set search_path = ''
as $$
  select json_build_object('success', true, 'message', 'Template submitted for review', 'template',
    json_build_object('id', p_template_id, 'name', p_name, 'status', 'pending',
      'submitted_at', to_char(p_submitted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')))
$$;
revoke execute on function outbound.template_answer from public;

-- 40_templates/template_lock.sql

-- Returns the key of the advisory lock that serialises writers of template state; two transactions that update many
-- templates would deadlock.
create function outbound.template_lock()
returns bigint
language sql immutable security invoker set search_path = ''
as $$ select hashtextextended('outbound.templates', 0) $$;
revoke execute on function outbound.template_lock from public;

-- 50_calls/defer_repeat_calls.sql

-- Returns those of the given notifications that may leave now, and defers the others: calls to a number that the same
-- campaign is calling, or called less than the company's gap ago. A refused attempt of the call itself counts too.
create function outbound.defer_repeat_calls(p_companies uuid[], p_ids uuid[])
returns table (companies uuid[], ids uuid[])
language plpgsql security invoker set search_path = ''
as $$
begin
  return query
  with locked as materialized (
    select n.company_id, n.id, n.voice, n.campaign_id, f.number, n.run_at
    from unnest(p_companies, p_ids) as chosen(company_id, id)
    cross join lateral (
      select w.* from outbound.queue as w
      where w.company_id = chosen.company_id and w.id = chosen.id
        and case when w.status = 'queued' and w.run_at <= clock_timestamp() then true end
      for update skip locked
    ) as n
    cross join lateral (
      select w.number from outbound.notification_facts as w where w.company_id = n.company_id and w.id = n.id limit 1
    ) as f
  ),
  judged as (
    select locked.company_id, locked.id, locked.voice and y.call_gap_s > 0 and (called.going_on
      or row_number() over (partition by locked.campaign_id, locked.number order by locked.run_at, locked.id) > 1
      ) as later,
      make_interval(secs => y.call_gap_s) as gap, called.at
    from locked
    join outbound.companies as y on y.id = locked.company_id
    cross join lateral (
      select coalesce(bool_or(o.status = any (outbound.ongoing_call_states())), false) as going_on,
        coalesce(max(greatest(o.claimed_at, o.delivered_at, o.failed_at)), '-infinity') as at
      from outbound.notifications as o
      where o.number = locked.number and o.campaign_id = locked.campaign_id and o.voice and o.attempt > 0
    ) as called
  ),
  deferred as (
    update outbound.queue as n
    set run_at = case when s.later then clock_timestamp() else s.at end + s.gap,
      error_code = 'call_gap', error_reason = 'The campaign called this number a moment ago'
    from judged as s
    where n.company_id = s.company_id and n.id = s.id and (s.later or s.at + s.gap > clock_timestamp())
    returning n.id
  )
  select array_agg(s.company_id), array_agg(s.id) from judged as s where s.id not in (select d.id from deferred as d);
end
$$;
revoke execute on function outbound.defer_repeat_calls from public;

-- 50_calls/fail_endless_calls.sql

-- Fails calls that were accepted longer than p_after ago and never reported as over, so that their lines are free
-- again. Returns how many.
create function outbound.fail_endless_calls(p_limit int, p_after interval)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_moves jsonb;
  v_count int;
  v_companies uuid[];
  v_senders uuid[];
begin
  with endless as (
    select n.company_id, n.id from outbound.notification_facts as n
    where n.on_call and n.sent_at <= now() - p_after
    order by n.id limit p_limit for update skip locked
  ),
  ended as (
    update outbound.notification_facts as n
    set status = 'failed', failed_at = now(), error_code = 'outcome_unknown',
      error_reason = 'The platform took the call and never said how it ended'
    from endless where n.company_id = endless.company_id and n.id = endless.id
    returning n.company_id, n.campaign_id, n.sender_id
  )
  select count(*), jsonb_agg(jsonb_build_object(
      'company_id', e.company_id, 'campaign_id', e.campaign_id, 'sent', -1, 'failed', 1)),
    array_agg(e.company_id), array_agg(e.sender_id)
  into v_count, v_moves, v_companies, v_senders from ended as e;
  if v_moves is not null then
    perform outbound.move_campaign_counters(v_moves);
    perform outbound.schedule_senders(v_companies, v_senders, true);
  end if;
  return v_count;
end
$$;
revoke execute on function outbound.fail_endless_calls from public;

-- 50_calls/list_calls.sql

-- Returns the ids of a company's calls, newest first: a page of p_limit after the call p_after, or the first one. Reads
-- the index in its order, however old the statistics are: without them, sorting all calls looks as cheap.
create function outbound.list_calls(p_company_id uuid, p_after uuid, p_limit int)
returns setof uuid
language sql stable security invoker set search_path = ''
-- A page: by the company's index in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
  select k.notification_id from outbound.calls as k
  where k.company_id = p_company_id
    and k.notification_id < coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  order by k.notification_id desc limit p_limit
$$;
revoke execute on function outbound.list_calls from public;

-- 50_calls/open_calls.sql

-- Records that the calls among the notifications that p_worker has just leased are about to be made.
create function outbound.open_calls(p_worker text, p_companies uuid[], p_ids uuid[])
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.calls as k (company_id, notification_id, started_at, check_at)
  select n.company_id, n.id, n.claimed_at, n.claimed_at
  from unnest(p_companies, p_ids) as opened(company_id, id)
  cross join lateral (
    select w.company_id, w.id, w.claimed_at from outbound.queue as w
    where w.company_id = opened.company_id and w.id = opened.id and w.voice
      and w.status = 'sending' and w.worker = p_worker
  ) as n
  order by n.id
  on conflict on constraint calls_pkey do update
    set started_at = excluded.started_at, check_at = excluded.check_at, checks = 0
$$;
revoke execute on function outbound.open_calls from public;

-- 50_calls/record_calls.sql

-- Ranks how a call went. Of two reports the lower one says more and is kept, whichever comes first: a call that a
-- machine took was also answered, and an answered call did not fail.
create function outbound.outcome_rank(p_outcome text)
returns int
language sql immutable security invoker set search_path = ''
as $$
  select case when p_outcome is null then 4
    when p_outcome = 'voicemail' then 1 when p_outcome = 'answered' then 2 else 3 end
$$;
revoke execute on function outbound.outcome_rank from public;

-- Records how calls went, from the given platform events about the given notifications, event by event. The caller has
-- locked the notifications. What was said in a call is not stored if the recipient was erased.
create function outbound.record_calls(p_events bigint[], p_companies uuid[], p_notifications uuid[])
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.calls as k (
    company_id, notification_id, conversation_id, outcome, duration_s, summary, transcript, started_at, ended_at
  )
  select n.company_id, n.id, max(e.platform_message_id),
    (array_agg(d.outcome order by outbound.outcome_rank(d.outcome)))[1], max(d.duration_s),
    (array_agg(d.summary) filter (where d.summary is not null))[1],
    (array_agg(d.transcript) filter (where d.transcript is not null))[1],
    now(), min(d.ended_at)
  from unnest(p_events, p_companies, p_notifications) as named(event_id, company_id, notification_id)
  join outbound.notification_facts as n on n.company_id = named.company_id and n.id = named.notification_id and n.voice
  join outbound.platform_events as e on e.id = named.event_id
  cross join lateral jsonb_to_record(
    coalesce(nullif(e.call::text, 'null')::jsonb, '{}')
      - case when num_nonnulls(n.number, n.user_id) = 0 then '{summary,transcript}' else '{}' end::text[]
  ) as d(
    outcome text, duration_s int, summary text, transcript jsonb, ended_at timestamptz
  )
  group by n.company_id, n.id
  order by n.id
  on conflict on constraint calls_pkey do update
    set conversation_id = coalesce(k.conversation_id, excluded.conversation_id),
      outcome = case when outbound.outcome_rank(excluded.outcome) < outbound.outcome_rank(k.outcome)
        then excluded.outcome else k.outcome end,
      duration_s = coalesce(excluded.duration_s, k.duration_s),
      summary = coalesce(excluded.summary, k.summary),
      transcript = coalesce(excluded.transcript, k.transcript),
      ended_at = coalesce(k.ended_at, excluded.ended_at)
$$;
revoke execute on function outbound.record_calls from public;

-- 50_calls/retry_events_of_calls.sql

-- Makes events about these conversations due again now. A failed call start is reported without our reference,
-- possibly before we store the conversation id. An event that is locked is being applied by a transaction that may
-- wait for the notifications of this one, so it is passed by.
create function outbound.retry_events_of_calls(p_conversations text[])
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.platform_events as e set apply_at = now()
  from (
    select w.id from outbound.platform_events as w
    where w.applied_at is null and w.dedupe_key = any (array(
      select 'voice:' || c.id || ':call_initiation_failure' from unnest(p_conversations) as c(id)
    ))
    for no key update skip locked
  ) as waiting
  where e.id = waiting.id
$$;
revoke execute on function outbound.retry_events_of_calls from public;

-- 50_calls/take_calls_to_check.sql

-- Hands out up to p_limit calls whose end was not reported, each to one caller: after p_after, then after two, four …
-- fifteen times as long. Calls that may never have been made are handed out every 15 seconds at most, again and again.
-- Calls that are over leave the list here.
create function outbound.take_calls_to_check(p_limit int, p_after interval)
returns table (company_id uuid, id uuid, fence int, conversation_id text, sender_id uuid, token_sealed text)
-- Without statistics all calls ever made would be read for the few that are to be checked.
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_companies uuid[];
  v_ids uuid[];
begin
  select array_agg(due.company_id), array_agg(due.notification_id) into v_companies, v_ids
  from (
    select k.company_id, k.notification_id
    from outbound.calls as k
    cross join lateral (
      select w.status from outbound.notifications as w
      where w.company_id = k.company_id and w.id = k.notification_id
    ) as n
    where k.check_at <= now() - least(p_after, interval '15 seconds')
      and n.status <> 'sending' and (n.status <> 'sent' or k.check_at <= now() - p_after)
    order by k.check_at limit p_limit for update of k skip locked
  ) as due;

  return query
  with going_on as (
    select n.company_id, n.id, n.fence, n.status, n.platform_message_id, n.sender_id, s.token_sealed
    from unnest(v_companies, v_ids) as due(company_id, id)
    cross join lateral (
      select w.* from outbound.notifications as w where w.company_id = due.company_id and w.id = due.id
    ) as n
    join outbound.senders as s on s.company_id = n.company_id and s.id = n.sender_id
  ),
  taken as (
    update outbound.calls as k
    set checks = k.checks + 1,
      check_at = case g.status when 'unconfirmed' then now()
        when 'sent' then now() + p_after * (least(power(2, least(k.checks, 10)), 15) - 1) end
    from going_on as g
    where k.company_id = g.company_id and k.notification_id = g.id
  )
  select g.company_id, g.id, g.fence, g.platform_message_id, g.sender_id, g.token_sealed
  from going_on as g where g.status in ('unconfirmed', 'sent');
end
$$;
revoke execute on function outbound.take_calls_to_check from public;

-- 60_events/apply_account_events.sql

-- Applies up to p_limit stored events about accounts to their senders, and ends restrictions whose time is over. By
-- the platform's times: an event from before the last known change of its kind, or from before an operator resumed the
-- sender, changes nothing.
--   disabled: locks the sender, whatever it was stopped for.
--   restricted: stops an active sender, until the restriction ends or is lifted. Lifts no lock.
--   active: releases a sender that an event of the account or a lock has stopped, not
--     one that was stopped for anything else, such as its token.
-- Of several events the last one counts, but a restriction does not hide that the account was disabled just before.
-- Returns how many events were applied; 0 also when another transaction applies them.
create function outbound.apply_account_events(p_limit int default 1000)
returns int
language plpgsql security invoker set search_path = ''
-- By indexes, also when the tables were empty when statistics were last taken.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_events bigint[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('outbound.account_events', 0)) then
    return 0;
  end if;
  v_events := array(
    select e.id from outbound.account_events as e
    where e.applied_at is null order by e.occurred_at, e.id limit p_limit
  );
  if cardinality(v_events) = 0 and not exists (select from outbound.senders as s where s.stopped_until <= now()) then
    return 0;
  end if;

  -- Lock all senders at once, in their order: the update locks their turns, and no sender may be locked after those.
  perform from (
    select named.company_id, named.id from (
      select s.company_id, s.id from outbound.account_events as e
      join outbound.senders as s on s.waba_id = e.waba_id and (e.number is null or e.number = s.number)
      where e.id = any (v_events)
      union
      select s.company_id, s.id from outbound.senders as s where s.stopped_until <= now()
    ) as named
    order by named.id
  ) as named
  cross join lateral (
    select from outbound.senders as s where s.company_id = named.company_id and s.id = named.id for no key update
  ) as locked;

  with event as materialized (
    select s.company_id, s.id as sender_id, e.id, e.status, e.reason, e.until, e.messaging_limit, e.quality, e.notice,
      e.occurred_at, e.status is not null and e.occurred_at >= s.account_status_at as says_status,
      e.messaging_limit is not null and e.occurred_at >= s.messaging_limit_at as says_limit,
      e.quality is not null and e.occurred_at >= s.quality_at as says_quality,
      e.notice is not null and e.occurred_at >= s.platform_notice_at as says_notice,
      e.status = 'active' and e.occurred_at >= s.account_status_at
        and (s.stopped_by_account or s.stopped_at <= e.occurred_at) as lifts
    from outbound.account_events as e
    join outbound.senders as s on s.waba_id = e.waba_id and (e.number is null or e.number = s.number)
    where e.id = any (v_events)
  ),
  verdict as (
    select distinct on (e.company_id, e.sender_id) e.company_id, e.sender_id, e.status, e.reason, e.until, e.occurred_at
    from event as e
    where e.says_status and (e.status <> 'restricted' or coalesce(e.until > now(), true)) and not exists (
      select from event as l
      where l.company_id = e.company_id and l.sender_id = e.sender_id and l.says_status and l.status = 'active'
        and (l.occurred_at, l.id) > (e.occurred_at, e.id)
    )
    order by e.company_id, e.sender_id, e.status = 'disabled' desc, e.occurred_at desc, e.id desc
  ),
  reported as (
    select e.company_id, e.sender_id, bool_or(e.lifts) as lifted,
      max(e.occurred_at) filter (where e.says_status) as status_at,
      (array_agg(e.messaging_limit order by e.occurred_at desc, e.id desc) filter (where e.says_limit))[1]
        as messaging_limit,
      max(e.occurred_at) filter (where e.says_limit) as messaging_limit_at,
      (array_agg(e.quality order by e.occurred_at desc, e.id desc) filter (where e.says_quality))[1] as quality,
      max(e.occurred_at) filter (where e.says_quality) as quality_at,
      (array_agg(e.notice order by e.occurred_at desc, e.id desc) filter (where e.says_notice))[1] as notice,
      max(e.occurred_at) filter (where e.says_notice) as notice_at
    from event as e group by e.company_id, e.sender_id
  ),
  change as (
    select s.company_id, s.id, v.reason, v.until, reported.status_at, reported.messaging_limit, reported.messaging_limit_at,
      reported.quality, reported.quality_at, reported.notice, reported.notice_at,
      case
        when v.status = 'disabled' then 'lock'
        when v.status = 'restricted' and (s.status = 'active' or released.is_free) then 'stop'
        when v.status = 'restricted' and s.stopped_by_account and not s.locked then 'stop'
        when released.is_free or s.stopped_until <= now() then 'release'
        else 'none'
      end as does
    from outbound.senders as s
    left join reported on reported.company_id = s.company_id and reported.sender_id = s.id
    left join verdict as v on v.company_id = s.company_id and v.sender_id = s.id
    cross join lateral (
      select coalesce(reported.lifted, false) and (s.stopped_by_account or s.locked) as is_free
    ) as released
    where reported.sender_id is not null or s.stopped_until <= now()
  )
  update outbound.senders as s
  set status = case c.does when 'none' then s.status when 'release' then 'active' else 'stopped' end,
    stopped_reason = case c.does when 'none' then s.stopped_reason when 'release' then null else c.reason end,
    stopped_code = case c.does when 'none' then s.stopped_code end,
    stopped_at = case c.does when 'none' then s.stopped_at when 'release' then null else now() end,
    locked = case c.does when 'none' then s.locked else c.does = 'lock' end,
    stopped_by_account = case c.does when 'none' then s.stopped_by_account else c.does in ('lock', 'stop') end,
    stopped_until = case c.does when 'none' then s.stopped_until when 'stop' then c.until end,
    account_status_at = coalesce(c.status_at, s.account_status_at),
    messaging_limit = coalesce(c.messaging_limit, s.messaging_limit),
    messaging_limit_at = coalesce(c.messaging_limit_at, s.messaging_limit_at),
    quality = coalesce(c.quality, s.quality),
    quality_at = coalesce(c.quality_at, s.quality_at),
    platform_notice = coalesce(c.notice, s.platform_notice),
    platform_notice_at = coalesce(c.notice_at, s.platform_notice_at)
  from change as c
  where s.company_id = c.company_id and s.id = c.id;

  update outbound.account_events as e set applied_at = now() where e.id = any (v_events);
  return cardinality(v_events);
end
$$;
revoke execute on function outbound.apply_account_events from public;

-- 60_events/apply_platform_events.sql

-- Joins up to p_limit waiting events to their notifications, by our reference or else by the platform's message id,
-- and moves each notification once:
--   read, delivered: state only moves forward; they overrule everything.
--   sent: settles sending and unconfirmed, cancels a second try that has not left, and overrules a cancellation and
--     our own outcome_unknown and expired; not when the same message is known to have failed.
--   failed, for the very message that counts as sent: it failed after all, unless another try was sent as well.
--   failed for good, before anything was sent: failed. A notification that failed as outcome_unknown gets its real
--     reason.
--   failed for now: an unconfirmed notification is queued again; a try under way gets its own response.
-- A notification that was never tried cannot have left: nothing moves it. A failure of a cancelled notification
-- changes nothing.
--
-- A failure counts only for the try that its reference names. A failure of an earlier try says nothing about the
-- present one and is only recorded in delivery_attempts. A receipt (sent, delivered, read) counts whichever try it is
-- of. A failure whose reference names no try counts for the present one.
--
-- The platform's message id contains the number. If the recipient was erased, it is not stored, and only the references
-- say which try an event is about.
--
-- An event that matches nothing belongs to another system, or to a message whose id is not stored yet. With a
-- reference of ours it is the former, because a notification is stored before it is sent: it is deleted and counted at
-- once. An event without a reference waits for 15 minutes: a send times out within seconds, its result is stored right
-- after, and a dispatcher that the database refuses retries. Returns how many events were handled.
--
-- The first receipt with a price counts the message in campaign_pricing, whichever receipt it is.
create function outbound.apply_platform_events(p_limit int default 1000)
returns int
language plpgsql security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_events bigint[];
  v_calls bigint[];
  -- The notification of each event in v_events; null where there is none.
  v_companies uuid[];
  v_ids uuid[];
  v_foreign bigint[];
  v_settled bigint[];
  v_moved record;
begin
  select array_agg(waiting.id), array_agg(waiting.id) filter (where waiting.channel = 'voice') into v_events, v_calls
  from (
    select e.id, e.channel from outbound.platform_events as e
    where e.applied_at is null and e.apply_at <= now()
    order by e.apply_at, e.id limit p_limit for update skip locked
  ) as waiting;
  if v_events is null then
    return 0;
  end if;

  -- Find the notification of each event.
  select array_agg(e.id), array_agg(coalesce(by_reference.company_id, by_message.company_id)),
    array_agg(coalesce(by_reference.id, by_message.id))
  into v_events, v_companies, v_ids
  from outbound.platform_events as e
  left join outbound.notification_facts as by_reference
    on by_reference.company_id = e.company_id and by_reference.id = e.notification_id
  -- Lateral: one look-up per event. As a join it becomes, without statistics, a scan of everything ever sent.
  left join lateral (
    select n.company_id, n.id from outbound.notification_facts as n
    where by_reference.id is null and n.platform_message_id = e.platform_message_id
    limit 1
  ) as by_message on true
  where e.id = any (v_events);

  v_foreign := array(
    select e.id from unnest(v_events, v_ids) as named(event_id, notification_id)
    join outbound.platform_events as e on e.id = named.event_id
    where named.notification_id is null
      and (e.company_id is not null or e.received_at < now() - interval '15 minutes')
  );

  -- At once, before anything else: calls are locked after their notifications, as everywhere.
  perform outbound.lock_notifications(v_companies, v_ids);
  -- Before notifications move, so that the events about them can say how their calls went.
  if v_calls is not null then
    perform outbound.record_calls(v_events, v_companies, v_ids);
  end if;
  v_moved := outbound.move_by_events(v_events, v_companies, v_ids);
  perform outbound.record_event_attempts(v_events, v_companies, v_ids);
  if v_moved.moves is not null then
    perform outbound.move_campaign_counters(v_moved.moves);
  end if;
  if v_moved.prices is not null then
    perform outbound.count_pricing(v_moved.prices);
  end if;
  if v_moved.requeued is not null then
    perform outbound.stop_requeued(v_moved.requeued_companies, v_moved.requeued);
  end if;
  v_settled := outbound.settled_events(v_events, v_companies, v_ids);
  perform outbound.learn_from_failures(v_events, v_companies, v_ids, v_settled);
  -- A call that is over frees its line.
  if v_moved.planned_senders is not null then
    perform outbound.schedule_senders(v_moved.planned_companies, v_moved.planned_senders, true);
  end if;
  perform outbound.settle_platform_events(v_events, v_settled, v_foreign);
  perform outbound.count_foreign_events('unknown_message', cardinality(v_foreign));
  return cardinality(v_events);
end
$$;
revoke execute on function outbound.apply_platform_events from public;

-- 60_events/apply_preferences.sql

-- Does what people chose in the platform's own settings about marketing, for every company that holds the number:
-- stop suppresses it on WhatsApp, resume lifts what the platform suppressed, signup does the same and is a consent.
-- Only the platform's own suppressions are lifted. Of several choices of a person the latest counts, in whatever order
-- they arrive. p_preferences: [{waba_id, phone_number_id, number, user_id, value,
-- detail, at}, …]. Returns how many were about numbers of ours.
create function outbound.apply_preferences(p_preferences json)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_preference record;
  v_count int := 0;
begin
  perform outbound.record_account_events(
    array(select distinct p ->> 'waba_id' from json_array_elements(p_preferences) as p));
  for v_preference in
    select p.number, p.user_id, p.value, p.detail, s.company_id, least(p.at, now()) as said_at
    from json_to_recordset(p_preferences) as p(
      phone_number_id text, number text, user_id text, value text, detail text, at timestamptz
    )
    cross join lateral (
      select distinct s.company_id from outbound.senders as s
      where s.channel = 'whatsapp' and s.platform_id = p.phone_number_id
    ) as s
    order by s.company_id, outbound.addresses_of(s.company_id, p.number, p.user_id), p.at
  loop
    v_count := v_count + 1;
    if v_preference.user_id is not null then
      perform outbound.link_user_id(
        v_preference.company_id, v_preference.user_id, v_preference.number, null, v_preference.said_at);
    end if;
    if v_preference.value = 'stop' then
      perform outbound.suppress_by_platform(
        v_preference.company_id, v_preference.number, v_preference.user_id, v_preference.said_at,
        jsonb_build_object('detail', v_preference.detail));
    else
      perform outbound.allow_by_platform(
        v_preference.company_id, v_preference.number, v_preference.user_id, v_preference.said_at,
        jsonb_build_object('detail', v_preference.detail, 'at', v_preference.said_at));
    end if;
    if v_preference.value = 'signup' then
      perform outbound.record_consents(v_preference.company_id, jsonb_build_array(jsonb_build_object(
        'number', v_preference.number, 'user_id', v_preference.user_id, 'channel', 'whatsapp',
        'category', 'marketing', 'status', 'granted', 'method', 'in_app_signup', 'detail', v_preference.detail,
        'consented_at', v_preference.said_at, 'source', 'platform'
      )));
    end if;
  end loop;
  perform outbound.count_foreign_events('unknown_sender', (
    select count(*) from json_to_recordset(p_preferences) as p(phone_number_id text)
    where not exists (
      select from outbound.senders as s where s.channel = 'whatsapp' and s.platform_id = p.phone_number_id
    )
  ));
  return v_count;
end
$$;
revoke execute on function outbound.apply_preferences from public;

-- 60_events/apply_receipts.sql

-- Applies at once, without storing them, the receipts among p_events that only carry a message on: it is known to be
-- sent, by the very try and under the very id that the receipt names, and its row can be locked at once. Most
-- receipts are of that kind; a receipt that says no more than the message's row counts as applied too. p_events is that
-- of store_platform_events. Returns the numbers, from 1, of the events that need not be stored.
--
-- Leaves everything to apply_platform_events while messages are being dropped (record_drops): each receipt counts
-- there. The first receipt with a price counts the message in campaign_pricing, whichever receipt it is.
create function outbound.apply_receipts(p_events jsonb)
returns int[]
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per receipt.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
-- A campaign that is being cancelled is locked for long; the platform wants its response.
set lock_timeout = '250ms'
as $$
declare
  v_applied int[];
  v_moves jsonb;
  v_prices jsonb;
begin
  if exists (select from outbound.drop_bursts as b where b.began_at > now() - interval '1 minute') then
    return '{}'::int[];
  end if;

  with receipt as materialized (
    select e.ord::int, e.company_id, e.notification_id, e.fence, e.platform_message_id, e.status, e.occurred_at,
      e.pricing,
      case e.status when 'sent' then n.held_for_quality is null when 'delivered' then n.status in ('delivered', 'read')
        else n.status = 'read' end and (e.pricing is null or n.is_priced) as is_known
    from rows from (jsonb_to_recordset(p_events) as (
      channel text, company_id uuid, notification_id uuid, fence int, platform_message_id text, status text,
      occurred_at timestamptz, pricing jsonb
    )) with ordinality as e(
      channel, company_id, notification_id, fence, platform_message_id, status, occurred_at, pricing, ord
    )
    cross join lateral (
      select w.status, w.held_for_quality, w.is_priced from outbound.notification_facts as w
      where w.company_id = e.company_id and w.id = e.notification_id and w.fence = e.fence
        and w.platform_message_id = e.platform_message_id and w.status in ('sent', 'delivered', 'read') limit 1
    ) as n
    where e.channel = 'whatsapp' and e.status in ('sent', 'delivered', 'read')
  ),
  fact as materialized (
    select r.company_id, r.notification_id, r.fence, r.platform_message_id, array_agg(r.ord) as ords,
      min(r.occurred_at) filter (where r.status in ('delivered', 'read')) as delivered_at,
      min(r.occurred_at) filter (where r.status = 'read') as read_at,
      (array_agg(r.pricing) filter (where r.pricing is not null))[1] as pricing
    from receipt as r where not r.is_known
    group by r.company_id, r.notification_id, r.fence, r.platform_message_id order by r.notification_id
  ),
  -- With what carries it on: joining the two again would compare each message with every other one.
  locked as materialized (
    select n.*, f.ords, f.delivered_at, f.read_at, case when not n.is_priced then f.pricing end as pricing,
      case when n.was = 'read' or f.read_at is not null then 'read'
        when n.was = 'delivered' or f.delivered_at is not null then 'delivered' else 'sent' end as becomes
    from fact as f
    cross join lateral (
      select w.company_id, w.id, w.status as was, w.is_priced from outbound.notification_facts as w
      where w.company_id = f.company_id and w.id = f.notification_id and w.fence = f.fence
        and w.platform_message_id = f.platform_message_id and w.status in ('sent', 'delivered', 'read')
      for update skip locked
    ) as n
  ),
  moved as (
    update outbound.notification_facts as n
    set status = locked.becomes, held_for_quality = null, error_code = null, error_reason = null,
      delivered_at = case when locked.becomes in ('delivered', 'read')
        then coalesce(n.delivered_at, locked.delivered_at) end,
      read_at = case when locked.becomes = 'read' then coalesce(n.read_at, locked.read_at) end,
      is_priced = n.is_priced or locked.pricing is not null
    from locked
    where n.company_id = locked.company_id and n.id = locked.id
      and (locked.was <> locked.becomes or locked.pricing is not null or n.held_for_quality)
    returning n.company_id, n.campaign_id, locked.was, locked.becomes, locked.pricing
  )
  select
    (
      select array_agg(done.ord) from (
        select r.ord from receipt as r where r.is_known union all select unnest(l.ords) from locked as l
      ) as done
    ),
    (
      select jsonb_agg(to_jsonb(move)) from (
        select m.company_id, m.campaign_id,
          sum((m.was = 'sent' and m.becomes <> 'sent')::int) as delivered,
          sum((m.was <> 'read' and m.becomes = 'read')::int) as read
        from moved as m where m.was <> m.becomes group by m.company_id, m.campaign_id
      ) as move
    ),
    (
      select jsonb_agg(to_jsonb(price)) from (
        select m.company_id, m.campaign_id, m.pricing, count(*) as messages
        from moved as m where m.pricing is not null group by m.company_id, m.campaign_id, m.pricing
      ) as price
    )
  into v_applied, v_moves, v_prices;

  if v_moves is not null then
    perform outbound.move_campaign_counters(v_moves);
  end if;
  if v_prices is not null then
    perform outbound.count_pricing(v_prices);
  end if;
  return coalesce(v_applied, '{}'::int[]);
end
$$;
revoke execute on function outbound.apply_receipts from public;

-- 60_events/apply_template_events.sql

-- Applies up to p_limit stored events in the order they happened, matched by account, name and language (written en-US
-- or en_US), or by id. An event from before the last known change of the same kind is out of date, and so is an
-- approval from before a refused message; any other state explains that refusal. An event about an unknown template,
-- or about a template's parts, requests a sync of the account. Returns how many events were applied; 0 also when
-- another transaction applies them.
create function outbound.apply_template_events(p_limit int default 1000)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_event outbound.template_events;
  v_templates outbound.templates[];
  v_count int := 0;
begin
  if not pg_try_advisory_xact_lock(outbound.template_lock()) then
    return 0;
  end if;
  for v_event in
    select e.* from outbound.template_events as e
    where e.applied_at is null order by e.occurred_at, e.id limit p_limit
  loop
    v_templates := array(
      select o from outbound.templates as o
      where o.waba_id = v_event.waba_id and o.name = v_event.name
        and replace(o.language, '-', '_') = replace(v_event.language, '-', '_')
      order by o.company_id, o.id for no key update
    );
    -- A separate query, because it reads all templates of the account.
    if cardinality(v_templates) = 0 then
      v_templates := array(
        select o from outbound.templates as o
        where o.waba_id = v_event.waba_id and o.platform_template_id = v_event.platform_template_id
        order by o.company_id, o.id for no key update
      );
    end if;
    update outbound.templates as t
    set status = n.status, rejected_reason = n.reason, category = n.category, quality = n.quality,
      status_at = case when n.says_status then v_event.occurred_at else t.status_at end,
      category_at = case when n.says_category then v_event.occurred_at else t.category_at end,
      quality_at = case when n.says_quality then v_event.occurred_at else t.quality_at end,
      reported_at = now(),
      updated_at = case when (t.status, t.rejected_reason, t.category, t.quality)
        is distinct from (n.status, n.reason, n.category, n.quality) then now() else t.updated_at end
    from unnest(v_templates) as o
    cross join lateral (
      select o.status_at <= v_event.occurred_at and v_event.kind = 'status'
          and (v_event.status <> 'approved' or o.refused_at <= v_event.occurred_at) as says_status,
        o.category_at <= v_event.occurred_at and v_event.category is not null as says_category,
        o.quality_at <= v_event.occurred_at and v_event.kind = 'quality' as says_quality
    ) as says
    cross join lateral (
      select says.*,
        case when says.says_status then v_event.status else o.status end as status,
        case when says.says_status
          then case when v_event.status <> 'approved' then nullif(v_event.reason, 'NONE') end
          else o.rejected_reason end as reason,
        case when says.says_category then v_event.category else o.category end as category,
        case when says.says_quality then v_event.quality else o.quality end as quality
    ) as n
    where t.company_id = o.company_id and t.id = o.id;
    if v_event.kind = 'components' or cardinality(v_templates) = 0 then
      with locked as (
        select s.company_id, s.id from outbound.senders as s
        where s.waba_id = v_event.waba_id and not s.template_sync_requested order by s.id for no key update
      )
      update outbound.senders as s set template_sync_requested = true
      from locked where s.company_id = locked.company_id and s.id = locked.id;
    end if;
    update outbound.template_events as e set applied_at = now() where e.id = v_event.id;
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;
revoke execute on function outbound.apply_template_events from public;

-- 60_events/count_foreign_events.sql

-- Counts events about messages of other systems. Call it last: all callers wait here for each other.
create function outbound.count_foreign_events(p_reason text, p_events bigint)
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.foreign_events as f (day, reason, events)
  select (now() at time zone 'UTC')::date, p_reason, p_events where p_events > 0
  on conflict on constraint foreign_events_pkey do update set events = f.events + excluded.events
$$;
revoke execute on function outbound.count_foreign_events from public;

-- 60_events/event_facts.sql

-- Returns what platform events say together of each of their notifications, as next_state takes it. p_companies, p_ids:
-- the notification of each of p_events, null where there is none.
-- A failure counts only for the attempt that its reference names: of an earlier one it is in failed_before. A message
-- that is known to have failed is not reported as sent any more.
create function outbound.event_facts(p_events bigint[], p_companies uuid[], p_ids uuid[])
returns table (
  company_id uuid, notification_id uuid, sent_at timestamptz, delivered_at timestamptz, read_at timestamptz,
  failed_at timestamptz, refused_for_good boolean, refused_for_now boolean, failed_messages text[],
  failed_before text[], sent_messages text[], sent_fences int[], error_code text, reason text, received_message text,
  refused_message text, pricing jsonb
)
language plpgsql stable security invoker set search_path = ''
-- A batch: one look-up per event.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
begin
  return query
  with event as materialized (
    select e.id, e.fence, e.occurred_at, e.error_code, e.retryable, e.reason, e.platform_message_id, e.pricing,
      case
        when e.status = 'failed' and e.fence <> n.fence then 'failed_before'
        when e.status = 'sent' and (
          select f.applied_at is not null or e.fence <> n.fence from outbound.platform_events as f
          where f.dedupe_key = e.channel || ':' || e.platform_message_id || ':failed'
        ) then 'outdated'
        else e.status
      end as status,
      n.company_id, n.id as notification_id
    from unnest(p_events, p_companies, p_ids) as named(event_id, company_id, id)
    join outbound.notifications as n on n.company_id = named.company_id and n.id = named.id
    join outbound.platform_events as e on e.id = named.event_id
  )
  select e.company_id, e.notification_id,
    min(e.occurred_at) filter (where e.status in ('sent', 'delivered', 'read')) as sent_at,
    min(e.occurred_at) filter (where e.status in ('delivered', 'read')) as delivered_at,
    min(e.occurred_at) filter (where e.status = 'read') as read_at,
    min(e.occurred_at) filter (where e.status = 'failed') as failed_at,
    bool_or(e.status = 'failed' and not e.retryable) as refused_for_good,
    bool_or(e.status = 'failed' and e.retryable) as refused_for_now,
    array_agg(e.platform_message_id) filter (where e.status = 'failed') as failed_messages,
    array_agg(e.platform_message_id) filter (where e.status = 'failed_before') as failed_before,
    array_agg(e.platform_message_id) filter (where e.status = 'sent') as sent_messages,
    array_agg(e.fence) filter (where e.status = 'sent') as sent_fences,
    coalesce(max(e.error_code) filter (where e.status = 'failed'),
      max(e.error_code) filter (where e.status = 'failed_before')) as error_code,
    coalesce(max(e.reason) filter (where e.status = 'failed'),
      max(e.reason) filter (where e.status = 'failed_before')) as reason,
    max(e.platform_message_id) filter (where e.status in ('sent', 'delivered', 'read')) as received_message,
    max(e.platform_message_id) filter (where e.status = 'failed' and not e.retryable) as refused_message,
    (array_agg(e.pricing) filter (where e.pricing is not null))[1] as pricing
  from event as e
  group by e.company_id, e.notification_id;
end
$$;
revoke execute on function outbound.event_facts from public;

-- 60_events/learn_from_failures.sql

-- Learns what failures say beyond their messages: a refusal for marketing something about the person, for all later
-- messages; messages that the platform took, held and then dropped something about their template or account.
-- p_companies, p_ids: the notification of each of p_events; null where there is none. p_settled: the events that do not
-- come again: each drop counts once.
create function outbound.learn_from_failures(p_events bigint[], p_companies uuid[], p_ids uuid[], p_settled bigint[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_codes text[] := array(
    select e.error_code from unnest(p_events, p_ids) as named(event_id, id)
    join outbound.platform_events as e on e.id = named.event_id where named.id is not null and e.error_code is not null
  );
begin
  if v_codes && '{131049,131050}' then
    perform outbound.record_marketing_refusals(array_agg(named.company_id), array_agg(named.id),
      array_agg(e.error_code), array_agg(e.occurred_at))
    from unnest(p_events, p_companies, p_ids) as named(event_id, company_id, id)
    join outbound.platform_events as e on e.id = named.event_id
    where named.id is not null and e.error_code in ('131049', '131050');
  end if;
  if v_codes && '{132015,135000}' or exists (
    select from outbound.drop_bursts as b where b.began_at > now() - interval '1 minute'
  ) then
    perform outbound.record_drops(array_agg(named.event_id), array_agg(named.company_id), array_agg(named.id))
    from unnest(p_events, p_companies, p_ids) as named(event_id, company_id, id)
    where named.event_id = any (p_settled);
  end if;
end
$$;
revoke execute on function outbound.learn_from_failures from public;

-- 60_events/mark_replied.sql

-- Marks the notifications that messages reply to, and counts them in `replied` of their campaigns. A message that is
-- stored already changes nothing, because its notification was replied to. A step of store_inbound_messages, which says
-- what p_messages holds.
create function outbound.mark_replied(p_messages json)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_moves jsonb;
begin
  with reply as materialized (
    select distinct n.company_id, n.id
    from json_to_recordset(p_messages) as m(phone_number_id text, context_message_id text, kind text)
    cross join lateral (
      select s.company_id from outbound.senders as s where s.channel = 'whatsapp' and s.platform_id = m.phone_number_id
    ) as s
    cross join lateral (
      select w.company_id, w.id from outbound.notification_facts as w
      where w.platform_message_id = m.context_message_id
        -- Written so that no index on the company matches it: it would read all that the company ever sent.
        and case when w.company_id = s.company_id then true end
      limit 1
    ) as n
    where m.kind not in ('system', 'reaction')
  ),
  locked as materialized (
    select n.company_id, n.id, n.campaign_id
    from (select r.company_id, r.id from reply as r order by r.id) as r
    cross join lateral (
      select w.company_id, w.id, w.campaign_id from outbound.notification_facts as w
      where w.company_id = r.company_id and w.id = r.id and w.replied_at is null for no key update
    ) as n
  ),
  replied as (
    update outbound.notification_facts as n set replied_at = now()
    from locked where n.company_id = locked.company_id and n.id = locked.id and n.replied_at is null
    returning n.company_id, n.campaign_id
  )
  select jsonb_agg(to_jsonb(each)) into v_moves from (
    select r.company_id, r.campaign_id, count(*)::int as replied from replied as r group by 1, 2
  ) as each;
  if v_moves is not null then
    perform outbound.move_campaign_counters(v_moves);
  end if;
end
$$;
revoke execute on function outbound.mark_replied from public;

-- 60_events/move_by_events.sql

-- Moves each notification of p_events once, as apply_platform_events says. p_companies, p_ids: the notification of each
-- event, null where there is none. The caller has locked the notifications. moves: what move_campaign_counters is to
-- move; prices: what count_pricing is to count; requeued: those for stop_requeued; planned: the senders whose turns
-- change.
create function outbound.move_by_events(
  p_events bigint[], p_companies uuid[], p_ids uuid[], out moves jsonb, out prices jsonb, out requeued_companies uuid[],
  out requeued uuid[], out planned_companies uuid[], out planned_senders uuid[]
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per event.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  with transition as (
    select n.company_id, n.id, n.campaign_id, state.was, n.attempt, n.fence, n.claimed_at, f.sent_at,
      f.delivered_at, f.read_at, f.failed_at,
      -- An earlier try failed after it was sent, and the outcome of the last one is unknown.
      case when n.status = 'sent' and n.platform_message_id = any (f.failed_before) and f.failed_messages is null
        and not exists (
          select from outbound.delivery_attempts as a
          where a.company_id = n.company_id and a.notification_id = n.id and a.fence = n.fence
            and (a.outcome <> 'unknown' or a.platform_message_id is not null)
        ) then 'outcome_unknown' else f.error_code end as error_code,
      coalesce(f.reason, 'The platform reported a failure without a reason') as reason, f.refused_message,
      case when n.status in ('sent', 'delivered', 'read') then other.message else f.received_message end as message,
      outbound.next_state(
        state.was, n.attempt, n.fence, n.error_code, n.platform_message_id,
        p_is_erased => num_nonnulls(n.number, n.user_id) = 0,
        p_may_retry => n.attempt < outbound.max_attempts() and n.expires_at > now(),
        p_is_sent => f.sent_at is not null, p_is_delivered => f.delivered_at is not null,
        p_is_read => f.read_at is not null,
        p_refused_for_good => f.refused_for_good, p_refused_for_now => f.refused_for_now,
        p_failed_messages => f.failed_messages, p_failed_before => f.failed_before,
        p_sent_messages => f.sent_messages, p_sent_fences => f.sent_fences, p_other_message => other.message,
        p_other_attempt_was_sent => case when num_nonnulls(n.number, n.user_id) = 0 and f.failed_messages is not null
          then exists (
            select from outbound.delivery_attempts as a
            where a.company_id = n.company_id and a.notification_id = n.id and a.fence <> n.fence
              and a.outcome = 'sent' and a.error_code is null
          ) end
      ) as becomes,
      n.status = 'failed' and n.error_code = 'outcome_unknown' and f.refused_for_good as explained,
      -- The platform repeats the price with later receipts.
      case when not n.is_priced and n.attempt > 0 then f.pricing end as pricing
    from outbound.event_facts(p_events, p_companies, p_ids) as f
    join outbound.notifications as n on n.company_id = f.company_id and n.id = f.notification_id
    cross join lateral (select case n.status when 'scheduled' then 'queued' else n.status end as was) as state
    -- The message that counts as sent has failed: another one that was accepted counts from now on. A case, so that the
    -- search only runs where it has.
    cross join lateral (
      select case when n.status = 'sent' and n.platform_message_id = any (f.failed_messages || f.failed_before) then
        outbound.other_message(n.company_id, n.id, f.failed_messages || f.failed_before, f.sent_messages) end as message
    ) as other
  ),
  moved as (
    update outbound.notification_facts as n
    set status = case when transition.becomes not in ('queued', 'sending', 'unconfirmed') then transition.becomes end,
      attempt = transition.attempt, fence = transition.fence, claimed_at = transition.claimed_at,
      platform_message_id = case when num_nonnulls(n.number, n.user_id) > 0
        then coalesce(transition.message, n.platform_message_id, transition.refused_message) end,
      sent_at = case when transition.becomes in ('sent', 'delivered', 'read')
        then coalesce(n.sent_at, transition.sent_at, transition.delivered_at, transition.read_at, now())
        else n.sent_at end,
      delivered_at = case when transition.becomes in ('delivered', 'read')
        then coalesce(n.delivered_at, transition.delivered_at, transition.read_at) end,
      read_at = case when transition.becomes = 'read' then coalesce(n.read_at, transition.read_at) end,
      held_for_quality = null,
      skipped_at = case when transition.becomes = 'skipped' then n.skipped_at end,
      failed_at = case when transition.becomes = 'failed' then coalesce(n.failed_at, transition.failed_at, now()) end,
      error_code = case when transition.becomes = 'failed' then transition.error_code
        when transition.becomes not in ('sent', 'delivered', 'read') then n.error_code end,
      error_reason = case when transition.becomes = 'failed' then transition.reason
        when transition.becomes not in ('sent', 'delivered', 'read') then n.error_reason end,
      is_priced = n.is_priced or transition.pricing is not null
    from transition
    where n.company_id = transition.company_id and n.id = transition.id and (
      transition.was <> transition.becomes or transition.explained or transition.pricing is not null
      or (transition.becomes = 'sent' and transition.message <> n.platform_message_id)
      or (n.held_for_quality and transition.sent_at is not null)
    )
    returning n.company_id, n.id, n.campaign_id, n.sender_id, n.voice, transition.was, transition.becomes,
      transition.pricing, transition.error_code, transition.reason
  ),
  requeued as (
    update outbound.queue as q
    set status = 'queued', lease_until = null, run_at = now() + interval '10 seconds', error_code = m.error_code,
      error_reason = m.reason
    from moved as m
    where m.was = 'unconfirmed' and m.becomes = 'queued' and q.company_id = m.company_id and q.id = m.id
  ),
  gone as (
    delete from outbound.queue as q using moved as m
    where m.was in ('queued', 'sending', 'unconfirmed') and m.becomes not in ('queued', 'sending', 'unconfirmed')
      and q.company_id = m.company_id and q.id = m.id
  )
  select (
    -- Summed up before it becomes JSON, because making JSON costs more than summing.
    select jsonb_agg(to_jsonb(move)) from (
      select m.company_id, m.campaign_id,
        sum((m.becomes = 'queued')::int - (m.was = 'queued')::int) as pending,
        sum(- (m.was in ('sending', 'unconfirmed'))::int) as processing,
        sum((m.becomes in ('sent', 'delivered', 'read'))::int - (m.was in ('sent', 'delivered', 'read'))::int) as sent,
        sum((m.becomes in ('delivered', 'read'))::int - (m.was in ('delivered', 'read'))::int) as delivered,
        sum((m.becomes = 'read')::int - (m.was = 'read')::int) as read,
        sum((m.becomes = 'failed')::int - (m.was = 'failed')::int) as failed,
        sum(- (m.was = 'cancelled')::int) as cancelled, sum(- (m.was = 'skipped')::int) as skipped
      from moved as m group by m.company_id, m.campaign_id
    ) as move
  ),
    (select jsonb_agg(to_jsonb(price)) from (
      select m.company_id, m.campaign_id, m.pricing, count(*) as messages
      from moved as m where m.pricing is not null group by m.company_id, m.campaign_id, m.pricing
    ) as price),
    (select array_agg(m.company_id) from moved as m where m.becomes = 'queued'),
    (select array_agg(m.id) from moved as m where m.becomes = 'queued'),
    (select array_agg(m.company_id) from moved as m where m.voice or m.becomes = 'queued'),
    (select array_agg(m.sender_id) from moved as m where m.voice or m.becomes = 'queued')
  into moves, prices, requeued_companies, requeued, planned_companies, planned_senders;
end
$$;
revoke execute on function outbound.move_by_events from public;

-- Returns a message of a notification that the platform accepted and that is none of p_failed: one of an attempt that
-- is not known to have failed, or one of p_sent, which are reported as sent.
create function outbound.other_message(p_company_id uuid, p_id uuid, p_failed text[], p_sent text[])
returns text
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return (
    select taken.message
    from (
      select a.platform_message_id as message from outbound.delivery_attempts as a
      where a.company_id = p_company_id and a.notification_id = p_id and a.platform_message_id is not null
        and not exists (
          select from outbound.platform_events as x
          where x.dedupe_key = 'whatsapp:' || a.platform_message_id || ':failed'
        )
      union all
      select unnest(p_sent)
    ) as taken
    where taken.message <> all (p_failed) limit 1
  );
end
$$;
revoke execute on function outbound.other_message from public;

-- 60_events/next_state.sql

-- Returns the state of a notification after events of the platform about it: a pure function of its row and of what the
-- events say together. apply_platform_events says in words what moves what.
-- p_status, p_attempt, p_fence, p_error_code, p_message: of the row; p_message is the platform's id of the message that
-- counts as sent. p_may_retry: it may be tried once more.
-- p_is_sent, p_is_delivered, p_is_read: a receipt says so, of whichever attempt; a later stage implies the earlier
-- ones.
-- p_refused_for_good, p_refused_for_now: the present attempt failed. p_failed_messages, p_failed_before: the messages
-- that failed, of the present attempt and of earlier ones; p_sent_messages, p_sent_fences: those that were reported as
-- sent, and of which attempts.
-- p_other_message: another message that was accepted, if the one that counts has failed. p_other_attempt_was_sent: the
-- same of an erased recipient, whose message ids are not stored.
create function outbound.next_state(
  p_status text, p_attempt int, p_fence int, p_error_code text, p_message text, p_is_erased boolean,
  p_may_retry boolean, p_is_sent boolean, p_is_delivered boolean, p_is_read boolean, p_refused_for_good boolean,
  p_refused_for_now boolean, p_failed_messages text[], p_failed_before text[], p_sent_messages text[],
  p_sent_fences int[], p_other_message text, p_other_attempt_was_sent boolean
)
returns text
language sql immutable security invoker set search_path = ''
return case
  when p_status in ('queued', 'cancelled', 'skipped') and p_attempt = 0 then p_status
  when p_status = 'read' or p_is_read then 'read'
  when p_status = 'delivered' or p_is_delivered then 'delivered'
  when p_status = 'sent' then case
    when p_message = any (p_failed_messages || p_failed_before) and p_other_message is null then 'failed'
    when p_is_erased and p_failed_messages is not null and p_sent_messages is null
      and p_other_attempt_was_sent is not true then 'failed'
    else 'sent' end
  -- Accepted in another attempt than the present one, whatever the outcome of that one.
  when p_fence <> any (p_sent_fences) then 'sent'
  when p_status = 'failed' and coalesce(p_error_code not in ('outcome_unknown', 'expired'), true) then 'failed'
  when p_status in ('cancelled', 'skipped')
    then case when not p_is_sent or p_failed_messages && p_sent_messages then p_status else 'sent' end
  when p_refused_for_good or p_failed_messages && p_sent_messages then 'failed'
  when p_is_sent then 'sent'
  when p_status = 'unconfirmed' and p_refused_for_now then case when p_may_retry then 'queued' else 'failed' end
  else p_status
end;
revoke execute on function outbound.next_state from public;

-- 60_events/record_account_events.sql

-- Records that the platform reported something about these accounts, ten times per second for each account at most.
-- Reads the rows before locking them, so that the webhook's processes do not wait for each other.
create function outbound.record_account_events(p_waba_ids text[])
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.account_signals as a (company_id, waba_id, event_at)
  select distinct s.company_id, s.waba_id, now()
  from outbound.senders as s
  left join outbound.account_signals as k on k.company_id = s.company_id and k.waba_id = s.waba_id
  where s.waba_id = any (p_waba_ids)
    and (k.event_at is null or k.event_at < now() - interval '100 milliseconds' or k.event_at <= k.refused_at)
  order by s.company_id, s.waba_id
  on conflict on constraint account_signals_pkey do update
    set event_at = greatest(a.event_at, excluded.event_at),
      accepted_at = case when a.refused_at > a.event_at then excluded.event_at else a.accepted_at end;
end
$$;
revoke execute on function outbound.record_account_events from public;

-- 60_events/record_drops.sql

-- Returns how many messages the platform must drop within a minute, with none arriving in between, to make a burst.
create function outbound.drops_per_burst()
returns int
language sql immutable security invoker set search_path = ''
as $$ select 5 $$;
revoke execute on function outbound.drops_per_burst from public;

-- Counts messages that the platform took, held and then dropped: 132015 says that of a template, 135000 of the whole
-- account. A burst of them stops the template, or the account's senders, as the platform's own event would: this writes
-- the event, and apply_template_events or apply_account_events applies it. So the same frees them again.
--
-- p_events with the notification of each. A message of the template or of the account that
-- arrived ends the count.
create function outbound.record_drops(p_events bigint[], p_companies uuid[], p_notifications uuid[])
returns void
language plpgsql security invoker set search_path = ''
-- By indexes, also when the tables were empty when statistics were last taken.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_count record;
  v_drops int;
begin
  for v_count in
    with event as (
      select e.status, e.error_code, e.occurred_at, s.waba_id, g.template_name, g.template_language
      from unnest(p_events, p_companies, p_notifications) as named(event_id, company_id, id)
      cross join lateral (
        select x.status, x.error_code, x.occurred_at from outbound.platform_events as x
        where x.id = named.event_id and x.channel = 'whatsapp' limit 1
      ) as e
      cross join lateral (
        select n.sender_id, n.campaign_id from outbound.notification_facts as n
        where n.company_id = named.company_id and n.id = named.id limit 1
      ) as n
      cross join lateral (
        select w.waba_id from outbound.senders as w
        where w.company_id = named.company_id and w.id = n.sender_id limit 1
      ) as s
      cross join lateral (
        select w.template_name, w.template_language from outbound.campaigns as w
        where w.company_id = named.company_id and w.id = n.campaign_id and w.template_name is not null limit 1
      ) as g
    ),
    -- Each event counts for its template and for its account.
    subject as (
      select e.waba_id, c.error_code, c.template_name, c.template_language,
        max(e.occurred_at) filter (where e.status <> 'failed') as arrived_at,
        array_agg(e.occurred_at) filter (where e.status = 'failed' and e.error_code = c.error_code) as dropped_at
      from event as e
      cross join lateral (
        values ('132015', e.template_name, e.template_language), ('135000', '', '')
      ) as c(error_code, template_name, template_language)
      group by 1, 2, 3, 4
    )
    select s.waba_id, s.error_code, s.template_name, s.template_language, s.arrived_at is not null as arrived,
      latest.drops, latest.dropped_at
    from subject as s
    cross join lateral (
      select count(*)::int as drops, max(d.at) as dropped_at
      from unnest(s.dropped_at) as d(at) where s.arrived_at is null or d.at > s.arrived_at
    ) as latest
    order by 1, 2, 3, 4
  loop
    if v_count.arrived then
      delete from outbound.drop_bursts as b
      where (b.waba_id, b.error_code, b.template_name, b.template_language)
        = (v_count.waba_id, v_count.error_code, v_count.template_name, v_count.template_language);
    end if;
    continue when v_count.drops = 0;

    insert into outbound.drop_bursts as b (waba_id, error_code, template_name, template_language, drops, began_at)
    values (v_count.waba_id, v_count.error_code, v_count.template_name, v_count.template_language, v_count.drops, now())
    on conflict on constraint drop_bursts_pkey do update
      set drops = excluded.drops + case when b.began_at > now() - interval '1 minute' then b.drops else 0 end,
        began_at = case when b.began_at > now() - interval '1 minute' then b.began_at else now() end
    returning b.drops into v_drops;
    continue when v_drops < outbound.drops_per_burst();

    delete from outbound.drop_bursts as b
    where (b.waba_id, b.error_code, b.template_name, b.template_language)
      = (v_count.waba_id, v_count.error_code, v_count.template_name, v_count.template_language);
    if v_count.error_code = '132015' then
      insert into outbound.template_events (
        dedupe_key, waba_id, name, language, kind, status, reason, occurred_at
      )
      values (
        concat_ws(':', 'drops', v_count.waba_id, v_count.template_name, v_count.template_language,
          extract(epoch from v_count.dropped_at)),
        v_count.waba_id, v_count.template_name, v_count.template_language, 'status', 'disabled',
        'The platform dropped messages of the template that it had held, because of its low quality (132015)',
        v_count.dropped_at
      )
      on conflict on constraint template_events_dedupe_key do nothing;
    else
      insert into outbound.account_events (dedupe_key, waba_id, status, reason, occurred_at)
      values (
        concat_ws(':', 'drops', v_count.waba_id, extract(epoch from v_count.dropped_at)),
        v_count.waba_id, 'restricted',
        'The platform dropped messages of the account that it had held, and bars it from sending (135000)',
        v_count.dropped_at
      )
      on conflict on constraint account_events_dedupe_key do nothing;
    end if;
  end loop;
end
$$;
revoke execute on function outbound.record_drops from public;

-- 60_events/record_event_attempts.sql

-- Records failures, and that another attempt than the last was accepted, in delivery_attempts. The outcome there stays
-- that of our own request: it says why there was another attempt.
create function outbound.record_event_attempts(p_events bigint[], p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per event.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  update outbound.delivery_attempts as a
  set error_code = coalesce(t.error_code, a.error_code), reason = coalesce(t.reason, a.reason),
    platform_message_id = coalesce(a.platform_message_id, t.platform_message_id)
  from (
    select n.company_id, n.id, e.fence,
      max(e.platform_message_id) filter (where num_nonnulls(n.number, n.user_id) > 0) as platform_message_id,
      max(e.error_code) as error_code, max(e.reason) as reason
    from unnest(p_events, p_companies, p_ids) as named(event_id, company_id, id)
    join outbound.notifications as n on n.company_id = named.company_id and n.id = named.id
    join outbound.platform_events as e on e.id = named.event_id
    where e.fence is not null and (e.status = 'failed' or e.fence <> n.fence and not (
      -- The same message is known to have failed.
      e.status = 'sent' and exists (
        select from outbound.platform_events as f
        where f.dedupe_key = e.channel || ':' || e.platform_message_id || ':failed'
      )
    ))
    group by 1, 2, 3
  ) as t
  where a.company_id = t.company_id and a.notification_id = t.id and a.fence = t.fence
    and a.outcome in ('sent', 'unknown');
end
$$;
revoke execute on function outbound.record_event_attempts from public;

-- 60_events/record_refused_events.sql

-- Records that the webhook refused the signature of a report about these notifications, and returns their accounts.
-- Any client can post anything: a report counts only if it names a notification of ours, whose id only its company and
-- the platform know. So a stranger delays nothing, and a company only its own messages.
create function outbound.record_refused_events(p_companies uuid[], p_ids uuid[])
returns table (company_id uuid, waba_id text)
language plpgsql security invoker set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  insert into outbound.account_signals as a (company_id, waba_id, refused_at, refused_since)
  select distinct s.company_id, s.waba_id, now(), now()
  from unnest(p_companies, p_ids) as named(company_id, id)
  cross join lateral (
    select o.company_id, o.sender_id from outbound.notification_facts as o
    where o.company_id = named.company_id and o.id = named.id
  ) as n
  join outbound.senders as s on s.company_id = n.company_id and s.id = n.sender_id
  where s.waba_id is not null
  order by s.company_id, s.waba_id
  on conflict on constraint account_signals_pkey do update
    set refused_at = excluded.refused_at,
      refused_since = case when a.refused_at > a.event_at then a.refused_since
        else greatest(a.event_at, excluded.refused_since - interval '10 seconds') end
  returning a.company_id, a.waba_id;
end
$$;
revoke execute on function outbound.record_refused_events from public;

-- 60_events/report_inbound_message.sql

-- Writes the event message.received of a stored message to its company. p_message: a row of store_inbound_messages.
create function outbound.report_inbound_message(p_message json)
returns void
language sql security invoker set search_path = ''
as $$
  select outbound.write_event(
    m.company_id, 'message.received', m.said_at, json_build_object(
      'company_id', m.company_id, 'message_id', m.id, 'sender_id', m.sender_id, 'sender_number', m.sender_number,
      'number', m.number, 'user_id', m.user_id, 'profile_name', m.profile_name, 'username', m.username,
      'kind', m.kind, 'text', m.text, 'content', m.content, 'platform_message_id', m.platform_message_id,
      'context_message_id', m.context_message_id, 'campaign_id', m.campaign_id, 'notification_id', m.notification_id,
      'metadata', m.metadata, 'at', outbound.iso_time(m.said_at)
    )
  )
  from json_to_record(p_message) as m(
    company_id uuid, id uuid, sender_id uuid, sender_number text, number text, user_id text, profile_name text,
    username text, kind text, text text, content jsonb, platform_message_id text, context_message_id text,
    campaign_id uuid, notification_id uuid, metadata json, said_at timestamptz
  )
$$;
revoke execute on function outbound.report_inbound_message from public;

-- 60_events/settle_platform_events.sql

-- Returns those of the given platform events that are about a notification of ours and need not come again. One comes
-- again if it calls an attempt a failure for now that is still under way: that gets its own response first.
-- p_companies, p_ids: the notification of each, as it is after the events; null where there is none.
create function outbound.settled_events(p_events bigint[], p_companies uuid[], p_ids uuid[])
returns bigint[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    select e.id from unnest(p_events, p_companies, p_ids) as named(event_id, company_id, id)
    join outbound.platform_events as e on e.id = named.event_id
    where named.id is not null and not (e.retryable and e.status = 'failed' and exists (
      select from outbound.queue as q
      where q.company_id = named.company_id and q.id = named.id and case when q.status = 'sending' then true end
        and coalesce(e.fence = q.fence, true)
    ))
  );
end
$$;
revoke execute on function outbound.settled_events from public;

-- Ends what apply_platform_events does with p_events. p_settled: those that need not come again; p_foreign: those that
-- are about nothing of ours.
-- Applied receipts are deleted. Failures stay, because a receipt that comes after one does not count. Reports of calls
-- stay too. Events that are not settled or match nothing yet come again: after five seconds, then after twice as long
-- each time.
create function outbound.settle_platform_events(p_events bigint[], p_settled bigint[], p_foreign bigint[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  delete from outbound.platform_events as e where e.id = any (p_foreign);
  delete from outbound.platform_events as e
  where e.id = any (p_settled) and e.status <> 'failed' and e.channel <> 'voice';
  update outbound.platform_events as e
  set applied_at = case
      when e.id = any (p_settled) or e.received_at < now() - interval '1 day' then now()
    end,
    apply_at = case when e.id = any (p_settled) then e.apply_at
      else now() + greatest(interval '5 seconds', now() - e.received_at) end
  where e.id = any (p_events);
end
$$;
revoke execute on function outbound.settle_platform_events from public;

-- 60_events/store_account_events.sql

-- Stores what the platform reported about business accounts and their numbers, as store_template_events does.
-- p_events: [{dedupe_key, waba_id, number, status, reason, until, messaging_limit, quality, notice, occurred_at},
-- …].
create function outbound.store_account_events(p_events jsonb)
returns int
language plpgsql security invoker set search_path = ''
-- Each sender is looked up by an index, however many there are.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_foreign bigint;
  v_stored int;
begin
  perform outbound.record_account_events(
    array(select distinct e ->> 'waba_id' from jsonb_array_elements(p_events) as e));

  with event as materialized (
    select e.*, exists (select from outbound.senders as s where s.waba_id = e.waba_id) as is_ours
    from jsonb_to_recordset(p_events) as e(
      dedupe_key text, waba_id text, number text, status text, reason text, until timestamptz, messaging_limit text,
      quality text, notice text, occurred_at timestamptz
    )
  ),
  stored as (
    insert into outbound.account_events (
      dedupe_key, waba_id, number, status, reason, until, messaging_limit, quality, notice, occurred_at
    )
    select e.dedupe_key, e.waba_id, e.number, e.status, e.reason, e.until, e.messaging_limit, e.quality, e.notice,
      least(e.occurred_at, now() + interval '1 minute')
    from event as e where e.is_ours
    order by e.dedupe_key
    on conflict on constraint account_events_dedupe_key do nothing
    returning 1
  )
  select count(*) filter (where not e.is_ours), (select count(*)::int from stored) into v_foreign, v_stored
  from event as e;
  perform outbound.count_foreign_events('unknown_sender', v_foreign);
  return v_stored;
end
$$;
revoke execute on function outbound.store_account_events from public;

-- 60_events/store_inbound_messages.sql

-- Stores what people wrote to senders of ours, before the webhook responds, and does what a message means at once:
--   it is a reply to the notification that its context names: replied_at, and replied of the campaign;
--   it shows which user id belongs to which number (link_user_id);
--   it may be an opt-out or an opt-in (apply_word_verdict), and an opt-out is confirmed by one company;
--   the company's webhook receives message.received, except of the platform's own notes (system).
-- Each once per company and message of the platform, also when it was deleted since (seen_messages); a number that
-- several companies hold brings it to each of them.
-- Messages to unknown numbers are counted and not stored.
-- p_messages: [{id, waba_id, phone_number_id, number, user_id, profile_name, username, platform_message_id,
-- context_message_id, at, kind, text, content, folded, word_says, button_says, confirmations}, …]; folded: the text as
-- contact_rules has its words; confirmations: [{language, text}, …].
-- Returns how many were stored.
create function outbound.store_inbound_messages(p_messages json)
returns int
language plpgsql security invoker set search_path = ''
-- Each sender and notification is looked up by an index, however many there are.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_foreign bigint;
  v_message record;
  v_confirmation text;
  v_confirmations jsonb[] := array[]::jsonb[];
  v_stored int := 0;
begin
  -- First, because it keeps two webhooks of one account from storing the same messages and people at once.
  perform outbound.record_account_events(
    array(select distinct m ->> 'waba_id' from json_array_elements(p_messages) as m order by 1));

  -- Notifications first, then campaigns, then contacts: the order of all functions.
  perform outbound.mark_replied(p_messages);

  -- In the order of all their addresses, so that two transactions hardly ever wait for each other.
  for v_message in
    select m.*, s.company_id, s.sender_id, s.sender_number, least(m.at, now()) as said_at,
      n.id as notification_id, n.campaign_id, n.metadata
    from json_to_recordset(p_messages) as m(
      id uuid, phone_number_id text, number text, user_id text, profile_name text, username text,
      platform_message_id text, context_message_id text, at timestamptz, kind text, text text, content jsonb,
      folded text, word_says text, button_says text, confirmations jsonb
    )
    cross join lateral (
      select s.company_id, s.id as sender_id, s.number as sender_number from outbound.senders as s
      where s.channel = 'whatsapp' and s.platform_id = m.phone_number_id
    ) as s
    left join lateral (
      select w.id, w.campaign_id, w.metadata from outbound.notification_facts as w
      where w.platform_message_id = m.context_message_id
        -- Written so that no index on the company matches it: it would read all that the company ever sent.
        and case when w.company_id = s.company_id then true end
      limit 1
    ) as n on true
    order by s.company_id, outbound.addresses_of(s.company_id, m.number, m.user_id), m.at, m.platform_message_id
  loop
    with seen as (
      insert into outbound.seen_messages (company_id, message_hash)
      values (v_message.company_id, sha256(convert_to(v_message.platform_message_id, 'UTF8')))
      on conflict on constraint seen_messages_pkey do nothing
      returning company_id
    )
    insert into outbound.contact_messages (
      company_id, id, sender_id, direction, number, user_id, kind, text, content, platform_message_id,
      context_message_id, campaign_id, notification_id, status, at
    )
    select seen.company_id, v_message.id, v_message.sender_id, 'in', v_message.number, v_message.user_id,
      v_message.kind, v_message.text, v_message.content, v_message.platform_message_id,
      v_message.context_message_id, v_message.campaign_id, v_message.notification_id, 'received', v_message.said_at
    from seen
    -- On any key: the same rows may be stored twice at once.
    on conflict do nothing;
    continue when not found;
    v_stored := v_stored + 1;
    -- The platform's own notes may name a former address.
    continue when v_message.kind = 'system';
    if v_message.user_id is not null then
      perform outbound.link_user_id(
        v_message.company_id, v_message.user_id, v_message.number, v_message.username, v_message.said_at);
    end if;
    perform outbound.report_inbound_message(row_to_json(v_message));
    v_confirmation := outbound.apply_word_verdict(to_jsonb(v_message));
    if v_confirmation is not null then
      v_confirmations := v_confirmations
        || jsonb_set(to_jsonb(v_message), '{confirmation}', to_jsonb(v_confirmation));
    end if;
  end loop;
  if cardinality(v_confirmations) > 0 then
    perform outbound.confirm_opt_outs(to_jsonb(v_confirmations));
  end if;

  select count(*) into v_foreign from json_to_recordset(p_messages) as m(phone_number_id text)
  where not exists (
    select from outbound.senders as s where s.channel = 'whatsapp' and s.platform_id = m.phone_number_id
  );
  perform outbound.count_foreign_events('unknown_sender', v_foreign);
  return v_stored;
end
$$;
revoke execute on function outbound.store_inbound_messages from public;

-- Does what a stored message says about marketing, if anything: an opt-out suppresses marketing on all channels, or on
-- WhatsApp alone if the company has that rule. An opt-in lifts the person's own opt-outs, and is a consent if there
-- were any: otherwise "start" is only how people greet a bot. What others suppressed stays. A company's own words go
-- before those of all companies. An opt-out that comes late changes nothing if an opt-in of a later time lifted
-- another.
-- p_message: a row of store_inbound_messages. Returns the text that confirms the opt-out; null: none.
create function outbound.apply_word_verdict(p_message jsonb)
returns text
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_message record;
  v_rules outbound.contact_rules;
  v_says text;
  v_source text := 'button';
  v_addresses text[];
  v_channel text;
  v_own_before boolean;
  v_evidence jsonb;
begin
  select * into v_message from jsonb_to_record(p_message) as m(
    company_id uuid, id uuid, sender_id uuid, campaign_id uuid, number text, user_id text,
    platform_message_id text, said_at timestamptz, text text, folded text, word_says text, button_says text,
    confirmations jsonb
  );
  if v_message.button_says is null and v_message.folded is null then
    return null;
  end if;
  select * into v_rules from outbound.contact_rules as r where r.company_id = v_message.company_id;
  v_says := v_message.button_says;
  if v_says is null then
    v_source := 'keyword';
    v_says := case
      when v_message.folded = any (v_rules.opt_out_words) then 'opt_out'
      when v_message.folded = any (v_rules.opt_in_words) then 'opt_in'
      when coalesce(v_rules.use_default_words, true) then v_message.word_says
    end;
  end if;
  if v_says is null then
    return null;
  end if;
  v_evidence := jsonb_build_object(
    'text', left(v_message.text, 200), 'message_id', v_message.id,
    'platform_message_id', v_message.platform_message_id);
  if v_says = 'opt_in' then
    if (
      select l.lifted > 0 from outbound.lift_suppressions(
        v_message.company_id, v_message.number, v_message.user_id, 'any', 'marketing', '{keyword,button}',
        v_message.said_at, v_source, v_evidence
      ) as l
    ) then
      perform outbound.record_consents(v_message.company_id, jsonb_build_array(jsonb_build_object(
        'number', v_message.number, 'user_id', v_message.user_id, 'channel', 'whatsapp', 'category', 'marketing',
        'status', 'granted', 'method', 'message', 'detail', left(v_message.text, 200),
        'consented_at', v_message.said_at, 'source', v_source
      )));
    end if;
    return null;
  end if;

  v_addresses := outbound.addresses_of(v_message.company_id, v_message.number, v_message.user_id);
  -- Lateral, here and below: one look-up per address. Otherwise, without statistics, a scan of all of the company's.
  if exists (
    select from unnest(v_addresses) as known(address)
    cross join lateral (
      select from outbound.consents as c
      where c.company_id = v_message.company_id and c.address = known.address
        and (c.channel = 'any' or c.source in ('keyword', 'button'))
        and c.category = 'marketing' and c.status = 'granted' and c.consented_at > v_message.said_at limit 1
    ) as later
  ) then
    return null;
  end if;
  v_channel := case when v_rules.opt_out_stops_calls is false then 'whatsapp' else 'any' end;
  v_own_before := exists (
    select from unnest(v_addresses) as known(address)
    cross join lateral (
      select from outbound.suppressions as s
      where s.company_id = v_message.company_id and s.address = known.address and s.lifted_at is null
        and s.channel in ('any', v_channel) and s.source in ('keyword', 'button') limit 1
    ) as own
  );
  if (
    select o.added from outbound.suppress_contacts(v_message.company_id, jsonb_build_array(jsonb_build_object(
      'number', v_message.number, 'user_id', v_message.user_id, 'channel', v_channel, 'category', 'marketing',
      'source', v_source, 'at', v_message.said_at, 'evidence', v_evidence
    ))) as o
  ) and not v_own_before then
    return outbound.opt_out_confirmation(p_message, v_rules.opt_out_confirmation);
  end if;
  return null;
end
$$;
revoke execute on function outbound.apply_word_verdict from public;

-- Returns the confirmation of an opt-out: the company's own text, or one in the language of the template that the
-- message replies to, or of the word. Null if the company's text is empty, or the platform's window has closed.
create function outbound.opt_out_confirmation(p_message jsonb, p_own_text text)
returns text
language sql stable security invoker set search_path = ''
as $$
  select chosen.text
  from jsonb_to_record(p_message) as m(
    company_id uuid, campaign_id uuid, said_at timestamptz, confirmations jsonb
  )
  left join outbound.campaigns as g on g.company_id = m.company_id and g.id = m.campaign_id
  cross join lateral (
    select coalesce(p_own_text, (
      select c.value ->> 'text' from jsonb_array_elements(m.confirmations) with ordinality as c(value, ord)
      order by c.value ->> 'language' is distinct from split_part(g.template_language, '_', 1), c.ord limit 1
    )) as text
  ) as chosen
  where chosen.text <> '' and m.said_at > now() - interval '24 hours'
$$;
revoke execute on function outbound.opt_out_confirmation from public;

-- Queues the confirmations of opt-outs, one per message of the platform. Of several companies that hold the number, the
-- one confirms whose notification the message replies to, else the first by id: the person wrote once, to one number.
create function outbound.confirm_opt_outs(p_messages jsonb)
returns void
language sql security invoker set search_path = ''
as $$
  with queued as (
    insert into outbound.contact_messages (
      company_id, id, sender_id, direction, number, user_id, kind, text, context_message_id, status, purpose, run_at,
      expires_at, at
    )
    select distinct on (m.platform_message_id) m.company_id, gen_random_uuid(), m.sender_id, 'out', m.number, m.user_id,
      'text', m.confirmation, m.platform_message_id, 'queued', 'opt_out_confirmation', now(),
      m.said_at + interval '24 hours', now()
    from jsonb_to_recordset(p_messages) as m(
      company_id uuid, sender_id uuid, notification_id uuid, number text, user_id text, platform_message_id text,
      said_at timestamptz, confirmation text
    )
    order by m.platform_message_id, m.notification_id is null, m.company_id
    returning company_id, sender_id
  )
  select outbound.schedule_replies(array_agg(q.company_id), array_agg(q.sender_id), array_agg(now()))
  from queued as q having count(*) > 0
$$;
revoke execute on function outbound.confirm_opt_outs from public;

-- 60_events/store_platform_events.sql

-- Takes events before the webhook responds: applies what apply_receipts can apply at once, and stores the others for
-- apply_platform_events. Duplicates, disorder and events about messages of other systems are normal. p_events:
-- [{dedupe_key, channel, waba_id, phone_number_id, foreign_reference, platform_message_id, company_id, notification_id,
-- fence, status, occurred_at, error_code, retryable, reason, call, pricing}, …]. Returns how many were stored.
--
-- An account may be shared with other systems, so events about their messages arrive here too. Such an event is
-- counted and not stored: no sender of ours has its number (or its account, where the number is missing) and its
-- reference names no company of ours; or it carries a reference that we did not write (foreign_reference).
create function outbound.store_platform_events(p_events jsonb)
returns int
language plpgsql security invoker set search_path = ''
-- Each sender is looked up by an index, however many there are.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_named_accounts text[];
  v_companies uuid[];
  v_numbers text[];
  v_accounts text[];
  v_unknown_senders bigint;
  v_unknown_messages bigint;
  v_stored int;
  v_applied int[] := '{}'::int[];
begin
  v_named_accounts := array(select distinct e ->> 'waba_id' from jsonb_array_elements(p_events) as e);
  perform outbound.record_account_events(v_named_accounts);
  begin
    v_applied := outbound.apply_receipts(p_events);
  exception when lock_not_available then
    null; -- They are stored.
  end;
  if cardinality(v_applied) = jsonb_array_length(p_events) then
    return 0;
  end if;

  -- Look up each account, number and company once, however many events are about it.
  v_accounts := array(
    select distinct s.waba_id from outbound.senders as s where s.waba_id = any (v_named_accounts)
  );
  v_numbers := array(
    select distinct s.platform_id from outbound.senders as s
    where s.channel = 'whatsapp' and s.platform_id = any (
      array(select distinct e ->> 'phone_number_id' from jsonb_array_elements(p_events) as e)
    )
  );
  v_companies := array(
    select c.id from outbound.companies as c
    where c.id = any (array(select distinct (e ->> 'company_id')::uuid from jsonb_array_elements(p_events) as e))
  );

  with event as materialized (
    select e.*, coalesce(e.foreign_reference, false) as is_foreign,
      coalesce(e.channel <> 'whatsapp' or e.company_id = any (v_companies)
        or case when e.phone_number_id is null then e.waba_id = any (v_accounts)
          else e.phone_number_id = any (v_numbers) end, false) as is_of_ours
    from rows from (jsonb_to_recordset(p_events) as (
      dedupe_key text, channel text, waba_id text, phone_number_id text, foreign_reference boolean,
      platform_message_id text, company_id uuid, notification_id uuid, fence int, status text, occurred_at timestamptz,
      error_code text, retryable boolean, reason text, call json, pricing jsonb
    )) with ordinality as e(
      dedupe_key, channel, waba_id, phone_number_id, foreign_reference, platform_message_id, company_id, notification_id,
      fence, status, occurred_at, error_code, retryable, reason, call, pricing, ord
    )
    where e.ord <> all (v_applied)
  ),
  stored as (
    insert into outbound.platform_events (
      dedupe_key, channel, waba_id, platform_message_id, company_id, notification_id, fence, status, occurred_at,
      error_code, retryable, reason, call, pricing
    )
    select e.dedupe_key, e.channel, e.waba_id, e.platform_message_id, e.company_id, e.notification_id,
      e.fence, e.status, e.occurred_at, e.error_code, coalesce(e.retryable, false), e.reason, e.call, e.pricing
    from event as e where e.is_of_ours and not e.is_foreign
    order by e.dedupe_key
    on conflict on constraint platform_events_dedupe_key do nothing
    returning 1
  )
  select count(*) filter (where not e.is_of_ours), count(*) filter (where e.is_of_ours and e.is_foreign),
    (select count(*)::int from stored)
  into v_unknown_senders, v_unknown_messages, v_stored
  from event as e;
  perform outbound.count_foreign_events('unknown_message', v_unknown_messages);
  perform outbound.count_foreign_events('unknown_sender', v_unknown_senders);
  return v_stored;
end
$$;
revoke execute on function outbound.store_platform_events from public;

-- 60_events/store_template_events.sql

-- Stores what the platform reported about templates before the webhook responds. p_events: [{dedupe_key, waba_id,
-- platform_template_id, name, language, kind, status, reason, category, quality, occurred_at}, …]. A time from the
-- future counts as a minute from now: a clock that is far ahead would otherwise hide all later events. Events of
-- accounts that no sender of ours has are counted and not stored. Returns how many were new.
create function outbound.store_template_events(p_events jsonb)
returns int
language plpgsql security invoker set search_path = ''
-- Each sender is looked up by an index, however many there are.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_foreign bigint;
  v_stored int;
begin
  perform outbound.record_account_events(
    array(select distinct e ->> 'waba_id' from jsonb_array_elements(p_events) as e));

  with event as materialized (
    select e.*, exists (select from outbound.senders as s where s.waba_id = e.waba_id) as is_ours
    from jsonb_to_recordset(p_events) as e(
      dedupe_key text, waba_id text, platform_template_id text, name text, language text, kind text, status text,
      reason text, category text, quality text, occurred_at timestamptz
    )
  ),
  stored as (
    insert into outbound.template_events (
      dedupe_key, waba_id, platform_template_id, name, language, kind, status, reason, category, quality, occurred_at
    )
    select e.dedupe_key, e.waba_id, e.platform_template_id, e.name, e.language, e.kind, e.status, e.reason,
      e.category, e.quality, least(e.occurred_at, now() + interval '1 minute')
    from event as e where e.is_ours
    order by e.dedupe_key
    on conflict on constraint template_events_dedupe_key do nothing
    returning 1
  )
  select count(*) filter (where not e.is_ours), (select count(*)::int from stored) into v_foreign, v_stored
  from event as e;
  perform outbound.count_foreign_events('unknown_sender', v_foreign);
  return v_stored;
end
$$;
revoke execute on function outbound.store_template_events from public;

-- 60_events/webhook_probe.sql

-- Begins a probe of the webhook while messages wait for the platform's report; otherwise once per hour, to check
-- whether probes come back here at all, or once per minute until they do. Not if one was begun less than p_every ago,
-- by any dispatcher. Returns the nonce that the probe has to carry, or null.
create function outbound.begin_webhook_probe(p_every interval)
returns uuid
-- Without statistics all messages ever sent would be read for the few that are unconfirmed.
language sql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  update outbound.webhook_probe as w set nonce = gen_random_uuid(), begun_at = clock_timestamp()
  where w.begun_at <= clock_timestamp() - p_every
    and (
      w.begun_at <= now() - case when w.failed_at > w.returned_at then interval '1 minute' else interval '1 hour' end
      or exists (
        select from outbound.queue as n
        where n.status = 'unconfirmed' and not n.voice and n.lease_until >= outbound.leases_from()
      )
    )
  returning w.nonce
$$;
revoke execute on function outbound.begin_webhook_probe from public;

-- Records that the probe with this nonce reached the webhook.
create function outbound.confirm_webhook_probe(p_nonce uuid)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.webhook_probe as w
  set returned_at = w.begun_at,
    recovered_at = case when w.failed_at > w.returned_at then w.begun_at else w.recovered_at end
  where w.nonce = p_nonce
$$;
revoke execute on function outbound.confirm_webhook_probe from public;

-- Records the end of a dispatcher's probe. Returns whether it came back; null when another was begun since.
create function outbound.end_webhook_probe(p_nonce uuid)
returns boolean
language sql security invoker set search_path = ''
as $$
  with failed as (
    update outbound.webhook_probe as w
    set failed_at = w.begun_at,
      failing_since = case when w.failed_at > w.returned_at then w.failing_since
        else greatest(w.returned_at, w.begun_at - interval '10 seconds') end
    where w.nonce = p_nonce and w.returned_at < w.begun_at
  )
  select w.returned_at = w.begun_at from outbound.webhook_probe as w where w.nonce = p_nonce
$$;
revoke execute on function outbound.end_webhook_probe from public;

-- 62_pricing/count_pricing.sql

-- Adds to campaign_pricing: p_prices is [{company_id, campaign_id, pricing: {country, category, type, billable},
-- messages}, …]. In the order of the campaigns, and of one campaign's rows, so that two at once cannot deadlock.
create function outbound.count_pricing(p_prices jsonb)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.campaign_pricing as c (
    company_id, campaign_id, country, category, type, billable, messages
  )
  select p.company_id, p.campaign_id, f.country, f.category, f.type, f.billable, sum(p.messages)
  from jsonb_to_recordset(p_prices) as p(company_id uuid, campaign_id uuid, pricing jsonb, messages int)
  cross join lateral jsonb_to_record(p.pricing) as f(country text, category text, type text, billable boolean)
  group by 1, 2, 3, 4, 5, 6
  order by 2, 3, 4, 5, 6
  on conflict on constraint campaign_pricing_pkey do update set messages = c.messages + excluded.messages;
end
$$;
revoke execute on function outbound.count_pricing from public;

-- 62_pricing/rates_of.sql

-- Returns the rate of each country for a category on a day, in p_currency: that of the country itself, else that of '*'.
-- A category that the card does not name has none, but for marketing_lite, which is marketing by another endpoint. No row
-- for a country without a rate. p_countries: by ISO 3166-1; empty for an unknown country, which has that of '*' too.
create function outbound.rates_of(p_countries text[], p_category text, p_currency text, p_day date)
returns table (country text, rate numeric)
language sql stable security invoker set search_path = ''
as $$
  select asked.country, found.rate
  from (select distinct unnest(p_countries) as country) as asked
  cross join lateral (
    select r.rate from outbound.rates as r
    where r.market in (asked.country, '*') and r.currency = p_currency and r.effective_from <= p_day
      and r.category in (p_category, case p_category when 'marketing_lite' then 'marketing' end)
    order by r.market = '*', r.category = p_category desc, r.effective_from desc limit 1
  ) as found
$$;
revoke execute on function outbound.rates_of from public;

-- 65_webhooks/claim_deliveries.sql

-- Leases up to p_limit due deliveries to p_worker for p_lease; those of a dead worker are due again at the first tick
-- after its lease (schedule_lost_deliveries). Companies take turns, so that an endpoint that does not respond delays no
-- other company. An endpoint gets 16 requests at a time; a failing one (three failures in a row) gets 1, and the
-- failing ones of a claim together p_max_failing.
--
-- Looks only at companies with something due: those with new deliveries, and those whose time in webhook_schedule has
-- come, of failing ones about as many as may get a request. What a failing endpoint cannot take is deferred.
create function outbound.claim_deliveries(p_worker text, p_limit int, p_max_failing int, p_lease interval)
returns table (
  company_id uuid, event_id text, attempt int, attempt_since_replay int, payload text, url text,
  secret_sealed text, old_secret_sealed text, is_failing boolean,
  -- That of the campaign which the event is about.
  trace text
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
#variable_conflict use_column
declare
  v_scheduled uuid[];
  v_companies uuid[];
  v_events text[];
  v_attempts int[];
  v_since_replay int[];
begin
  -- One claim at a time, and none beside a finish: each counts what the ones before it took, freed and deferred, in
  -- statements that begin after them.
  perform pg_advisory_xact_lock(hashtextextended('outbound.claim_deliveries', 0));
  v_scheduled := outbound.due_companies(256, greatest(16, p_max_failing));

  with endpoint as materialized (
    select e.* from outbound.endpoints_to_serve(v_scheduled) as e
  ),
  candidate as (
    select e.company_id, due.event_id, due.attempt, due.run_at, e.is_failing,
      row_number() over (partition by e.company_id order by due.run_at, due.event_id) as turn
    from endpoint as e
    cross join lateral (
      select d.event_id, d.attempt, d.run_at from outbound.webhook_deliveries as d
      where d.company_id = e.company_id and d.status = 'pending' and d.run_at <= now()
      order by d.run_at, d.event_id limit e.free
    ) as due
  ),
  ranked as (
    select c.*, row_number() over (partition by c.is_failing order by c.turn, c.run_at) as position from candidate as c
  ),
  chosen as (
    select r.company_id, r.event_id, r.attempt from ranked as r
    where not r.is_failing or r.position <= p_max_failing
    order by r.is_failing, r.turn, r.run_at limit p_limit
  ),
  locked as (
    select d.* from chosen
    cross join lateral (
      select d.company_id, d.event_id, d.attempt from outbound.webhook_deliveries as d
      where d.company_id = chosen.company_id and d.event_id = chosen.event_id and d.attempt = chosen.attempt
        and d.status = 'pending' and d.run_at <= now()
      for update skip locked
    ) as d
  ),
  claimed as (
    update outbound.webhook_deliveries as d
    set worker = p_worker, run_at = clock_timestamp() + p_lease, deferred = true
    from locked
    where d.company_id = locked.company_id and d.event_id = locked.event_id and d.attempt = locked.attempt
    returning d.company_id, d.event_id, d.attempt, d.attempt_since_replay
  )
  select array_agg(c.company_id), array_agg(c.event_id), array_agg(c.attempt), array_agg(c.attempt_since_replay)
  into v_companies, v_events, v_attempts, v_since_replay from claimed as c;
  perform outbound.defer_deliveries(v_scheduled);

  return query
  select c.company_id, c.event_id, c.attempt, c.since_replay, o.payload::text, w.url, w.secret_sealed,
    case when w.old_secret_until > now() then w.old_secret_sealed end, w.failures >= outbound.endpoint_fails_after(), (
      select g.trace from outbound.campaigns as g
      where g.company_id = c.company_id and g.id = (o.payload #>> '{data,campaign_id}')::uuid
    )
  from unnest(v_companies, v_events, v_attempts, v_since_replay) as c(company_id, event_id, attempt, since_replay)
  cross join lateral (select w.* from outbound.webhooks as w where w.company_id = c.company_id limit 1) as w
  cross join lateral (
    select o.payload from outbound.outgoing_events as o where o.company_id = c.company_id and o.id = c.event_id limit 1
  ) as o;
end
$$;
revoke execute on function outbound.claim_deliveries from public;

-- 65_webhooks/companies_with_deliveries.sql

-- Returns the companies with a pending delivery, due or not, p_limit of them at most. Jumps from one to the next in the
-- index.
create function outbound.companies_with_deliveries(p_limit int default null)
returns table (company_id uuid)
language sql stable security invoker set search_path = ''
as $$
  with recursive busy as (
    (
      select d.company_id from outbound.webhook_deliveries as d
      where d.status = 'pending' order by d.company_id limit 1
    )
    union all
    select following.company_id
    from busy cross join lateral (
      select d.company_id from outbound.webhook_deliveries as d
      where d.status = 'pending' and d.company_id > busy.company_id
      order by d.company_id limit 1
    ) as following
  )
  select busy.company_id from busy limit p_limit
$$;
revoke execute on function outbound.companies_with_deliveries from public;

-- 65_webhooks/defer_deliveries.sql

-- Takes the new deliveries that endpoints in trouble could not get out of the way of claims, and says when claims look
-- at those companies, and at the ones in p_scheduled, again. The caller has the lock of deliveries.
create function outbound.defer_deliveries(p_scheduled uuid[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per company.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
declare
  v_companies uuid[];
begin
  v_companies := array(
    select n.company_id from outbound.companies_with_new_deliveries() as n
    where not exists (
      select from outbound.webhooks as w
      where w.company_id = n.company_id and w.is_active and w.failures < outbound.endpoint_fails_after()
    )
  );
  if cardinality(v_companies || p_scheduled) = 0 then
    return;
  end if;
  update outbound.webhook_deliveries as d set deferred = true where d.ctid = any (array(
    select o.ctid from unnest(v_companies) as troubled(company_id)
    cross join lateral (
      select w.ctid from outbound.webhook_deliveries as w
      where w.company_id = troubled.company_id and w.status = 'pending' and not w.deferred
      limit 1000 for update skip locked
    ) as o
  ));

  with company as materialized (
    select c.company_id, w.is_active is true as is_active,
      w.failures >= outbound.endpoint_fails_after() as is_failing, first.run_at, (
      select count(*) from outbound.webhook_deliveries as d
      where d.company_id = c.company_id and d.status = 'pending' and d.worker is not null and d.run_at > now()
    ) as under_way
    from (select distinct unnest(v_companies || p_scheduled) as company_id) as c
    left join lateral (
      select o.is_active, o.failures from outbound.webhooks as o where o.company_id = c.company_id limit 1
    ) as w on true
    left join lateral (
      select d.run_at from outbound.webhook_deliveries as d
      where d.company_id = c.company_id and d.status = 'pending' order by d.run_at, d.event_id limit 1
    ) as first on true
  ),
  idle as (
    delete from outbound.webhook_schedule as s using company as c
    where s.company_id = c.company_id and s.company_id = any (p_scheduled) and (c.run_at is null or not c.is_active)
  )
  insert into outbound.webhook_schedule as s (company_id, is_failing, due_at)
  select c.company_id, c.is_failing, case
      when c.run_at > now() then c.run_at
      -- The result of a request that is under way comes first (finish_deliveries).
      when c.under_way >= case when c.is_failing then 1 else outbound.max_requests_per_endpoint() end
        then now() + interval '1 minute'
      -- Endpoints in trouble take turns for the few requests that all of them get.
      when c.is_failing then now() + interval '30 seconds'
      else now() end
  from company as c where c.run_at is not null and c.is_active
  on conflict on constraint webhook_schedule_pkey do update
    set is_failing = excluded.is_failing,
      due_at = case when s.company_id = any (p_scheduled) then excluded.due_at
        else least(s.due_at, excluded.due_at) end;
end
$$;
revoke execute on function outbound.defer_deliveries from public;

-- Schedules the companies with deferred deliveries that are not scheduled: a safety net for what reached the queue in
-- another way, such as an operator's statement, or a webhook that was switched on again.
create function outbound.repair_webhook_schedule()
returns void
language sql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  insert into outbound.webhook_schedule (company_id, is_failing, due_at)
  select c.company_id, w.is_failing, now() from outbound.companies_with_deliveries() as c
  cross join lateral (
    select o.failures >= outbound.endpoint_fails_after() as is_failing from outbound.webhooks as o
    where o.company_id = c.company_id and o.is_active limit 1
  ) as w
  where not exists (select from outbound.webhook_schedule as s where s.company_id = c.company_id)
  on conflict on constraint webhook_schedule_pkey do nothing
$$;
revoke execute on function outbound.repair_webhook_schedule from public;

-- 65_webhooks/due_companies.sql

-- Returns companies whose time in webhook_schedule has come, the longest due first: p_max at most whose endpoint works,
-- and p_max_failing whose endpoint fails. Failing ones, however many are due, delay no others.
create function outbound.due_companies(p_max int, p_max_failing int)
returns uuid[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_due_from constant timestamptz := outbound.due_from('webhooks');
  v_failing_from constant timestamptz := outbound.due_from('failing_webhooks');
begin
  return array(
    (
      select s.company_id from outbound.webhook_schedule as s
      where not s.is_failing and s.due_at >= v_due_from and s.due_at <= now() order by s.due_at limit p_max
    )
    union all
    (
      select s.company_id from outbound.webhook_schedule as s
      where s.is_failing and s.due_at >= v_failing_from and s.due_at <= now() order by s.due_at limit p_max_failing
    )
  );
end
$$;
revoke execute on function outbound.due_companies from public;

-- 65_webhooks/endpoints_to_serve.sql

-- Returns the companies with new deliveries, in the order of the index. Jumps from one to the next.
create function outbound.companies_with_new_deliveries()
returns table (company_id uuid)
language plpgsql stable rows 10 security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  with recursive busy as (
    (
      select d.company_id from outbound.webhook_deliveries as d
      where d.status = 'pending' and not d.deferred order by d.company_id limit 1
    )
    union all
    select following.company_id
    from busy cross join lateral (
      select d.company_id from outbound.webhook_deliveries as d
      where d.status = 'pending' and not d.deferred and d.company_id > busy.company_id
      order by d.company_id limit 1
    ) as following
  )
  select busy.company_id from busy;
end
$$;
revoke execute on function outbound.companies_with_new_deliveries from public;

-- Returns the endpoints that may have something due: those of the companies in p_scheduled, and of companies with new
-- deliveries. free: how many more requests each may get at this moment.
create function outbound.endpoints_to_serve(p_scheduled uuid[])
returns table (company_id uuid, is_failing boolean, free int)
language plpgsql stable rows 10 security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  with company as (
    select unnest(p_scheduled) as company_id
    union select n.company_id from outbound.companies_with_new_deliveries() as n
  )
  select c.company_id, w.is_failing, w.max_requests - u.deliveries
  from company as c
  cross join lateral (
    select e.failures >= outbound.endpoint_fails_after() as is_failing,
      case when e.failures >= outbound.endpoint_fails_after() then 1 else outbound.max_requests_per_endpoint() end
        as max_requests
    from outbound.webhooks as e where e.company_id = c.company_id and e.is_active limit 1
  ) as w
  cross join lateral (
    select count(*)::int as deliveries from (
      select from outbound.webhook_deliveries as d
      where d.company_id = c.company_id and d.status = 'pending' and d.worker is not null and d.run_at > now()
      limit w.max_requests
    ) as one
  ) as u;
end
$$;
revoke execute on function outbound.endpoints_to_serve from public;

-- 65_webhooks/finish_deliveries.sql

-- Records how attempts by p_worker went, each an object:
--   company_id, event_id, attempt, outcome (succeeded, failed, or released: handed back unsent, due at once),
--     response_status, response_body, error, duration_ms, retry_in_s (null: that was the last attempt), gone (the
--     endpoint wants no more events: the webhook stops).
-- An attempt that another worker has claimed since changes nothing; one that is handed back after the webhook was
-- switched off has failed. Returns how many were recorded.
create function outbound.finish_deliveries(p_worker text, p_results jsonb)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_done jsonb;
begin
  -- No claim runs meanwhile (claim_deliveries).
  perform pg_advisory_xact_lock_shared(hashtextextended('outbound.claim_deliveries', 0));
  with locked as (
    select d.company_id, d.event_id, d.attempt, d.attempt_since_replay, r.response_status, r.response_body,
      case when r.outcome <> 'released' or w.is_active then r.outcome else 'failed' end as outcome,
      case when r.outcome <> 'released' or w.is_active then r.error else 'The webhook was switched off' end as error,
      r.duration_ms, r.retry_in_s, coalesce(r.gone, false) as gone
    from jsonb_to_recordset(p_results) as r(
      company_id uuid, event_id text, attempt int, outcome text, response_status int, response_body text,
      error text, duration_ms int, retry_in_s float8, gone boolean
    )
    join outbound.webhook_deliveries as d
      on d.company_id = r.company_id and d.event_id = r.event_id and d.attempt = r.attempt
    left join outbound.webhooks as w on w.company_id = d.company_id
    where d.status = 'pending' and d.worker = p_worker
    order by d.company_id, d.event_id for update of d
  ),
  finished as (
    update outbound.webhook_deliveries as d
    set status = case locked.outcome when 'released' then 'pending' else locked.outcome end, worker = null,
      run_at = case locked.outcome when 'released' then clock_timestamp() else d.run_at end,
      finished_at = case when locked.outcome <> 'released' then clock_timestamp() end,
      response_status = locked.response_status, response_body = locked.response_body, error = locked.error,
      duration_ms = locked.duration_ms
    from locked
    where d.company_id = locked.company_id and d.event_id = locked.event_id and d.attempt = locked.attempt
    returning locked.*
  ),
  again as (
    insert into outbound.webhook_deliveries (company_id, event_id, attempt, attempt_since_replay, run_at, deferred)
    select f.company_id, f.event_id, f.attempt + 1, f.attempt_since_replay + 1,
      clock_timestamp() + make_interval(secs => f.retry_in_s), true
    from finished as f
    join outbound.webhooks as w on w.company_id = f.company_id and w.is_active
    where f.outcome = 'failed' and f.retry_in_s is not null and not f.gone
    on conflict on constraint webhook_deliveries_pkey do nothing
  )
  select jsonb_agg(jsonb_build_object(
    'company_id', f.company_id, 'outcome', f.outcome, 'gone', f.gone,
    'due_in_s', case f.outcome when 'released' then 0 else f.retry_in_s end
  ))
  into v_done from finished as f;
  if v_done is null then
    return 0;
  end if;

  with result as (
    select f.company_id, bool_or(f.outcome = 'succeeded') as responded, count(*)::int as attempts
    from jsonb_to_recordset(v_done) as f(company_id uuid, outcome text)
    where f.outcome <> 'released' group by f.company_id
  ),
  locked as (
    select w.company_id, result.responded, result.attempts from outbound.webhooks as w
    join result on result.company_id = w.company_id
    where not result.responded or w.failures > 0
    order by w.company_id for no key update of w
  )
  update outbound.webhooks as w set failures = case when locked.responded then 0 else w.failures + locked.attempts end
  from locked where w.company_id = locked.company_id;

  -- A place at the endpoint is free, so what it could not take before may go now.
  with due as (
    select f.company_id, f.at, w.is_failing
    from (
      select d.company_id, now() + make_interval(secs => min(d.due_in_s)) as at
      from jsonb_to_recordset(v_done) as d(company_id uuid, due_in_s float8)
      group by d.company_id
    ) as f
    cross join lateral (
      select o.failures >= outbound.endpoint_fails_after() as is_failing from outbound.webhooks as o
      where o.company_id = f.company_id limit 1
    ) as w
    order by f.company_id
  ),
  freed as (
    select s.company_id, due.is_failing from due
    cross join lateral (
      select w.company_id from outbound.webhook_schedule as w where w.company_id = due.company_id for no key update
    ) as s
  ),
  hurried as (
    update outbound.webhook_schedule as s
    set is_failing = freed.is_failing, due_at = least(s.due_at, clock_timestamp())
    from freed
    where s.company_id = freed.company_id and (s.due_at > clock_timestamp() or s.is_failing <> freed.is_failing)
  )
  insert into outbound.webhook_schedule as s (company_id, is_failing, due_at)
  select due.company_id, due.is_failing, due.at from due
  where due.at is not null and not exists (select from freed where freed.company_id = due.company_id)
  order by due.company_id
  on conflict on constraint webhook_schedule_pkey do update set due_at = least(s.due_at, excluded.due_at);

  perform outbound.stop_webhook(gone.company_id, 'The endpoint answered 410: it wants no more events')
  from (
    select distinct f.company_id from jsonb_to_recordset(v_done) as f(company_id uuid, gone boolean)
    where f.gone order by f.company_id
  ) as gone;
  return jsonb_array_length(v_done);
end
$$;
revoke execute on function outbound.finish_deliveries from public;

-- 65_webhooks/release_deliveries.sql

-- Hands back, unsent, the deliveries that p_worker has leased and that are not among the given ones: those of a claim
-- whose response was lost. The worker has no other claim under way, so no process sends these rows. Returns how many rows
-- are due again.
create function outbound.release_deliveries(p_worker text, p_companies uuid[], p_events text[])
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_results jsonb;
begin
  select jsonb_agg(jsonb_build_object(
    'company_id', d.company_id, 'event_id', d.event_id, 'attempt', d.attempt, 'outcome', 'released'
  )) into v_results
  from outbound.webhook_deliveries as d
  where d.status = 'pending' and d.worker = p_worker and not exists (
    select from unnest(p_companies, p_events) as kept(company_id, event_id)
    where kept.company_id = d.company_id and kept.event_id = d.event_id
  );
  return case when v_results is null then 0 else outbound.finish_deliveries(p_worker, v_results) end;
end
$$;
revoke execute on function outbound.release_deliveries from public;

-- 65_webhooks/replay_events.sql

-- Delivers events again, from the first attempt on: one (p_event_id), or those written since p_since whose delivery failed.
-- Deliveries that wait for a later attempt go now. Returns how many.
create function outbound.replay_events(p_company_id uuid, p_event_id text, p_since timestamptz)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_hurried int;
  v_again int;
begin
  update outbound.webhook_deliveries as d set run_at = now(), deferred = false
  from outbound.outgoing_events as e
  where d.company_id = p_company_id and d.status = 'pending' and d.worker is null
    and e.company_id = d.company_id and e.id = d.event_id
    and (e.id = p_event_id or (p_event_id is null and d.attempt > 1 and e.created_at >= p_since));
  get diagnostics v_hurried = row_count;

  insert into outbound.webhook_deliveries (company_id, event_id, attempt)
  select e.company_id, e.id, latest.attempt + 1
  from outbound.outgoing_events as e
  cross join lateral (
    select d.attempt, d.status from outbound.webhook_deliveries as d
    where d.company_id = e.company_id and d.event_id = e.id order by d.attempt desc limit 1
  ) as latest
  where e.company_id = p_company_id and latest.status <> 'pending'
    and (e.id = p_event_id or (p_event_id is null and latest.status = 'failed' and e.created_at >= p_since))
  on conflict on constraint webhook_deliveries_pkey do nothing;
  get diagnostics v_again = row_count;
  return v_hurried + v_again;
end
$$;
revoke execute on function outbound.replay_events from public;

-- 65_webhooks/schedule_lost_deliveries.sql

-- Has claims look at the companies with deliveries whose worker was lost: its lease, which ended after p_leases_from,
-- ran out before it recorded a result. A step of tick.
create function outbound.schedule_lost_deliveries(p_leases_from timestamptz)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_companies constant uuid[] := array(
    select d.company_id from outbound.webhook_deliveries as d
    where d.status = 'pending' and d.worker is not null and d.run_at >= p_leases_from and d.run_at <= now()
    order by d.run_at limit 10000
  );
begin
  if cardinality(v_companies) = 0 then
    return;
  end if;
  -- No claim runs meanwhile (claim_deliveries): it would lock the same rows in another order.
  perform pg_advisory_xact_lock_shared(hashtextextended('outbound.claim_deliveries', 0));
  insert into outbound.webhook_schedule as s (company_id, due_at)
  select lost.company_id, now() from (select distinct unnest(v_companies) as company_id) as lost
  order by lost.company_id
  on conflict on constraint webhook_schedule_pkey do update set due_at = excluded.due_at
    where s.due_at > excluded.due_at;
end
$$;
revoke execute on function outbound.schedule_lost_deliveries from public;

-- 65_webhooks/stop_webhook.sql

-- Switches a company's webhook off. Pending deliveries fail; `webhook replay --failed` brings them back. A delivery
-- that is locked is being finished, and is passed by.
create function outbound.stop_webhook(p_company_id uuid, p_reason text)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  with waiting as (
    select d.event_id, d.attempt from outbound.webhook_deliveries as d
    where d.company_id = p_company_id and d.status = 'pending' and (d.worker is null or d.run_at <= now())
    for update skip locked
  )
  update outbound.webhook_deliveries as d
  set status = 'failed', worker = null, finished_at = now(), error = coalesce(p_reason, 'The webhook was switched off')
  from waiting
  where d.company_id = p_company_id and d.event_id = waiting.event_id and d.attempt = waiting.attempt;
  update outbound.webhooks as w set is_active = false, stopped_reason = p_reason, updated_at = now()
  where w.company_id = p_company_id;
end
$$;
revoke execute on function outbound.stop_webhook from public;

-- 65_webhooks/write_campaign_events.sql

-- Writes campaign.completed for campaigns that have just become complete.
create function outbound.write_campaign_events(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  -- The format of outbound.iso_time, because calling it costs 2 to 3 µs per time.
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
        'cancelled', g.cancelled, 'skipped', g.skipped, 'replied', g.replied, 'rejected', g.rejected,
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

-- 65_webhooks/write_event.sql

-- Writes one event of a company, if its webhook wants it. p_data: null fields are left out. In PL/pgSQL, because a list
-- of opt-outs calls it a thousand times.
create function outbound.write_event(p_company_id uuid, p_type text, p_at timestamptz, p_data json)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  with written as (
    insert into outbound.outgoing_events (company_id, type, payload)
    select w.company_id, p_type, json_build_object(
      'type', p_type, 'timestamp', outbound.iso_time(p_at), 'data', json_strip_nulls(p_data))
    from outbound.webhooks as w
    where w.company_id = p_company_id and w.is_active and (w.event_types is null or p_type = any (w.event_types))
    returning company_id, id
  )
  insert into outbound.webhook_deliveries (company_id, event_id) select written.company_id, written.id from written;
end
$$;
revoke execute on function outbound.write_event from public;

-- 65_webhooks/write_notification_events.sql

-- Writes the events of notifications that left the states p_was for the ones they are in now. Each fact is reported
-- once, whatever order the platform's events came in: a notification that goes from unconfirmed to read at once was
-- also sent and delivered.
create function outbound.write_notification_events(p_companies uuid[], p_ids uuid[], p_was text[])
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  -- The format of outbound.iso_time, because calling it costs 2 to 3 µs per time.
  c_iso constant text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
begin
  with written as (
    insert into outbound.outgoing_events (company_id, type, payload)
    select n.company_id, e.type, json_build_object(
      'type', e.type,
      'timestamp', to_char(e.at at time zone 'UTC', c_iso),
      'data', json_strip_nulls(json_build_object(
        'company_id', n.company_id, 'campaign_id', n.campaign_id, 'campaign_name', g.name,
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
    )
    from unnest(p_companies, p_ids, p_was) as changed(company_id, id, was)
    join outbound.webhooks as w on w.company_id = changed.company_id and w.is_active
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
    where n.status = any (e.states) and changed.was <> all (e.states) and e.at is not null
      and (w.event_types is null or e.type = any (w.event_types))
    returning company_id, id
  )
  insert into outbound.webhook_deliveries (company_id, event_id) select written.company_id, written.id from written;
end
$$;
revoke execute on function outbound.write_notification_events from public;

-- 70_widgets/assign_conversation.sql

-- Gives a conversation of the inbox to p_member, or takes it from its member (null), with a row in the audit if that
-- changes anything. p_kind: chat or whatsapp. Returns assigned, unchanged, not_a_member, or null when there is no such conversation.
create function outbound.assign_conversation(
  p_company_id uuid, p_kind text, p_id uuid, p_member uuid, p_actor text, p_request_id text
)
returns text
language plpgsql security invoker set search_path = ''
as $$
declare
  v_before uuid;
begin
  -- The member stays one until this has committed.
  perform from outbound.company_members as m
  where m.company_id = p_company_id and m.user_id = p_member for key share;
  if not found and p_member is not null then
    return 'not_a_member';
  end if;
  if p_kind = 'chat' then
    select c.assigned_to into v_before from outbound.conversations as c
    where c.company_id = p_company_id and c.id = p_id for no key update;
  else
    select t.assigned_to into v_before from outbound.contact_threads as t
    where t.company_id = p_company_id and t.id = p_id for no key update;
  end if;
  if not found then
    return null;
  elsif v_before is not distinct from p_member then
    return 'unchanged';
  end if;
  update outbound.conversations as c set assigned_to = p_member
  where p_kind = 'chat' and c.company_id = p_company_id and c.id = p_id;
  update outbound.contact_threads as t set assigned_to = p_member
  where p_kind = 'whatsapp' and t.company_id = p_company_id and t.id = p_id;
  perform outbound.write_audit(p_company_id, p_actor, 'conversation.assigned', p_id::text,
    jsonb_build_object('assigned_to', v_before), jsonb_build_object('assigned_to', p_member), p_request_id);
  return 'assigned';
end
$$;
revoke execute on function outbound.assign_conversation from public;

-- 70_widgets/bind_conversation.sql

-- Ties a session to the conversation it began. From then on the session has no other, and no other session has this
-- one. Returns bound (also when it was bound before), other, taken, or null when there is no such session.
create function outbound.bind_conversation(p_company_id uuid, p_id uuid, p_conversation_id text)
returns text
language plpgsql security invoker set search_path = ''
as $$
declare
  v_bound text;
begin
  select s.conversation_id into v_bound from outbound.voice_sessions as s
  where s.company_id = p_company_id and s.id = p_id
  for no key update;
  if not found then
    return null;
  end if;
  if v_bound is not null then
    return case when v_bound = p_conversation_id then 'bound' else 'other' end;
  end if;
  update outbound.voice_sessions as s
  set conversation_id = p_conversation_id,
    check_at = case when s.duration_s is null then now() + interval '2 minutes' end
  where s.company_id = p_company_id and s.id = p_id;
  return 'bound';
exception
  when unique_violation then
    return 'taken';
end
$$;
revoke execute on function outbound.bind_conversation from public;

-- 70_widgets/cancel_voice_session.sql

-- Removes a session that never began: it counts for nothing. A session whose length is known did begin, and stays.
create function outbound.cancel_voice_session(p_company_id uuid, p_id uuid)
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  v_session outbound.voice_sessions;
begin
  delete from outbound.voice_sessions as s
  where s.company_id = p_company_id and s.id = p_id and s.duration_s is null
  returning * into v_session;
  if found then
    perform outbound.refund_voice_minutes(p_company_id, v_session.widget_id, v_session.day, 1, v_session.reserved_s);
  end if;
end
$$;
revoke execute on function outbound.cancel_voice_session from public;

-- 70_widgets/close_conversation.sql

-- Ends a conversation: it can be read, but not written in any more. Returns its status before; null when there is
-- none.
create function outbound.close_conversation(p_company_id uuid, p_conversation_id uuid)
returns text
language plpgsql security invoker set search_path = ''
as $$
declare
  v_status text;
begin
  select c.status into v_status from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id
  for no key update;
  update outbound.conversations as c
  set status = 'closed', closed_at = now(), visitor_typing_until = null, operator_typing_until = null
  where c.company_id = p_company_id and c.id = p_conversation_id and c.status = 'open';
  return v_status;
end
$$;
revoke execute on function outbound.close_conversation from public;

-- 70_widgets/count_visitor_request.sql

-- Counts a request against each subject. A refused request does not count further, so that a caller that keeps trying
-- is let in when the window ends. wait_s: seconds to wait, 0 when it may go on. reached: the limit that was reached.
create function outbound.count_visitor_request(
  p_subjects text[], p_limits int[], p_window interval, out wait_s int, out reached int
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_row record;
begin
  wait_s := 0;
  for v_row in
    insert into outbound.visitor_requests as r (subject, window_start, requests)
    select s.subject, now(), 1 from unnest(p_subjects, p_limits) as s(subject, most) order by s.subject
    on conflict (subject) do update set
      requests = case when outbound.is_window_over(r.window_start, p_window) then 1
        else least(r.requests, p_limits[array_position(p_subjects, r.subject)]) + 1 end,
      window_start = case when outbound.is_window_over(r.window_start, p_window) then now() else r.window_start end
    returning r.requests, outbound.seconds_until(r.window_start + p_window) as ends_s,
      p_limits[array_position(p_subjects, r.subject)] as most
  loop
    if v_row.requests > v_row.most and v_row.ends_s > wait_s then
      wait_s := v_row.ends_s;
      reached := v_row.most;
    end if;
  end loop;
end
$$;
revoke execute on function outbound.count_visitor_request from public;

-- 70_widgets/describe_message.sql

-- Returns a message as all responses and events show it.
create function outbound.describe_message(p_message outbound.conversation_messages)
returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object(
    'id', p_message.id, 'sequence', p_message.sequence, 'author', p_message.author, 'text', p_message.text,
    'created_at', outbound.iso_time(p_message.created_at), 'client_message_id', p_message.client_message_id)
$$;
revoke execute on function outbound.describe_message from public;

-- 70_widgets/open_conversation.sql

-- Returns how much storage a conversation takes from the day's quota at a time, so that a message seldom touches the
-- row that all visitors of a widget share. A piece holds the longest message.
create function outbound.stored_bytes_per_piece()
returns int
language sql immutable security invoker set search_path = ''
return 16384;
revoke execute on function outbound.stored_bytes_per_piece from public;

-- Opens a conversation and counts it. Returns its id, or the cap that was reached as use_visitor_quota does.
create function outbound.open_conversation(
  p_company_id uuid, p_widget_id uuid, p_user_id uuid, p_token_hash text, p_language text, p_page_url text,
  p_page_title text
)
returns table (id uuid, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_reached record;
  v_id uuid;
begin
  select * into v_reached from outbound.use_visitor_quota(
    p_company_id, p_widget_id, null, null, 1, outbound.stored_bytes_per_piece());
  if v_reached.cap is null then
    insert into outbound.conversations as c (
      company_id, widget_id, user_id, token_hash, language, page_url, page_title, stored_bytes_left
    )
    values (
      p_company_id, p_widget_id, p_user_id, p_token_hash, p_language, p_page_url, p_page_title,
      outbound.stored_bytes_per_piece()
    )
    returning c.id into v_id;
  end if;
  return query select v_id, v_reached.cap, v_reached.quota, v_reached.used;
end
$$;
revoke execute on function outbound.open_conversation from public;

-- 70_widgets/post_message.sql

-- Adds a message and reports it to the company's webhook. The conversation's row is the lock: numbers have no gaps,
-- and a repeated client_message_id finds the first message. outcome: posted, repeated, closed, quota (with the cap
-- that the visitor reached, as use_visitor_quota returns it), or no row when there is no such conversation. A
-- visitor's message counts with its bytes and 256 more for its row.
create function outbound.post_message(
  p_company_id uuid, p_conversation_id uuid, p_author text, p_text text, p_client_message_id uuid
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_conversation outbound.conversations;
  v_message outbound.conversation_messages;
  v_bytes constant int := case when p_author = 'visitor' then octet_length(p_text) + 256 else 0 end;
  v_left int;
  v_reached record;
begin
  select * into v_conversation from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id
  for no key update;
  if not found then
    return;
  end if;
  select * into v_message from outbound.conversation_messages as m
  where m.company_id = p_company_id and m.conversation_id = p_conversation_id
    and m.client_message_id = p_client_message_id;
  if found then
    return query select 'repeated', outbound.describe_message(v_message), null::text, null::int, null::int;
    return;
  end if;
  if v_conversation.status <> 'open' then
    return query select 'closed', null::jsonb, null::text, null::int, null::int;
    return;
  end if;
  v_left := v_conversation.stored_bytes_left - v_bytes;
  if v_left < 0 then
    select * into v_reached from outbound.use_visitor_quota(
      p_company_id, v_conversation.widget_id, null, null, null, outbound.stored_bytes_per_piece());
    if v_reached.cap is not null then
      return query select 'quota', null::jsonb, v_reached.cap, v_reached.quota, v_reached.used;
      return;
    end if;
    v_left := v_left + outbound.stored_bytes_per_piece();
  end if;
  insert into outbound.conversation_messages
    (company_id, conversation_id, sequence, author, text, client_message_id)
  values
    (p_company_id, p_conversation_id, v_conversation.last_sequence + 1, p_author, p_text, p_client_message_id)
  returning * into v_message;
  update outbound.conversations as c
  set last_sequence = v_message.sequence, last_author = p_author, last_message_at = v_message.created_at,
    stored_bytes_left = v_left,
    visitor_typing_until = case when p_author = 'visitor' then null else c.visitor_typing_until end,
    operator_typing_until = case when p_author = 'operator' then null else c.operator_typing_until end
  where c.company_id = p_company_id and c.id = p_conversation_id;
  perform outbound.report_message(v_conversation, v_message);
  return query select 'posted', outbound.describe_message(v_message), null::text, null::int, null::int;
end
$$;
revoke execute on function outbound.post_message from public;

-- 70_widgets/refund_voice_minutes.sql

-- Takes voice use back from a day or, below zero, adds to it. A day that clean_up has deleted stays deleted.
create function outbound.refund_voice_minutes(
  p_company_id uuid, p_widget_id uuid, p_day date, p_voice_sessions int, p_voice_s int
)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  perform from outbound.visitor_usage as u
  where u.company_id = p_company_id and u.subject_id in (p_widget_id, p_company_id) and u.day = p_day
  order by u.subject_id = u.company_id
  for no key update;
  update outbound.visitor_usage as u
  set voice_sessions = greatest(u.voice_sessions - p_voice_sessions, 0), voice_s = greatest(u.voice_s - p_voice_s, 0)
  where u.company_id = p_company_id and u.subject_id in (p_widget_id, p_company_id) and u.day = p_day;
end
$$;
revoke execute on function outbound.refund_voice_minutes from public;

-- 70_widgets/report_message.sql

-- Writes conversation.message, and before the first one of a conversation conversation.started. A conversation
-- without a message is not reported.
create function outbound.report_message(
  p_conversation outbound.conversations, p_message outbound.conversation_messages
)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  if p_message.sequence = 1 then
    perform outbound.write_event(p_message.company_id, 'conversation.started', p_message.created_at,
      json_build_object(
        'company_id', p_message.company_id, 'conversation_id', p_message.conversation_id,
        'widget_id', p_conversation.widget_id, 'user_id', p_conversation.user_id,
        'language', p_conversation.language, 'page_url', p_conversation.page_url,
        'page_title', p_conversation.page_title,
        'created_at', outbound.iso_time(p_conversation.created_at)));
  end if;
  perform outbound.write_event(p_message.company_id, 'conversation.message', p_message.created_at,
    json_build_object(
      'company_id', p_message.company_id, 'conversation_id', p_message.conversation_id,
      'widget_id', p_conversation.widget_id, 'user_id', p_conversation.user_id,
      'message_id', p_message.id, 'sequence', p_message.sequence, 'author', p_message.author,
      'text', p_message.text, 'created_at', outbound.iso_time(p_message.created_at)));
end
$$;
revoke execute on function outbound.report_message from public;

-- 70_widgets/search_knowledge.sql

-- Returns the company's documents that contain any word of a question but the most common ones of its language, the
-- best first.
create function outbound.search_knowledge(p_company_id uuid, p_question text, p_language regconfig, p_limit int)
returns table (title text, text text, url text)
language sql stable security invoker set search_path = ''
as $$
  with question as (
    select string_agg(
      (plainto_tsquery('simple', word.lexeme) || plainto_tsquery(p_language, word.lexeme))::text, ' | '
    )::tsquery as words
    from unnest(to_tsvector('simple', p_question)) as word
    where to_tsvector(p_language, word.lexeme) <> ''::tsvector
  ),
  best as (
    select d.title, d.content, d.url, d.id, d.language, q.words, ts_rank(d.search, q.words) as rank
    from question as q
    join outbound.knowledge_documents as d on d.search @@ q.words
    where d.company_id = p_company_id
    order by rank desc, d.id
    limit p_limit
  )
  select b.title,
    case when length(b.content) <= 1000 then b.content else ts_headline(
      outbound.text_search_config(b.language), b.content, b.words,
      'MaxFragments=3, MaxWords=60, MinWords=20, StartSel="", StopSel="", FragmentDelimiter=" … "') end,
    b.url
  from best as b order by b.rank desc, b.id
$$;
revoke execute on function outbound.search_knowledge from public;

-- 70_widgets/settle_voice_session.sql

-- Replaces what a session reserved by its real length; a second time changes nothing.
create function outbound.settle_voice_session(p_company_id uuid, p_id uuid, p_duration_s int)
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  v_session outbound.voice_sessions;
begin
  update outbound.voice_sessions as s set duration_s = p_duration_s, check_at = null
  where s.company_id = p_company_id and s.id = p_id and s.duration_s is null
  returning * into v_session;
  if found then
    perform outbound.refund_voice_minutes(
      p_company_id, v_session.widget_id, v_session.day, 0, v_session.reserved_s - p_duration_s);
  end if;
end
$$;
revoke execute on function outbound.settle_voice_session from public;

-- 70_widgets/start_voice_session.sql

-- Starts a session of a widget: counts it, and reserves the longest time it may take. Returns that time, and the cap
-- that was reached as use_visitor_quota does; then nothing is started. No row when there is no such widget.
create function outbound.start_voice_session(p_company_id uuid, p_id uuid, p_widget_id uuid, p_agent_id text)
returns table (max_session_s int, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_max_s int;
  v_reached record;
begin
  select w.max_session_minutes * 60 into v_max_s
  from outbound.widgets as w where w.company_id = p_company_id and w.id = p_widget_id;
  if not found then
    return;
  end if;
  select * into v_reached from outbound.use_visitor_quota(p_company_id, p_widget_id, 1, v_max_s, null, null);
  if v_reached.cap is null then
    insert into outbound.voice_sessions (company_id, id, widget_id, agent_id, day, reserved_s)
    values (p_company_id, p_id, p_widget_id, p_agent_id, (now() at time zone 'UTC')::date, v_max_s);
  end if;
  return query select v_max_s, v_reached.cap, v_reached.quota, v_reached.used;
end
$$;
revoke execute on function outbound.start_voice_session from public;

-- 70_widgets/take_sessions_to_settle.sql

-- Hands out up to p_limit sessions whose length has to be read from the platform, each to one caller only. A session
-- comes again after half of its age, two minutes at least. A session whose length is unknown an hour after its longest
-- time does not come again, and keeps what it reserved.
create function outbound.take_sessions_to_settle(p_limit int)
returns table (company_id uuid, id uuid, conversation_id text, created_at timestamptz, reserved_s int)
language sql security invoker set search_path = ''
as $$
  with due as (
    select s.company_id, s.id from outbound.voice_sessions as s
    where s.check_at <= now()
    order by s.check_at limit p_limit for no key update skip locked
  )
  update outbound.voice_sessions as s
  set check_at = case when now() < s.created_at + make_interval(secs => s.reserved_s) + interval '1 hour'
    then now() + greatest(interval '2 minutes', (now() - s.created_at) / 2) end
  from due where s.company_id = due.company_id and s.id = due.id
  returning s.company_id, s.id, s.conversation_id, s.created_at, s.reserved_s
$$;
revoke execute on function outbound.take_sessions_to_settle from public;

-- 70_widgets/use_visitor_quota.sql

-- Adds to what visitors used today, in the widget's row and in the company's; all of it or, where a cap is reached,
-- nothing. Null amounts count as nothing. Returns the cap that was reached: `cap` is voice_sessions, voice_minutes,
-- conversations or stored_mb, null when there is none; quota and used belong to that cap, before this use.
--
-- Touches two rows, whatever was used before. Lock order: the conversation or session that the use is about, the
-- widget's row, the company's.
create function outbound.use_visitor_quota(
  p_company_id uuid, p_widget_id uuid, p_voice_sessions int, p_voice_s int, p_conversations int, p_stored_bytes int,
  out cap text, out quota int, out used int
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_day constant date := (now() at time zone 'UTC')::date;
  v_row record;
begin
  insert into outbound.visitor_usage (company_id, subject_id, day)
  values (p_company_id, p_widget_id, v_day), (p_company_id, p_company_id, v_day)
  on conflict on constraint visitor_usage_pkey do nothing;
  for v_row in
    select u.voice_sessions, u.voice_s, u.conversations, u.stored_bytes,
      coalesce(w.max_voice_sessions_per_day, c.max_voice_sessions_per_day) as max_voice_sessions,
      coalesce(w.max_voice_minutes_per_day, c.max_voice_minutes_per_day) as max_voice_minutes,
      coalesce(w.max_conversations_per_day, c.max_conversations_per_day) as max_conversations,
      coalesce(w.max_stored_mb_per_day, c.max_stored_mb_per_day) as max_stored_mb
    from outbound.visitor_usage as u
    join outbound.companies as c on c.id = u.company_id
    left join outbound.widgets as w on w.company_id = u.company_id and w.id = u.subject_id
    where u.company_id = p_company_id and u.subject_id in (p_widget_id, p_company_id) and u.day = v_day
    order by u.subject_id = u.company_id
    for no key update of u
  loop
    select k.cap, k.quota, k.used into cap, quota, used
    from (values
      ('voice_sessions', v_row.max_voice_sessions::bigint, v_row.voice_sessions::bigint, p_voice_sessions::bigint,
        1::bigint),
      ('voice_minutes', v_row.max_voice_minutes, v_row.voice_s, p_voice_s, 60),
      ('conversations', v_row.max_conversations, v_row.conversations, p_conversations, 1),
      ('stored_mb', v_row.max_stored_mb, v_row.stored_bytes, p_stored_bytes, 1048576)
    ) as c(cap, quota, used, more, unit)
    cross join lateral (select c.cap, c.quota::int as quota, ceil(c.used::numeric / c.unit)::int as used) as k
    where c.more > 0 and c.used + c.more > c.quota * c.unit
    limit 1;
    if found then
      return;
    end if;
  end loop;
  update outbound.visitor_usage as u
  set voice_sessions = u.voice_sessions + coalesce(p_voice_sessions, 0), voice_s = u.voice_s + coalesce(p_voice_s, 0),
    conversations = u.conversations + coalesce(p_conversations, 0),
    stored_bytes = u.stored_bytes + coalesce(p_stored_bytes, 0)
  where u.company_id = p_company_id and u.subject_id in (p_widget_id, p_company_id) and u.day = v_day;
end
$$;
revoke execute on function outbound.use_visitor_quota from public;

-- 70_widgets/widget_for_key.sql

-- Returns the company of a key that a page shows, and one of its widgets. The key is the company's own access key (by
-- its hash) or a publishable one. No row when the key is not valid; no widget when it does not exist, is off, or
-- belongs to another company. Using a widget does not count against the rate of the company's key: visitors are not
-- the company's backend.
create function outbound.widget_for_key(p_key text, p_key_hash text, p_widget_id uuid)
returns table (
  company_id uuid, company_name text, api_access boolean, publishable boolean,
  widget_id uuid, kind text, config jsonb, allowed_origins text[]
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_company uuid;
  v_publishable boolean := false;
begin
  select k.company_id into v_company from outbound.api_keys as k where k.key_hash = p_key_hash and k.is_active;
  if found then
    update outbound.api_keys as k set last_used_at = now()
    where k.key_hash = p_key_hash
      and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute');
  else
    select p.company_id into v_company from outbound.publishable_keys as p where p.key = p_key and p.is_active;
    v_publishable := true;
  end if;
  return query select c.id, c.name, c.api_access, v_publishable, w.id, w.kind, w.config, w.allowed_origins
  from outbound.companies as c
  left join outbound.widgets as w on w.company_id = c.id and w.id = p_widget_id and w.is_active
  where c.id = v_company;
end
$$;
revoke execute on function outbound.widget_for_key from public;

-- 75_handoffs/end_handoff.sql

-- Ends the handoff that a session requested. Returns the room; null when the session has no such handoff.
create function outbound.end_handoff(p_company_id uuid, p_session_id uuid, p_id uuid)
returns text
language plpgsql security invoker set search_path = ''
as $$
declare
  v_room text;
begin
  select h.room into v_room from outbound.handoffs as h
  where h.company_id = p_company_id and h.session_id = p_session_id and h.id = p_id;
  if found then
    perform outbound.end_open_handoff(p_company_id, p_id, 'visitor');
  end if;
  return v_room;
end
$$;
revoke execute on function outbound.end_handoff from public;

-- 75_handoffs/end_open_handoff.sql

-- Ends a handoff and reports it to the company's webhook; ending it again changes nothing. p_reason: visitor, expired
-- or room_closed.
create function outbound.end_open_handoff(p_company_id uuid, p_id uuid, p_reason text)
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  v_handoff outbound.handoffs;
begin
  select * into v_handoff from outbound.handoffs as h
  where h.company_id = p_company_id and h.id = p_id and h.status <> 'ended'
  for no key update;
  if not found then
    return;
  end if;
  update outbound.handoffs as h set status = 'ended', ended_at = now()
  where h.company_id = p_company_id and h.id = p_id;
  perform outbound.write_event(p_company_id, 'handoff.ended', now(), json_build_object(
    'company_id', p_company_id, 'handoff_id', p_id, 'widget_id', v_handoff.widget_id,
    'conversation_id', v_handoff.conversation_id, 'room', v_handoff.room, 'previous_status', v_handoff.status,
    'reason', p_reason, 'created_at', outbound.iso_time(v_handoff.created_at),
    'ended_at', outbound.iso_time(now())));
end
$$;
revoke execute on function outbound.end_open_handoff from public;

-- 75_handoffs/expire_handoffs.sql

-- Ends up to p_limit handoffs that have lasted too long, the oldest first. For tick(): those that are locked wait for
-- the next one.
create function outbound.expire_handoffs(p_limit int)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  perform outbound.end_open_handoff(due.company_id, due.id, 'expired')
  from (
    select h.company_id, h.id from outbound.handoffs as h
    where h.status <> 'ended' and h.expires_at <= now()
    order by h.expires_at limit p_limit for no key update skip locked
  ) as due;
end
$$;
revoke execute on function outbound.expire_handoffs from public;

-- 75_handoffs/join_handoff.sql

-- Records that a person of the company takes over. Returns the room; null when there is no such handoff, or it has
-- ended.
create function outbound.join_handoff(p_company_id uuid, p_id uuid)
returns text
language sql security invoker set search_path = ''
as $$
  update outbound.handoffs as h
  set status = 'joined', expires_at = case h.status when 'joined' then h.expires_at else now() + interval '4 hours' end
  where h.company_id = p_company_id and h.id = p_id and h.status <> 'ended' and h.expires_at > now()
  returning h.room
$$;
revoke execute on function outbound.join_handoff from public;

-- 75_handoffs/open_handoff_room.sql

-- Returns the room of a company's handoff that is still open; null when there is none.
create function outbound.open_handoff_room(p_company_id uuid, p_id uuid)
returns text
language sql stable security invoker set search_path = ''
as $$
  select h.room from outbound.handoffs as h
  where h.company_id = p_company_id and h.id = p_id and h.status <> 'ended' and h.expires_at > now()
$$;
revoke execute on function outbound.open_handoff_room from public;

-- 75_handoffs/request_handoff.sql

-- Stores a request to talk to a person, and reports it to the company's webhook.
create function outbound.request_handoff(
  p_company_id uuid, p_id uuid, p_widget_id uuid, p_session_id uuid, p_conversation_id text, p_reason text,
  p_contact jsonb, p_room text
)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.handoffs (company_id, id, widget_id, session_id, conversation_id, reason, contact, room)
  values (p_company_id, p_id, p_widget_id, p_session_id, p_conversation_id, p_reason, p_contact, p_room);
  perform outbound.write_event(p_company_id, 'handoff.requested', now(), json_build_object(
    'company_id', p_company_id, 'handoff_id', p_id, 'widget_id', p_widget_id,
    'conversation_id', p_conversation_id, 'reason', p_reason, 'contact', p_contact, 'room', p_room,
    'created_at', outbound.iso_time(now())));
end
$$;
revoke execute on function outbound.request_handoff from public;

-- 80_contacts/addresses_of.sql

-- Returns every known address of a person, in their order: those given, those that user_ids links to them, and every
-- alias of the numbers.
create function outbound.addresses_of(p_company_id uuid, p_number text, p_user_id text)
returns text[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_numbers text[];
begin
  select array_agg(distinct spelt.number) into v_numbers
  from (
    select p_number as number
    union all
    select u.number from outbound.user_ids as u where u.company_id = p_company_id and u.user_id = p_user_id
  ) as known
  cross join lateral unnest(outbound.aliases_of(p_company_id, known.number)) as spelt(number)
  where known.number is not null;
  return array(
    select address from (
      select unnest(v_numbers) as address
      union
      select p_user_id where p_user_id is not null
      union
      select u.user_id from unnest(v_numbers) as known(number)
      cross join lateral (
        select o.user_id from outbound.user_ids as o where o.company_id = p_company_id and o.number = known.number
        offset 0 -- one look-up per number, also by a plan that was made for an empty table
      ) as u
    ) as known
    order by address
  );
end
$$;
revoke execute on function outbound.addresses_of from public;

-- 80_contacts/aliases_of.sql

-- Returns every known alias of a number, with the number itself.
create function outbound.aliases_of(p_company_id uuid, p_number text)
returns text[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_platform_number constant text := coalesce((
    select s.platform_number from outbound.number_aliases as s where s.company_id = p_company_id and s.number = p_number
  ), p_number);
begin
  return array(
    select v_platform_number
    union
    select p_number
    union
    select s.number from outbound.number_aliases as s
    where s.company_id = p_company_id and s.platform_number = v_platform_number
  );
end
$$;
revoke execute on function outbound.aliases_of from public;

-- 80_contacts/delete_contact_data.sql

-- Deletes what a company knows about a person by the given addresses, and the messages p_messages, which the caller has
-- locked. Returns the counts {user_ids, suppressions, consents, messages}. A step of erase_contact.
create function outbound.delete_contact_data(p_company_id uuid, p_addresses text[], p_messages uuid[])
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_user_ids int;
  v_suppressions int;
  v_consents int;
begin
  delete from outbound.user_ids as u
  where u.company_id = p_company_id and (u.user_id = any (p_addresses) or u.number = any (p_addresses));
  get diagnostics v_user_ids = row_count;
  delete from outbound.number_aliases as s where s.company_id = p_company_id and s.number = any (p_addresses);
  delete from outbound.suppressions as s where s.company_id = p_company_id and s.address = any (p_addresses);
  get diagnostics v_suppressions = row_count;
  delete from outbound.consents as c where c.company_id = p_company_id and c.address = any (p_addresses);
  get diagnostics v_consents = row_count;
  delete from outbound.contact_messages as m where m.company_id = p_company_id and m.id = any (p_messages);
  delete from outbound.marketing_cooldowns as r where r.company_id = p_company_id and r.address = any (p_addresses);
  delete from outbound.marketing_sends as s where s.company_id = p_company_id and s.address = any (p_addresses);
  return jsonb_build_object('user_ids', v_user_ids, 'suppressions', v_suppressions, 'consents', v_consents,
    'messages', cardinality(p_messages));
end
$$;
revoke execute on function outbound.delete_contact_data from public;

-- 80_contacts/delete_events_about.sql

-- Deletes the outgoing events that name a person, with their deliveries: p_events, and those written since p_since that
-- hold one of the addresses. Returns how many. A step of erase_contact.
create function outbound.delete_events_about(
  p_company_id uuid, p_addresses text[], p_events text[], p_since timestamptz
)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_patterns constant text[] := array(select '%"' || a || '"%' from unnest(p_addresses) as a);
  v_events text[];
  v_rows int;
begin
  with named as (
    select e.id from outbound.outgoing_events as e where e.company_id = p_company_id and e.id = any (p_events)
    union
    select e.id from outbound.outgoing_events as e
    where e.company_id = p_company_id and e.created_at >= p_since and e.payload::text like any (v_patterns)
  )
  select array_agg(named.id) into v_events from named;
  delete from outbound.webhook_deliveries as d where d.company_id = p_company_id and d.event_id = any (v_events);
  delete from outbound.outgoing_events as e where e.company_id = p_company_id and e.id = any (v_events);
  get diagnostics v_rows = row_count;
  return v_rows;
end
$$;
revoke execute on function outbound.delete_events_about from public;

-- 80_contacts/erase_contact.sql

-- Erases what is known about a person, under all the given addresses, and keeps the person suppressed by hashes of
-- them. Of a notification, only what happened and when stays; one that still waits is skipped (erased), one of unknown
-- outcome fails. The platform's message ids go too, because a WhatsApp id contains the recipient's number.
-- p_addresses: what addresses_of returned a moment ago; p_hashes: theirs.
-- p_events: the ids of outgoing events that name the person, written before p_since; later ones are searched here.
-- Returns outcome: erased (with counts); changed (the person has other addresses or notifications by now: read them
-- again); on_its_way (a message is being sent, or a call is going on: retry after retry_after_s). Only `erased`
-- changes anything.
create function outbound.erase_contact(
  p_company_id uuid, p_number text, p_user_id text, p_addresses text[], p_hashes text[], p_events text[],
  p_since timestamptz, p_actor text, p_request_id text, out outcome text, out retry_after_s int, out counts jsonb
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_ids uuid[];
  v_messages uuid[];
begin
  -- Accepting locks its key first: a notification that is accepted meanwhile is either seen here, or sees the hashes.
  perform from outbound.api_keys as k
  where k.company_id = p_company_id and k.is_active order by k.key_hash for no key update;
  if outbound.addresses_of(p_company_id, p_number, p_user_id) <> p_addresses then
    outcome := 'changed';
    return;
  end if;
  select l.ids, l.retry_after_s into v_ids, retry_after_s
  from outbound.lock_notifications_to(p_company_id, p_addresses) as l;
  if v_ids is null then
    outcome := 'changed';
    return;
  end if;
  -- Out of the lock order, so only those that can be locked at once: one that is locked is being sent, or just was.
  v_messages := array(
    select m.id from outbound.contact_messages as m
    where m.company_id = p_company_id and (m.number = any (p_addresses) or m.user_id = any (p_addresses))
      and m.status <> 'sending'
    order by m.id for update skip locked
  );
  if exists (
    select from outbound.contact_messages as m
    where m.company_id = p_company_id and (m.number = any (p_addresses) or m.user_id = any (p_addresses))
      and m.id <> all (v_messages)
  ) then
    retry_after_s := greatest(retry_after_s, 5);
  end if;
  if retry_after_s is not null then
    outcome := 'on_its_way';
    return;
  end if;

  outcome := 'erased';
  counts := outbound.erase_notifications(p_company_id, v_ids)
    || jsonb_build_object('events', outbound.delete_events_about(p_company_id, p_addresses, p_events, p_since))
    || outbound.delete_contact_data(p_company_id, p_addresses, v_messages);
  insert into outbound.erased_contacts (company_id, address_hash)
  select p_company_id, hash from unnest(p_hashes) as hash order by hash
  on conflict on constraint erased_contacts_pkey do update set erased_at = now();
  perform outbound.write_audit(p_company_id, p_actor, 'contact.erased', null, null, counts, p_request_id);
end
$$;
revoke execute on function outbound.erase_contact from public;

-- 80_contacts/erase_notifications.sql

-- Erases the recipients of a company's notifications, which the caller has locked: one that waits is skipped (erased),
-- one of unknown outcome fails; then what their tries and calls hold of the person, and moves the campaigns' counters.
-- Returns the counts {notifications, skipped, failed, calls}. A step of erase_contact.
create function outbound.erase_notifications(p_company_id uuid, p_ids uuid[])
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_counts jsonb;
  v_moves jsonb;
  v_calls int;
begin
  with gone as (
    delete from outbound.queue as q where q.company_id = p_company_id and q.id = any (p_ids)
    returning q.id, q.status, q.attempt, q.fence, q.claimed_at
  ),
  settled as (
    select n.id, n.campaign_id, gone.status as was, coalesce(gone.attempt, n.attempt) as attempt,
      coalesce(gone.fence, n.fence) as fence, coalesce(gone.claimed_at, n.claimed_at) as claimed_at
    from outbound.notification_facts as n left join gone on gone.id = n.id
    where n.company_id = p_company_id and n.id = any (p_ids)
  ),
  erased as (
    update outbound.notification_facts as n
    set number = null, user_id = null, message = '{}', metadata = null, platform_message_id = null,
      status = case s.was when 'queued' then 'skipped' when 'unconfirmed' then 'failed' else n.status end,
      attempt = s.attempt, fence = s.fence, claimed_at = s.claimed_at,
      skipped_at = case when s.was = 'queued' then now() else n.skipped_at end,
      failed_at = case when s.was = 'unconfirmed' then now() else n.failed_at end,
      error_code = case s.was when 'queued' then 'erased' when 'unconfirmed' then 'outcome_unknown'
        else n.error_code end,
      error_reason = case s.was when 'queued' then 'The recipient was erased'
        when 'unconfirmed' then 'The platform had not said whether it took the message when its recipient was erased'
        else n.error_reason end
    from settled as s
    where n.company_id = p_company_id and n.id = s.id
    returning n.campaign_id, s.was
  )
  select jsonb_build_object(
      'notifications', count(*), 'skipped', count(*) filter (where e.was = 'queued'),
      'failed', count(*) filter (where e.was = 'unconfirmed')
    ),
    jsonb_agg(jsonb_build_object('company_id', p_company_id, 'campaign_id', e.campaign_id,
      'pending', - (e.was = 'queued')::int, 'skipped', (e.was = 'queued')::int,
      'processing', - (e.was = 'unconfirmed')::int, 'failed', (e.was = 'unconfirmed')::int
    )) filter (where e.was is not null)
  into v_counts, v_moves from erased as e;

  update outbound.delivery_attempts as a set platform_message_id = null
  where a.company_id = p_company_id and a.notification_id = any (p_ids) and a.platform_message_id is not null;

  update outbound.calls as k set transcript = null, summary = null
  where k.company_id = p_company_id and k.notification_id = any (p_ids);
  get diagnostics v_calls = row_count;

  if v_moves is not null then
    perform outbound.move_campaign_counters(v_moves);
  end if;
  return v_counts || jsonb_build_object('calls', v_calls);
end
$$;
revoke execute on function outbound.erase_notifications from public;

-- 80_contacts/link_user_id.sql

-- Records that a user id belonged to a number at p_at, or that we have seen it. The latest link by time counts. What is
-- known under one address of a person is then known under all of them.
create function outbound.link_user_id(
  p_company_id uuid, p_user_id text, p_number text, p_username text, p_at timestamptz
)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_was record;
begin
  select u.number, u.username, u.linked_at into v_was from outbound.user_ids as u
  where u.company_id = p_company_id and u.user_id = p_user_id;
  if found and (p_number is null or v_was.number = p_number or v_was.linked_at > p_at)
    and (p_username is null or v_was.username = p_username) then
    return;
  end if;
  insert into outbound.user_ids as u (company_id, user_id, number, username, linked_at)
  values (
    p_company_id, p_user_id, p_number, p_username, case when p_number is null then '-infinity' else p_at end
  )
  on conflict on constraint user_ids_pkey do update
    set number = case when u.linked_at > excluded.linked_at then u.number else coalesce(excluded.number, u.number) end,
      username = coalesce(excluded.username, u.username), seen_at = now(),
      linked_at = greatest(u.linked_at, excluded.linked_at);
  if p_number is not null and v_was.number is distinct from p_number then
    perform outbound.share_between_addresses(p_company_id, outbound.addresses_of(p_company_id, p_number, p_user_id));
  end if;
end
$$;
revoke execute on function outbound.link_user_id from public;

-- 80_contacts/link_user_ids.sql

-- Records which user ids belong to which numbers, as the platform's receipts show them.
-- p_links: [{company_id, id, user_id, number, at}, …]; id: that of the notification or of the reply that the receipt is
-- about. Passes over those of no message of ours, and of one whose recipient was erased. One statement for all, because
-- each person's first message brings a link; only few people have anything to share between their addresses.
create function outbound.link_user_ids(p_links json)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_person record;
begin
  for v_person in
    with link as (
      select l.company_id, l.user_id, (array_agg(l.number order by l.at desc))[1] as number,
        max(least(l.at, now())) as at
      from json_to_recordset(p_links) as l(company_id uuid, id uuid, user_id text, number text, at timestamptz)
      where exists (
        select from outbound.notification_facts as n
        where n.company_id = l.company_id and n.id = l.id and num_nonnulls(n.number, n.user_id) > 0
      ) or exists (
        select from outbound.contact_messages as m
        where m.company_id = l.company_id and m.id = l.id and num_nonnulls(m.number, m.user_id) > 0
      )
      group by l.company_id, l.user_id
    ),
    written as (
      insert into outbound.user_ids as u (company_id, user_id, number, linked_at)
      select l.company_id, l.user_id, l.number, l.at from link as l order by l.company_id, l.user_id
      on conflict on constraint user_ids_pkey do update
        set number = excluded.number, linked_at = excluded.linked_at, seen_at = now()
        where u.number is distinct from excluded.number and u.linked_at <= excluded.linked_at
      returning u.company_id, u.user_id, u.number
    )
    select w.company_id, w.user_id, w.number from written as w
    where exists (
      select from (values (w.user_id), (w.number)) as known(address)
      where exists (
        select from outbound.suppressions as s where s.company_id = w.company_id and s.address = known.address
      ) or exists (
        select from outbound.consents as c where c.company_id = w.company_id and c.address = known.address
      ) or exists (
        select from outbound.marketing_cooldowns as r where r.company_id = w.company_id and r.address = known.address
      ) or exists (
        select from outbound.marketing_sends as m where m.company_id = w.company_id and m.address = known.address
      )
    ) or exists (
      select from outbound.user_ids as o
      where o.company_id = w.company_id and o.number = w.number and o.user_id <> w.user_id
    )
    order by w.company_id, w.number, w.user_id
  loop
    perform outbound.share_between_addresses(
      v_person.company_id, outbound.addresses_of(v_person.company_id, v_person.number, v_person.user_id));
  end loop;
end
$$;
revoke execute on function outbound.link_user_ids from public;

-- 80_contacts/lock_notifications_to.sql

-- Locks a company's notifications to the given addresses of a person. ids: those; null if others were made meanwhile.
-- retry_after_s: after how long to lock them again, because a message is being sent, or a call is going on; null if
-- none is. A step of erase_contact.
create function outbound.lock_notifications_to(
  p_company_id uuid, p_addresses text[], out ids uuid[], out retry_after_s int
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  ids := array(
    select n.id from outbound.notification_facts as n
    where n.company_id = p_company_id and n.number = any (p_addresses)
    union
    select n.id from outbound.notification_facts as n
    where n.company_id = p_company_id and n.user_id = any (p_addresses)
  );
  perform outbound.lock_notifications(array_fill(p_company_id, array[cardinality(ids)]), ids);
  select max(case when n.voice then 30 else 5 end) into retry_after_s
  from outbound.notifications as n
  where n.company_id = p_company_id and n.id = any (ids)
    and (n.status = 'sending' or n.voice and n.status = any (outbound.ongoing_call_states()));
  -- A resend, which locks no key, made one of these while they were being locked.
  if exists (
    select from unnest(p_addresses) as a(address)
    cross join lateral (
      select from outbound.notification_facts as n
      where n.company_id = p_company_id and n.number = a.address and n.id <> all (ids) limit 1
    ) as made
  ) or exists (
    select from unnest(p_addresses) as a(address)
    cross join lateral (
      select from outbound.notification_facts as n
      where n.company_id = p_company_id and n.user_id = a.address and n.id <> all (ids) limit 1
    ) as made
  ) then
    ids := null;
  end if;
end
$$;
revoke execute on function outbound.lock_notifications_to from public;

-- 80_contacts/move_contact.sql

-- A person is reached under p_to instead of p_from since p_at: a new number, or a new user id. What is known of the
-- person counts under both, because the old address may come back late in the platform's events. What waited in the
-- queue on WhatsApp at that time goes to the new address; calls do not, because the platform knows nothing of phone
-- lines. What was accepted later stays: the old number may be another person's by then, and the platform repeats its
-- events for days. move_contacts has locked the notifications.
create function outbound.move_contact(p_company_id uuid, p_from text, p_to text, p_at timestamptz)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_aliases constant text[] := outbound.aliases_of(p_company_id, p_from);
begin
  update outbound.notification_facts as n set number = p_to
  where n.company_id = p_company_id and n.number = any (v_aliases) and not n.voice and n.status is null
    and n.created_at < p_at + interval '1 second' and outbound.is_queued(n.company_id, n.id);
  update outbound.notification_facts as n set user_id = p_to
  where n.company_id = p_company_id and n.user_id = p_from and not n.voice and n.status is null
    and n.created_at < p_at + interval '1 second' and outbound.is_queued(n.company_id, n.id);

  if p_to like '%.%' then
    insert into outbound.user_ids as u (company_id, user_id, number, username, linked_at)
    select p_company_id, p_to, o.number, o.username, case when o.number is null then '-infinity' else p_at end
    from (select p_from as user_id) as former
    left join outbound.user_ids as o on o.company_id = p_company_id and o.user_id = former.user_id
    on conflict on constraint user_ids_pkey do update
      set number = coalesce(u.number, excluded.number), username = coalesce(u.username, excluded.username),
        seen_at = now();
  else
    update outbound.user_ids as u set number = p_to, seen_at = now(), linked_at = p_at
    where u.company_id = p_company_id and u.number = p_from and u.linked_at <= p_at;
  end if;
  perform outbound.share_between_addresses(p_company_id, array(
    select distinct known.address
    from (values (p_from), (p_to)) as given(given)
    cross join lateral unnest(outbound.addresses_of(
      p_company_id, case when given.given not like '%.%' then given.given end,
      case when given.given like '%.%' then given.given end
    )) as known(address)
    order by known.address
  ));

  update outbound.contact_messages as m
  set number = case when m.number = p_from then p_to else m.number end,
    user_id = case when m.user_id = p_from then p_to else m.user_id end
  where m.company_id = p_company_id and case when m.status = 'queued' then true end
    and m.created_at < p_at + interval '1 second' and (m.number = p_from or m.user_id = p_from);
end
$$;
revoke execute on function outbound.move_contact from public;

-- Whether a notification may still be claimed.
create function outbound.is_queued(p_company_id uuid, p_id uuid)
returns boolean
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return exists (
    select from outbound.queue as q
    where q.company_id = p_company_id and q.id = p_id and case when q.status = 'queued' then true end
  );
end
$$;
revoke execute on function outbound.is_queued from public;

-- 80_contacts/move_contacts.sql

-- Moves people of every company that holds the number, or has a sender of the account where no number is named.
-- p_moves: [{waba_id, phone_number_id, from, to, at}, …].
create function outbound.move_contacts(p_moves json)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_moves jsonb;
  v_move record;
begin
  select jsonb_agg(to_jsonb(moved)) into v_moves from (
    select distinct s.company_id, m."from", m."to", least(m.at, now()) as at
    from json_to_recordset(p_moves) as m(
      waba_id text, phone_number_id text, "from" text, "to" text, at timestamptz
    )
    cross join lateral (
      select s.company_id from outbound.senders as s
      where s.channel = 'whatsapp' and s.platform_id = m.phone_number_id
      union
      select s.company_id from outbound.senders as s
      where m.phone_number_id is null and s.channel = 'whatsapp' and s.waba_id = m.waba_id
    ) as s
    where m."from" <> m."to"
  ) as moved;

  -- Notifications before contacts, all of them at once and by id, as everywhere.
  perform outbound.lock_queue(array_agg(n.company_id), array_agg(n.id))
  from jsonb_to_recordset(v_moves) as m(company_id uuid, "from" text, at timestamptz)
  cross join lateral (
    select o.* from unnest(outbound.aliases_of(m.company_id, m."from")) as spelt(number)
    join outbound.notification_facts as o on o.company_id = m.company_id and o.number = spelt.number
    union all
    select o.* from outbound.notification_facts as o where o.company_id = m.company_id and o.user_id = m."from"
  ) as n
  where not n.voice and n.status is null and n.created_at < m.at + interval '1 second';

  for v_move in
    select m.* from jsonb_to_recordset(v_moves) as m(company_id uuid, "from" text, "to" text, at timestamptz)
    -- In the order of all their addresses, as everywhere, so that two transactions hardly ever wait for each other.
    order by m.company_id, outbound.addresses_of(
      m.company_id, case when m."from" not like '%.%' then m."from" end, case when m."from" like '%.%' then m."from" end
    ), m.at, m."from"
  loop
    perform outbound.move_contact(v_move.company_id, v_move."from", v_move."to", v_move.at);
  end loop;
end
$$;
revoke execute on function outbound.move_contacts from public;

-- 80_contacts/record_number_aliases.sql

-- Records the numbers that the platform writes in another way than the company. What is known under one alias is then
-- known under all. p_aliases: [{company_id, number, platform_number}, …].
create function outbound.record_number_aliases(p_aliases json)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_alias record;
begin
  for v_alias in
    insert into outbound.number_aliases as s (company_id, number, platform_number)
    select distinct on (o.company_id, o.number) o.company_id, o.number, o.platform_number
    from json_to_recordset(p_aliases) as o(company_id uuid, number text, platform_number text)
    order by o.company_id, o.number
    on conflict on constraint number_aliases_pkey do update set platform_number = excluded.platform_number
      where s.platform_number <> excluded.platform_number
    returning s.company_id, s.number
  loop
    perform outbound.share_between_addresses(
      v_alias.company_id, outbound.addresses_of(v_alias.company_id, v_alias.number, null));
  end loop;
end
$$;
revoke execute on function outbound.record_number_aliases from public;

-- 80_contacts/share_between_addresses.sql

-- Gives each address of a person what is known under the others: suppressions, consents, cooldowns, and the messages
-- that frequency caps count.
create function outbound.share_between_addresses(p_company_id uuid, p_addresses text[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  insert into outbound.suppressions (company_id, address, channel, category, source, at, evidence)
  select distinct on (every.address, s.channel, s.category, s.source)
    p_company_id, every.address, s.channel, s.category, s.source, s.at, s.evidence
  from unnest(p_addresses) as known(address)
  cross join lateral (
    select o.channel, o.category, o.source, o.at, o.evidence from outbound.suppressions as o
    where o.company_id = p_company_id and o.address = known.address and o.lifted_at is null
  ) as s
  cross join unnest(p_addresses) as every(address)
  order by every.address, s.channel, s.category, s.source, s.at desc
  on conflict (company_id, address, channel, category, source) where lifted_at is null do nothing;

  insert into outbound.consents (
    company_id, address, channel, category, status, method, detail, consented_at, source, created_at
  )
  select p_company_id, every.address, c.channel, c.category, c.status, c.method, c.detail, c.consented_at, c.source,
    c.created_at
  from unnest(p_addresses) as known(address)
  cross join lateral (
    select o.* from outbound.consents as o where o.company_id = p_company_id and o.address = known.address
  ) as c
  cross join unnest(p_addresses) as every(address)
  order by every.address
  on conflict (company_id, address, channel, category, status, consented_at) do nothing;

  insert into outbound.marketing_cooldowns as r (company_id, address, until)
  select p_company_id, every.address, max(m.until)
  from unnest(p_addresses) as known(address)
  cross join lateral (
    select o.until from outbound.marketing_cooldowns as o where o.company_id = p_company_id and o.address = known.address
  ) as m
  cross join unnest(p_addresses) as every(address)
  group by every.address order by every.address
  on conflict on constraint marketing_cooldowns_pkey do update set until = greatest(r.until, excluded.until);

  insert into outbound.marketing_sends (company_id, address, notification_id, channel, day)
  select p_company_id, every.address, s.notification_id, s.channel, s.day
  from unnest(p_addresses) as known(address)
  cross join lateral (
    select o.* from outbound.marketing_sends as o where o.company_id = p_company_id and o.address = known.address
  ) as s
  cross join unnest(p_addresses) as every(address)
  order by every.address
  on conflict on constraint marketing_sends_pkey do nothing;
end
$$;
revoke execute on function outbound.share_between_addresses from public;

-- 82_consent/allow_by_platform.sql

-- Lifts what the platform suppressed before p_at. Where there was nothing to lift, stores a lifted row, by which
-- suppress_by_platform recognises what was said before p_at and arrives later. p_evidence: {at, …}.
create function outbound.allow_by_platform(
  p_company_id uuid, p_number text, p_user_id text, p_at timestamptz, p_evidence jsonb
)
returns void
-- In SQL, which plans each call: a plan that was made while few were stored would go on reading all of the company's.
language sql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  select outbound.lift_suppressions(
    p_company_id, p_number, p_user_id, 'whatsapp', 'marketing', '{platform}', p_at, 'platform', p_evidence);
  insert into outbound.suppressions (
    company_id, address, channel, category, source, at, lifted_at, lifted_by, lifted_evidence
  )
  select p_company_id, known.address, 'whatsapp', 'marketing', 'platform', p_at, now(), 'platform', p_evidence
  from unnest(outbound.addresses_of(p_company_id, p_number, p_user_id)) as known(address)
  left join lateral (
    select true as is_known from outbound.suppressions as s
    where s.company_id = p_company_id and s.address = known.address and s.source = 'platform'
      and (s.lifted_at is null or (s.lifted_evidence ->> 'at')::timestamptz >= p_at) limit 1
  ) as later on true
  where later.is_known is null;
$$;
revoke execute on function outbound.allow_by_platform from public;

-- 82_consent/has_unknown_attempt.sql

-- Returns whether an attempt of a notification may have been received, and the platform has not said that it failed.
create function outbound.has_unknown_attempt(p_company_id uuid, p_notification_id uuid)
returns boolean
language sql stable security invoker set search_path = ''
return exists (
  select from outbound.delivery_attempts as a
  where a.company_id = p_company_id and a.notification_id = p_notification_id
    and a.outcome = 'unknown' and a.error_code is null
);
revoke execute on function outbound.has_unknown_attempt from public;

-- 82_consent/is_consent_given.sql

-- Returns whether a person has agreed to marketing on a channel: the latest thing recorded of any of the addresses
-- counts, and of two at the same time the withdrawal.
create function outbound.is_consent_given(p_company_id uuid, p_addresses text[], p_voice boolean)
returns boolean
language sql stable security invoker set search_path = ''
return coalesce((
  select latest.status = 'granted' from unnest(p_addresses) as a(address)
  cross join lateral (
    select c.status, c.consented_at from outbound.consents as c
    where c.company_id = p_company_id and c.address = a.address
      and c.channel in ('any', case when p_voice then 'voice' else 'whatsapp' end)
    order by c.consented_at desc, c.status = 'granted' limit 1
  ) as latest
  order by latest.consented_at desc, latest.status = 'granted' limit 1
), false);
revoke execute on function outbound.is_consent_given from public;

-- 82_consent/is_over_cap.sql

-- Returns whether a marketing message to the person with these addresses is over one of p_caps, [{channel, max, days},
-- …]: the person may have received cap.max others of the cap's channel on the last cap.days days before p_day, that day
-- included.
-- p_notification_id: the message itself, which does not count; null for one that is not stored.
create function outbound.is_over_cap(
  p_company_id uuid, p_notification_id uuid, p_addresses text[], p_channel text, p_day date, p_caps jsonb
)
returns boolean
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return exists (
    select from jsonb_to_recordset(p_caps) as cap(channel text, max int, days int)
    where cap.channel in ('any', p_channel) and cap.max <= (
      select count(distinct m.notification_id) from unnest(p_addresses) as known(address)
      -- One look-up per address and one per message, whatever the statistics say. The offset keeps the condition on
      -- the day out of the first one: the index of days would read the messages of all people.
      cross join lateral (
        select o.company_id, o.notification_id, o.channel, o.day from outbound.marketing_sends as o
        where o.company_id = p_company_id and o.address = known.address offset 0
      ) as m
      cross join lateral (
        select from outbound.notifications as n
        where n.company_id = m.company_id and n.id = m.notification_id
          and (
            n.status in ('sending', 'unconfirmed', 'sent', 'delivered', 'read') or n.error_code = 'outcome_unknown'
            or outbound.has_unknown_attempt(n.company_id, n.id)
          ) limit 1
      ) as leaving
      where m.notification_id is distinct from p_notification_id
        and m.day > p_day - cap.days and m.day <= p_day + 1
        and (cap.channel = 'any' or m.channel = cap.channel)
    )
  );
end
$$;
revoke execute on function outbound.is_over_cap from public;

-- 82_consent/lift_suppressions.sql

-- Lifts a person's suppressions within the given channel and category (any and all contain the others) whose source is
-- in p_sources and that were recorded for a time before p_at; each by p_by with p_evidence. Under every known address.
-- p_ids: only these, unless it is null. Writes contact.opted_in if any was lifted.
-- Returns how many were lifted, and the sources by which something of that channel and category is still suppressed.
create function outbound.lift_suppressions(
  p_company_id uuid, p_number text, p_user_id text, p_channel text, p_category text, p_sources text[],
  p_at timestamptz, p_by text, p_evidence jsonb, p_ids uuid[] default null, out lifted int, out kept text[]
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per address.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_addresses constant text[] := outbound.addresses_of(p_company_id, p_number, p_user_id);
begin
  with current as (
    select s.company_id, s.id
    from unnest(v_addresses) as known(address)
    cross join lateral (
      select o.company_id, o.id from outbound.suppressions as o
      where o.company_id = p_company_id and o.address = known.address and o.lifted_at is null
        and p_channel in ('any', o.channel) and p_category in ('all', o.category)
        and o.source = any (p_sources) and o.at < p_at and (p_ids is null or o.id = any (p_ids))
      order by o.channel, o.category, o.source for update
    ) as s
  )
  update outbound.suppressions as s set lifted_at = now(), lifted_by = p_by, lifted_evidence = p_evidence
  from current where s.company_id = current.company_id and s.id = current.id;
  get diagnostics lifted = row_count;
  select coalesce(array_agg(distinct s.source order by s.source), '{}') into kept
  from unnest(v_addresses) as known(address)
  cross join lateral (
    select o.source from outbound.suppressions as o
    where o.company_id = p_company_id and o.address = known.address and o.lifted_at is null
      and (o.channel in ('any', p_channel) or p_channel = 'any')
    order by o.channel, o.category, o.source
  ) as s;
  if lifted > 0 then
    perform outbound.write_event(p_company_id, 'contact.opted_in', p_at, json_build_object(
      'company_id', p_company_id, 'number', p_number, 'user_id', p_user_id, 'channel', p_channel,
      'category', p_category, 'source', p_by, 'at', outbound.iso_time(p_at), 'still_suppressed_by', kept
    ));
  end if;
end
$$;
revoke execute on function outbound.lift_suppressions from public;

-- 82_consent/preview_marketing.sql

-- Returns what would become of marketing to people if it left now; nothing is counted.
-- p_recipients: [{number, user_id, day}, …], with the day in the person's zone. p_caps: [{channel, max, days}, …].
-- Returns one row per recipient: ord (from 1), is_over (over one of the caps) and cooldown_until (until when marketing
-- waits because the platform spares the person; null: it does not wait).
create function outbound.preview_marketing(p_company_id uuid, p_channel text, p_recipients jsonb, p_caps jsonb)
returns table (ord int, is_over boolean, cooldown_until timestamptz)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  select r.ord::int,
    outbound.is_over_cap(
      p_company_id, null, outbound.addresses_of(p_company_id, r.number, r.user_id), p_channel, r.day, p_caps
    ),
    case when p_channel = 'whatsapp' and exists (
      select from outbound.contact_rules as c where c.company_id = p_company_id and c.marketing_cooldown
    ) then (
      select max(rest.until) from (values (r.number), (r.user_id)) as a(address)
      cross join lateral (
        select m.until from outbound.marketing_cooldowns as m
        where m.company_id = p_company_id and m.address = a.address and m.until > now() limit 1
      ) as rest
    ) end
  from rows from (
    jsonb_to_recordset(p_recipients) as (number text, user_id text, day date)
  ) with ordinality as r(number, user_id, day, ord)
  order by r.ord;
end
$$;
revoke execute on function outbound.preview_marketing from public;

-- 82_consent/record_consents.sql

-- Records consents and withdrawals, under every known address of each person. A withdrawal also suppresses, unless a
-- grant of a later time is known; a grant lifts what the person, the company's systems or an import suppressed before
-- the time at which it was given; one in a message (keyword, button) lifts only the person's own. What the platform or
-- an operator suppressed stays. A grant of a later time also ends the suppression of an erased person.
-- p_consents: [{number, user_id, channel, category, status, method, detail, consented_at, source, hashes}, …]; hashes:
-- as in erased_contacts, of number and user_id; none if no person was ever erased.
-- Returns one row per consent: ord (from 1); added: false for one that was recorded already; kept: the sources by which
-- the person is still suppressed.
create function outbound.record_consents(p_company_id uuid, p_consents jsonb)
returns table (ord int, added boolean, kept text[])
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per address.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_consent record;
begin
  for v_consent in
    select c.*, outbound.addresses_of(p_company_id, c.number, c.user_id) as addresses
    from rows from (
      jsonb_to_recordset(p_consents) as (
        number text, user_id text, channel text, category text, status text, method text, detail text,
        consented_at timestamptz, source text, hashes text[]
      )
    ) with ordinality as c(
      number, user_id, channel, category, status, method, detail, consented_at, source, hashes, ord
    )
    order by addresses, ord
  loop
    insert into outbound.consents (
      company_id, address, channel, category, status, method, detail, consented_at, source
    )
    select p_company_id, known.address, v_consent.channel, v_consent.category, v_consent.status, v_consent.method,
      v_consent.detail, v_consent.consented_at, v_consent.source
    from unnest(v_consent.addresses) as known(address)
    on conflict (company_id, address, channel, category, status, consented_at) do nothing;
    ord := v_consent.ord;
    added := found;
    kept := '{}';
    if v_consent.status = 'granted' then
      select l.kept into kept from outbound.lift_suppressions(
        p_company_id, v_consent.number, v_consent.user_id, v_consent.channel, v_consent.category,
        case when v_consent.source in ('keyword', 'button') then '{keyword,button}'::text[]
          else '{keyword,button,api,import}' end, v_consent.consented_at, v_consent.source,
        jsonb_build_object('method', v_consent.method, 'detail', v_consent.detail)
      ) as l;
      delete from outbound.erased_contacts as e
      where e.company_id = p_company_id and e.address_hash = any (v_consent.hashes)
        and e.erased_at < v_consent.consented_at;
    elsif not exists (
      select from outbound.consents as o
      where o.company_id = p_company_id and o.address = any (v_consent.addresses)
        and o.channel = v_consent.channel and o.category = v_consent.category
        and o.status = 'granted' and o.consented_at > v_consent.consented_at
    ) then
      perform outbound.suppress_contacts(p_company_id, jsonb_build_array(jsonb_build_object(
        'number', v_consent.number, 'user_id', v_consent.user_id, 'channel', v_consent.channel,
        'category', v_consent.category, 'source', v_consent.source, 'at', v_consent.consented_at,
        'evidence', jsonb_build_object('method', v_consent.method, 'detail', v_consent.detail)
      )));
    end if;
    return next;
  end loop;
end
$$;
revoke execute on function outbound.record_consents from public;

-- 82_consent/record_marketing_refusals.sql

-- Records what refusals of marketing messages say about their recipients: 131050, the person stopped marketing of this
-- business; 131049, the platform spares the person more of it, for a day after p_times. Call it last: contacts are
-- locked after everything else.
create function outbound.record_marketing_refusals(
  p_companies uuid[], p_notifications uuid[], p_codes text[], p_times timestamptz[]
)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_refusal record;
begin
  for v_refusal in
    select n.company_id, n.number, n.user_id, n.id, r.code, least(r.at, now()) as at
    from unnest(p_companies, p_notifications, p_codes, p_times) as r(company_id, id, code, at)
    cross join lateral (
      select w.company_id, w.id, w.number, w.user_id from outbound.notification_facts as w
      where w.company_id = r.company_id and w.id = r.id and not w.voice
        and num_nonnulls(w.number, w.user_id) > 0
    ) as n
    where r.code in ('131049', '131050')
    order by n.company_id, outbound.addresses_of(n.company_id, n.number, n.user_id), r.at
  loop
    if v_refusal.code = '131050' then
      perform outbound.suppress_by_platform(
        v_refusal.company_id, v_refusal.number, v_refusal.user_id, v_refusal.at,
        jsonb_build_object('error_code', v_refusal.code, 'notification_id', v_refusal.id));
    else
      insert into outbound.marketing_cooldowns as m (company_id, address, until)
      select v_refusal.company_id, known.address, v_refusal.at + interval '24 hours'
      from unnest(outbound.addresses_of(v_refusal.company_id, v_refusal.number, v_refusal.user_id))
        as known(address)
      order by known.address
      on conflict on constraint marketing_cooldowns_pkey do update set until = greatest(m.until, excluded.until);
    end if;
  end loop;
end
$$;
revoke execute on function outbound.record_marketing_refusals from public;

-- 82_consent/skip_reason.sql

-- Returns in words for people why a rule keeps a message from leaving.
create function outbound.skip_reason(p_code text)
returns text
language sql immutable security invoker set search_path = ''
return case p_code
  when 'opted_out' then 'The recipient does not want such messages'
  when 'no_consent' then 'The recipient has not agreed to marketing, and the company requires it'
  when 'frequency_cap' then 'The recipient was sent as many marketing messages as the company allows'
  when 'erased' then 'The recipient was erased'
end;
revoke execute on function outbound.skip_reason from public;

-- 82_consent/suppress_by_platform.sql

-- Records that the platform keeps a company's marketing from a person, unless the person allowed it again after p_at: the
-- platform repeats its events for days.
create function outbound.suppress_by_platform(
  p_company_id uuid, p_number text, p_user_id text, p_at timestamptz, p_evidence jsonb
)
returns void
-- In SQL, which plans each call: a plan that was made while few were stored would go on reading all of the company's.
language sql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  select outbound.suppress_contacts(p_company_id, jsonb_build_array(jsonb_build_object(
    'number', p_number, 'user_id', p_user_id, 'channel', 'whatsapp', 'category', 'marketing', 'source', 'platform',
    'at', p_at, 'evidence', p_evidence
  )))
  where not exists (
    select from unnest(outbound.addresses_of(p_company_id, p_number, p_user_id)) as known(address)
    cross join lateral (
      select from outbound.suppressions as s
      where s.company_id = p_company_id and s.address = known.address
        and s.source = 'platform' and s.lifted_at is not null
        and (s.lifted_evidence ->> 'at')::timestamptz > p_at limit 1
    ) as later
  );
$$;
revoke execute on function outbound.suppress_by_platform from public;

-- 82_consent/suppress_contacts.sql

-- Records that people do not want to be written to, under every known address of each. Writes contact.opted_out for
-- each that was not suppressed in this way already.
-- p_contacts: [{number, user_id, channel, category, source, at, evidence}, …], as in the table; number or user_id, or
-- both.
-- Returns one row per contact: ord (from 1), and whether it was added; false when it was suppressed in this way already.
create function outbound.suppress_contacts(p_company_id uuid, p_contacts jsonb)
returns table (ord int, added boolean)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_contact record;
  v_rows int;
begin
  -- In the order of the addresses, so that two transactions never wait for each other.
  for v_contact in
    select c.*, outbound.addresses_of(p_company_id, c.number, c.user_id) as addresses
    from rows from (
      jsonb_to_recordset(p_contacts) as (
        number text, user_id text, channel text, category text, source text, at timestamptz, evidence jsonb
      )
    ) with ordinality as c(number, user_id, channel, category, source, at, evidence, ord)
    order by addresses, ord
  loop
    insert into outbound.suppressions (company_id, address, channel, category, source, at, evidence)
    select p_company_id, address, v_contact.channel, v_contact.category, v_contact.source, v_contact.at,
      v_contact.evidence
    from unnest(v_contact.addresses) as address
    on conflict (company_id, address, channel, category, source) where lifted_at is null do nothing;
    get diagnostics v_rows = row_count;
    ord := v_contact.ord;
    added := v_rows > 0;
    -- Said again later: only evidence of a time after that lifts it.
    if v_rows < cardinality(v_contact.addresses) then
      insert into outbound.suppressions as s (company_id, address, channel, category, source, at, evidence)
      select p_company_id, address, v_contact.channel, v_contact.category, v_contact.source, v_contact.at,
        v_contact.evidence
      from unnest(v_contact.addresses) as address
      on conflict (company_id, address, channel, category, source) where lifted_at is null do update
        set at = excluded.at, evidence = coalesce(excluded.evidence, s.evidence) where s.at < excluded.at;
    end if;
    if added then
      perform outbound.write_event(p_company_id, 'contact.opted_out', v_contact.at, json_build_object(
        'company_id', p_company_id, 'number', v_contact.number, 'user_id', v_contact.user_id,
        'channel', v_contact.channel, 'category', v_contact.category, 'source', v_contact.source,
        'at', outbound.iso_time(v_contact.at)
      ));
    end if;
    return next;
  end loop;
end
$$;
revoke execute on function outbound.suppress_contacts from public;

-- 82_consent/unsuppress_contact.sql

-- Lifts a person's suppressions within a channel and category at the request of p_by (api or operator): those whose
-- source is in p_sources, and the person's own (keyword, button) if p_consented_at is later than all of them. What the
-- platform reported stays. Changes nothing unless the outcome is `lifted`.
-- p_consented_at: when the person agreed again, as p_evidence shows; null if nothing shows it.
-- Returns outcome: lifted; none (nothing of that channel and category is suppressed); evidence_needed (with
-- opted_out_at and opted_out_by, the person's latest own opt-out); kept (all of it has other sources). lifted: how
-- many. kept: the sources by which something is still suppressed.
create function outbound.unsuppress_contact(
  p_company_id uuid, p_number text, p_user_id text, p_channel text, p_category text, p_sources text[], p_by text,
  p_consented_at timestamptz, p_evidence jsonb,
  out outcome text, out lifted int, out kept text[], out opted_out_at timestamptz, out opted_out_by text
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per address. They are locked in the order of lift_suppressions.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_own constant text[] := '{keyword,button}'::text[];
  v_liftable int;
  v_latest timestamptz;
  v_ids uuid[];
begin
  select coalesce(array_agg(distinct c.source order by c.source), '{}'),
    max(c.at) filter (where c.source = any (v_own)),
    (array_agg(c.source order by c.at desc) filter (where c.source = any (v_own)))[1],
    count(*) filter (where c.source = any (p_sources || v_own)), max(c.at),
    array_agg(c.id)
  into kept, opted_out_at, opted_out_by, v_liftable, v_latest, v_ids
  from (
    select s.id, s.source, s.at
    from unnest(outbound.addresses_of(p_company_id, p_number, p_user_id)) as known(address)
    cross join lateral (
      select o.id, o.source, o.at from outbound.suppressions as o
      where o.company_id = p_company_id and o.address = known.address and o.lifted_at is null
        and p_channel in ('any', o.channel) and p_category in ('all', o.category)
      order by o.channel, o.category, o.source for update
    ) as s
  ) as c;
  lifted := 0;
  outcome := case
    when kept = '{}' then 'none'
    when p_consented_at > opted_out_at is not true and opted_out_at is not null then 'evidence_needed'
    when v_liftable = 0 then 'kept'
    else 'lifted' end;
  if outcome = 'lifted' then
    -- It was decided above which of them count; here the time must only be later than all of theirs. What was stored
    -- since then stays.
    select l.lifted, l.kept into lifted, kept
    from outbound.lift_suppressions(
      p_company_id, p_number, p_user_id, p_channel, p_category, p_sources || v_own,
      greatest(now(), v_latest + interval '1 microsecond'), p_by, p_evidence, v_ids
    ) as l;
  end if;
end
$$;
revoke execute on function outbound.unsuppress_contact from public;

-- 82_consent/use_frequency_cap.sql

-- Counts marketing messages that are about to leave against their companies' frequency caps. A message is over a cap
-- when its person was sent cap.max others of the cap's channel on the last cap.days days, today included; it is then
-- not counted. A message is counted once, however often it is tried, on the day of its last attempt. What may have been
-- received counts: messages that left or are leaving (sending, unconfirmed, sent, delivered, read), and those with an
-- attempt of unknown outcome, whatever became of them. One that failed or was refused for now does not.
-- p_sends: [{company_id, notification_id, number, user_id, channel, day, caps: [{channel, max, days}, …]}, …], with the
-- day in the person's zone.
-- A message of the next day counts too: a person's number and user id may name zones with different dates.
-- Returns one row per message: ord (from 1), and whether it is over a cap.
--
-- Exact at any number of dispatchers: all addresses of all its persons are locked first, in order, until the
-- transaction ends. Call it in a transaction of its own. Read committed, each query sees what was committed before it.
create function outbound.use_frequency_cap(p_sends jsonb)
returns table (ord int, is_over boolean)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_send record;
begin
  perform pg_advisory_xact_lock(known.lock) from (
    select distinct hashtextextended(s.company_id || address, 0) as lock
    from jsonb_to_recordset(p_sends) as s(company_id uuid, number text, user_id text)
    cross join unnest(outbound.addresses_of(s.company_id, s.number, s.user_id)) as address
    order by lock
  ) as known;

  for v_send in
    select s.*, outbound.addresses_of(s.company_id, s.number, s.user_id) as addresses
    from rows from (
      jsonb_to_recordset(p_sends) as (
        company_id uuid, notification_id uuid, number text, user_id text, channel text, day date, caps jsonb
      )
    ) with ordinality as s(company_id, notification_id, number, user_id, channel, day, caps, ord)
    order by s.ord
  loop
    ord := v_send.ord;
    is_over := outbound.is_over_cap(
      v_send.company_id, v_send.notification_id, v_send.addresses, v_send.channel, v_send.day, v_send.caps
    );
    if is_over then
      delete from outbound.marketing_sends as m
      where m.company_id = v_send.company_id and m.address = any (v_send.addresses)
        and m.notification_id = v_send.notification_id
        and not outbound.has_unknown_attempt(v_send.company_id, v_send.notification_id);
    else
      insert into outbound.marketing_sends (company_id, address, notification_id, channel, day)
      select v_send.company_id, address, v_send.notification_id, v_send.channel, v_send.day
      from unnest(v_send.addresses) as address
      on conflict on constraint marketing_sends_pkey do update set day = excluded.day;
    end if;
    return next;
  end loop;
end
$$;
revoke execute on function outbound.use_frequency_cap from public;

-- 85_replies/apply_reply_receipts.sql

-- Applies the platform's receipts for replies, before the webhook responds: they are few. State only moves forward; a
-- receipt counts whichever attempt it is of, a failure only for the attempt that it names and only until the reply was
-- delivered.
-- p_receipts: [{waba_id, company_id, id, fence, platform_message_id, status, error_code, reason}, …].
-- Receipts for replies that are not ours are counted. Returns how many changed a reply.
create function outbound.apply_reply_receipts(p_receipts json)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_changed int;
  v_companies uuid[];
  v_failed uuid[];
  v_foreign bigint;
begin
  perform outbound.record_account_events(
    array(select distinct r ->> 'waba_id' from json_array_elements(p_receipts) as r));
  -- Lock all of them at once and in their order; a reply may have several receipts.
  perform from (
    select distinct r.company_id, r.id from json_to_recordset(p_receipts) as r(company_id uuid, id uuid)
    order by r.company_id, r.id
  ) as r
  cross join lateral (
    select from outbound.contact_messages as m
    where m.company_id = r.company_id and m.id = r.id and m.direction = 'out' for update
  ) as locked;

  with receipt as materialized (
    select r.*, m.status as was, m.error_code as was_error_code, m.fence as last_fence,
      array_position('{sent,delivered,read}'::text[], r.status) as step,
      coalesce(array_position('{sent,delivered,read}'::text[], m.status), 0) as was_step
    from json_to_recordset(p_receipts) as r(
      company_id uuid, id uuid, fence int, platform_message_id text, status text, error_code text, reason text
    )
    join outbound.contact_messages as m on m.company_id = r.company_id and m.id = r.id and m.direction = 'out'
  ),
  furthest as (
    select distinct on (r.company_id, r.id) r.* from receipt as r
    where r.step > r.was_step and (
        r.step > 1 or r.was <> 'failed' or r.was_error_code in ('outcome_unknown', 'expired')
      )
      or r.status = 'failed' and r.fence = r.last_fence and r.was in ('sending', 'unconfirmed', 'sent')
    order by r.company_id, r.id, r.step desc nulls last
  ),
  moved as (
    update outbound.contact_messages as m
    set status = f.status, worker = null, lease_until = null,
      platform_message_id = coalesce(m.platform_message_id, f.platform_message_id),
      error_code = case f.status when 'failed' then f.error_code end,
      error_reason = case f.status when 'failed'
        then coalesce(f.reason, 'The platform reported a failure without a reason') end
    from furthest as f where m.company_id = f.company_id and m.id = f.id
    returning m.company_id, m.id, m.status
  )
  select count(*), array_agg(m.company_id) filter (where m.status = 'failed'),
    array_agg(m.id) filter (where m.status = 'failed')
  into v_changed, v_companies, v_failed from moved as m;
  perform outbound.report_failed_messages(v_companies, v_failed);

  select count(*) into v_foreign from json_to_recordset(p_receipts) as r(company_id uuid, id uuid)
  where not exists (
    select from outbound.contact_messages as m where m.company_id = r.company_id and m.id = r.id
  );
  perform outbound.count_foreign_events('unknown_message', v_foreign);
  return v_changed;
end
$$;
revoke execute on function outbound.apply_reply_receipts from public;

-- 85_replies/claim_replies.sql

-- Leases up to p_limit replies that are due to p_worker for p_lease: each becomes `sending`, its attempt and its fence
-- count up. Takes the first of each sender, then the second of each …, so that one company's many replies delay no
-- other company's. Nothing of the senders p_except, of stopped ones, and of those that the platform found too fast
-- within the last three seconds. Looks only at senders whose time in reply_schedule has come, in rounds: where those of
-- a round may send nothing, or all that they have due is locked, the next senders are looked at. Says when it looks at
-- them again: at stopped ones once they are active again (plan_changed_senders).
-- Passes by rows that another claim has locked.
create function outbound.claim_replies(p_worker text, p_limit int, p_lease interval, p_except uuid[] default '{}')
returns table (
  company_id uuid, id uuid, fence int, attempt smallint, number text, user_id text, kind text, text text, content jsonb,
  context_message_id text, sender_id uuid, platform_id text, token_sealed text, trace text
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
#variable_conflict use_column
declare
  v_companies uuid[];
  v_senders uuid[];
  v_due_from timestamptz := outbound.due_from('replies');
  v_is_idle boolean;
begin
  for v_round in 1..10 loop
    -- In a statement of its own: what was queued before its sender's row was released is seen by the next one. The
    -- first round leaves senders to a claim that runs at the same time; a round that found nothing kept it from none.
    select array_agg(s.company_id), array_agg(s.sender_id), max(s.due_at) into v_companies, v_senders, v_due_from
    from (
      select s.company_id, s.sender_id, s.due_at from outbound.reply_schedule as s
      where s.due_at >= v_due_from and s.due_at <= now() and s.sender_id <> all (p_except)
      order by s.due_at limit case when v_round = 1 then 64 else 512 end for update skip locked
    ) as s;
    exit when v_senders is null;
    return query select l.* from outbound.lease_replies(p_worker, p_limit, p_lease, v_companies, v_senders) as l;
    v_is_idle := not found;
    perform outbound.reschedule_replies(
      v_companies, v_senders, case when v_is_idle then clock_timestamp() + interval '100 ms' else '-infinity' end);
    exit when not v_is_idle;
  end loop;
end
$$;
revoke execute on function outbound.claim_replies from public;

-- Whether a sender's replies may leave: it is active, and the platform did not find it too fast within the last three
-- seconds.
create function outbound.may_reply(p_sender outbound.senders)
returns boolean
language sql stable security invoker set search_path = ''
return p_sender.status = 'active' and not exists (
  select from outbound.sender_rate_state as p
  where p.company_id = p_sender.company_id and p.sender_id = p_sender.id
    and p.throttled_at > now() - interval '3 seconds'
);
revoke execute on function outbound.may_reply from public;

-- 85_replies/close_thread.sql

-- Closes a thread: it leaves what waits, until one side writes again. Returns its status before; null when there is none.
create function outbound.close_thread(p_company_id uuid, p_id uuid)
returns text
language plpgsql security invoker set search_path = ''
as $$
declare
  v_status text;
begin
  select t.status into v_status from outbound.contact_threads as t
  where t.company_id = p_company_id and t.id = p_id for no key update;
  update outbound.contact_threads as t set status = 'closed'
  where t.company_id = p_company_id and t.id = p_id and t.status = 'open';
  return v_status;
end
$$;
revoke execute on function outbound.close_thread from public;

-- 85_replies/finish_replies.sql

-- Records the outcomes of attempts to send replies, each an object: company_id, id, fence, error_code, reason, and
-- outcome:
--   sent (platform_message_id), failed, retry (retry_in_s: refused for now; failed after max_attempts()),
--   not_sent (retry_in_s: it never left, so the attempt does not count), released (handed back untried),
--   unknown (the platform may have it: wait p_window for its receipt).
-- If only the lease ran out meanwhile, the outcome counts as if it had come in time; that a reply was sent counts also
-- after it failed as unknown. Recording twice changes nothing.
-- Returns how many rows changed state.
create function outbound.finish_replies(p_results jsonb, p_window interval)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_changed int;
  v_companies uuid[];
  v_failed uuid[];
  v_waiting_companies uuid[];
  v_senders uuid[];
  v_times timestamptz[];
begin
  with locked as materialized (
    select m.company_id, m.id, r.platform_message_id, r.error_code, r.reason, r.retry_in_s,
      case when r.outcome = 'retry' and m.attempt >= outbound.max_attempts() then 'failed' else r.outcome end as outcome
    from jsonb_to_recordset(p_results) as r(
      company_id uuid, id uuid, fence int, outcome text, platform_message_id text, error_code text, reason text,
      retry_in_s float8
    )
    join outbound.contact_messages as m on m.company_id = r.company_id and m.id = r.id
    where m.fence = r.fence and (
      m.status = 'sending'
      or m.status = 'unconfirmed' and r.outcome <> 'unknown'
      or m.status = 'failed' and m.error_code = 'outcome_unknown' and r.outcome = 'sent'
    )
    order by m.company_id, m.id for update of m
  ),
  finished as (
    update outbound.contact_messages as m
    set status = case locked.outcome
        when 'sent' then 'sent' when 'failed' then 'failed' when 'unknown' then 'unconfirmed' else 'queued' end,
      attempt = m.attempt - case when locked.outcome in ('not_sent', 'released') then 1 else 0 end,
      worker = null,
      lease_until = case when locked.outcome = 'unknown' then clock_timestamp() + p_window end,
      run_at = case when locked.outcome in ('retry', 'not_sent')
        then clock_timestamp() + make_interval(secs => coalesce(locked.retry_in_s, 0)) else m.run_at end,
      platform_message_id = coalesce(locked.platform_message_id, m.platform_message_id),
      error_code = case when locked.outcome <> 'sent' then locked.error_code end,
      error_reason = case when locked.outcome <> 'sent' then locked.reason end
    from locked where m.company_id = locked.company_id and m.id = locked.id
    returning m.company_id, m.id, m.sender_id, m.run_at, m.status
  )
  select count(*), array_agg(f.company_id) filter (where f.status = 'failed'),
    array_agg(f.id) filter (where f.status = 'failed'),
    array_agg(f.company_id) filter (where f.status = 'queued'),
    array_agg(f.sender_id) filter (where f.status = 'queued'), array_agg(f.run_at) filter (where f.status = 'queued')
  into v_changed, v_companies, v_failed, v_waiting_companies, v_senders, v_times from finished as f;
  perform outbound.report_failed_messages(v_companies, v_failed);
  if v_senders is not null then
    perform outbound.schedule_replies(v_waiting_companies, v_senders, v_times);
  end if;
  return v_changed;
end
$$;
revoke execute on function outbound.finish_replies from public;

-- 85_replies/lease_replies.sql

-- Leases up to p_limit replies of the given senders that are due; claim_replies says which, and what it returns. A step
-- of claim_replies, which has locked the schedule of these senders.
create function outbound.lease_replies(
  p_worker text, p_limit int, p_lease interval, p_companies uuid[], p_senders uuid[]
)
returns table (
  company_id uuid, id uuid, fence int, attempt smallint, number text, user_id text, kind text, text text, content jsonb,
  context_message_id text, sender_id uuid, platform_id text, token_sealed text, trace text
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
#variable_conflict use_column
declare
  v_per_sender constant int := 16;
begin
  return query
  with first as materialized (
    select s.company_id, m.id, s.platform_id, s.token_sealed
    from unnest(p_companies, p_senders) as due(company_id, sender_id)
    cross join lateral (
      select o.company_id, o.id, o.platform_id, o.token_sealed from outbound.senders as o
      where o.company_id = due.company_id and o.id = due.sender_id and outbound.may_reply(o) limit 1
    ) as s
    cross join lateral (
      select w.id, w.run_at, row_number() over (order by w.run_at) as position
      from (
        select q.id, q.run_at from outbound.contact_messages as q
        where q.company_id = s.company_id and q.sender_id = s.id and q.status = 'queued'
          and q.run_at <= now() and q.expires_at > now()
        order by q.run_at limit v_per_sender
      ) as w
    ) as m
    order by m.position, m.run_at limit p_limit
  ),
  -- By the primary key: a condition on the state here would lead to the small index, and to all that wait.
  locked as materialized (
    select q.*, f.platform_id, f.token_sealed
    from first as f
    cross join lateral (
      select q.company_id, q.id, q.status, q.run_at from outbound.contact_messages as q
      where q.company_id = f.company_id and q.id = f.id for update skip locked
    ) as q
  ),
  due as materialized (
    select l.* from locked as l where l.status = 'queued' and l.run_at <= now()
  )
  update outbound.contact_messages as m
  set status = 'sending', attempt = m.attempt + 1, fence = m.fence + 1, worker = p_worker,
    lease_until = clock_timestamp() + p_lease
  from due where m.company_id = due.company_id and m.id = due.id
  returning m.company_id, m.id, m.fence, m.attempt, m.number, m.user_id, m.kind, m.text, m.content,
    m.context_message_id, m.sender_id, due.platform_id, due.token_sealed, m.trace;
end
$$;
revoke execute on function outbound.lease_replies from public;

-- 85_replies/queue_reply.sql

-- Returns the last message of a person: its id, to which sender, and when; if p_sender_id is null to any sender of the
-- company. A message of the platform itself (system) opens no window.
create function outbound.last_inbound(p_company_id uuid, p_number text, p_user_id text, p_sender_id uuid)
returns table (id uuid, sender_id uuid, number text, user_id text, at timestamptz)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  select found.id, found.sender_id, found.number, found.user_id, found.at
  from unnest(outbound.addresses_of(p_company_id, p_number, p_user_id)) as known(address)
  cross join lateral (
    (
      select m.id, m.sender_id, m.number, m.user_id, m.at from outbound.contact_messages as m
      where m.company_id = p_company_id and m.number = known.address and m.direction = 'in' and m.kind <> 'system'
        and (p_sender_id is null or m.sender_id = p_sender_id)
      order by m.at desc limit 1
    )
    union all
    (
      select m.id, m.sender_id, m.number, m.user_id, m.at from outbound.contact_messages as m
      where m.company_id = p_company_id and m.user_id = known.address and m.direction = 'in' and m.kind <> 'system'
        and (p_sender_id is null or m.sender_id = p_sender_id)
      order by m.at desc limit 1
    )
  ) as found
  order by found.at desc limit 1;
end
$$;
revoke execute on function outbound.last_inbound from public;

-- Queues a reply to a person who wrote within 24 hours to the sender: for so long the platform takes messages that are
-- no template. p_reply: {id, number, user_id, recipient_id, kind, text, content, reply_to}; recipient_id: a sender by
-- id, number or the platform's id, or null for the one that the person last wrote to; reply_to: one of our messages.
-- p_idempotency: {endpoint, key, request_hash} or null.
-- outcome: queued, replayed (answer: the first response), key_reused, unknown_sender, sender_locked (reason),
-- window_closed (last_message_at; null if the person never wrote), unknown_message. Only queued stores anything.
create function outbound.queue_reply(p_company_id uuid, p_reply jsonb, p_idempotency jsonb)
returns table (
  outcome text, answer json, reason text, last_message_at timestamptz, window_closes_at timestamptz
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_reply record;
  v_sender_id uuid;
  v_sender record;
  v_last record;
  v_context text;
  v_first record;
begin
  select * into v_reply from jsonb_to_record(p_reply) as r(
    id uuid, number text, user_id text, recipient_id text, kind text, text text, content jsonb, reply_to uuid,
    trace text
  );
  for v_round in 1..2 loop
    select i.request_hash, i.answer into v_first from outbound.idempotency_keys as i
    where i.company_id = p_company_id and i.endpoint = p_idempotency ->> 'endpoint'
      and i.key = p_idempotency ->> 'key' and i.created_at > now() - interval '24 hours';
    if found then
      return query select
        case when v_first.request_hash = p_idempotency ->> 'request_hash' then 'replayed' else 'key_reused' end,
        v_first.answer, null::text, null::timestamptz, null::timestamptz;
      return;
    end if;

    v_sender_id := null;
    if v_reply.recipient_id is not null then
      select s.id into v_sender_id from outbound.senders as s
      where s.company_id = p_company_id and s.channel = 'whatsapp'
        and v_reply.recipient_id in (s.id::text, s.number, s.platform_id)
      limit 1;
      if not found then
        return query select 'unknown_sender', null::json, null::text, null::timestamptz, null::timestamptz;
        return;
      end if;
    end if;
    -- Keep the message that opens the window: the person may be erased meanwhile. erase_contact steps back from a
    -- message that is locked; one that it has locked is gone afterwards.
    loop
      select l.* into v_last
      from outbound.last_inbound(p_company_id, v_reply.number, v_reply.user_id, v_sender_id) as l;
      exit when v_last.id is null;
      perform from outbound.contact_messages as m where m.company_id = p_company_id and m.id = v_last.id for share;
      exit when found;
    end loop;
    if v_last.at is null or v_last.at <= now() - interval '24 hours' then
      return query select 'window_closed', null::json, null::text, v_last.at, v_last.at + interval '24 hours';
      return;
    end if;
    select s.id, s.locked, s.stopped_reason into v_sender from outbound.senders as s
    where s.company_id = p_company_id and s.id = v_last.sender_id;
    if v_sender.locked then
      return query select 'sender_locked', null::json, v_sender.stopped_reason, null::timestamptz, null::timestamptz;
      return;
    end if;
    if v_reply.reply_to is not null then
      select m.platform_message_id into v_context from outbound.contact_messages as m
      where m.company_id = p_company_id and m.id = v_reply.reply_to and m.sender_id = v_last.sender_id
        and m.platform_message_id is not null
        and array[m.number, m.user_id] && outbound.addresses_of(p_company_id, v_reply.number, v_reply.user_id);
      if not found then
        return query select 'unknown_message', null::json, null::text, null::timestamptz, null::timestamptz;
        return;
      end if;
    end if;

    answer := json_build_object(
      'message_id', v_reply.id, 'status', 'queued',
      'window_closes_at', outbound.iso_time(v_last.at + interval '24 hours'));
    if p_idempotency is not null then
      insert into outbound.idempotency_keys as i (company_id, endpoint, key, request_hash, answer)
      values (
        p_company_id, p_idempotency ->> 'endpoint', p_idempotency ->> 'key', p_idempotency ->> 'request_hash', answer
      )
      on conflict on constraint idempotency_keys_pkey do update
        set request_hash = excluded.request_hash, answer = excluded.answer, created_at = now()
        where i.created_at <= now() - interval '24 hours';
      -- Another request with the same key was stored in the meantime: its answer is the first.
      continue when not found;
    end if;
    insert into outbound.contact_messages (
      company_id, id, sender_id, direction, number, user_id, kind, text, content, context_message_id, status,
      run_at, expires_at, at, trace
    )
    values (
      p_company_id, v_reply.id, v_last.sender_id, 'out', coalesce(v_reply.number, v_last.number),
      coalesce(v_reply.user_id, v_last.user_id), v_reply.kind, v_reply.text, v_reply.content, v_context, 'queued',
      now(), v_last.at + interval '24 hours', now(), v_reply.trace
    );
    perform outbound.schedule_replies(array[p_company_id], array[v_last.sender_id], array[now()]);
    return query select 'queued', answer, null::text, v_last.at, v_last.at + interval '24 hours';
    return;
  end loop;
end
$$;
revoke execute on function outbound.queue_reply from public;

-- 85_replies/release_replies.sql

-- Hands back, untried, the replies that p_worker has leased and that are not among the given ones: those of a claim whose
-- response was lost. The worker has no other claim under way, so no process sends these rows. Returns how many rows went
-- back to the queue.
create function outbound.release_replies(p_worker text, p_companies uuid[], p_ids uuid[])
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_results jsonb;
begin
  select jsonb_agg(jsonb_build_object(
    'company_id', m.company_id, 'id', m.id, 'fence', m.fence, 'outcome', 'released'
  )) into v_results
  from outbound.contact_messages as m
  where m.status = 'sending' and m.worker = p_worker and not exists (
    select from unnest(p_companies, p_ids) as kept(company_id, id)
    where kept.company_id = m.company_id and kept.id = m.id
  );
  return case when v_results is null then 0 else outbound.finish_replies(v_results, interval '0') end;
end
$$;
revoke execute on function outbound.release_replies from public;

-- 85_replies/report_failed_messages.sql

-- Writes message.failed for replies that failed.
create function outbound.report_failed_messages(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  if p_ids is null then
    return;
  end if;
  perform outbound.write_event(m.company_id, 'message.failed', now(), json_build_object(
    'company_id', m.company_id, 'message_id', m.id, 'sender_id', m.sender_id, 'number', m.number,
    'user_id', m.user_id, 'kind', m.kind, 'purpose', m.purpose, 'platform_message_id', m.platform_message_id,
    'error_code', m.error_code, 'error_reason', m.error_reason, 'created_at', outbound.iso_time(m.created_at)
  ))
  from unnest(p_companies, p_ids) as failed(company_id, id)
  join outbound.contact_messages as m on m.company_id = failed.company_id and m.id = failed.id;
end
$$;
revoke execute on function outbound.report_failed_messages from public;

-- 85_replies/reschedule_replies.sql

-- Says when claims look at the given senders again, by what waits for them now, and not before p_not_before: a sender
-- for which nothing waits leaves the schedule, a stopped one stays in it without a time. A step of claim_replies, which
-- has locked the schedule of these senders.
create function outbound.reschedule_replies(p_companies uuid[], p_senders uuid[], p_not_before timestamptz)
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per sender.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  with next as materialized (
    select w.company_id, w.sender_id, m.run_at, s.is_active, s.is_ready
    from unnest(p_companies, p_senders) as w(company_id, sender_id)
    left join lateral (
      select q.run_at from outbound.contact_messages as q
      where q.company_id = w.company_id and q.sender_id = w.sender_id and q.status = 'queued'
      order by q.run_at limit 1
    ) as m on true
    left join lateral (
      select o.status = 'active' as is_active, outbound.may_reply(o) as is_ready from outbound.senders as o
      where o.company_id = w.company_id and o.id = w.sender_id limit 1
    ) as s on true
  ),
  idle as (
    delete from outbound.reply_schedule as s using next
    where s.company_id = next.company_id and s.sender_id = next.sender_id and next.run_at is null
  )
  update outbound.reply_schedule as s
  set due_at = case when next.is_active then
      greatest(
        next.run_at, now() + case when next.is_ready then interval '0' else interval '3 seconds' end, p_not_before)
    else 'infinity' end
  from next
  where s.company_id = next.company_id and s.sender_id = next.sender_id and next.run_at is not null;
end
$$;
revoke execute on function outbound.reschedule_replies from public;

-- 85_replies/schedule_replies.sql

-- Makes claims look at these senders at these times, at none that is past (due_from), unless they look earlier anyway.
-- The last of all locks.
create function outbound.schedule_replies(p_companies uuid[], p_senders uuid[], p_times timestamptz[])
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.reply_schedule as s (company_id, sender_id, due_at)
  select r.company_id, r.sender_id, greatest(min(r.due_at), clock_timestamp())
  from unnest(p_companies, p_senders, p_times) as r(company_id, sender_id, due_at)
  group by r.company_id, r.sender_id order by r.company_id, r.sender_id
  on conflict on constraint reply_schedule_pkey do update set due_at = least(s.due_at, excluded.due_at)
$$;
revoke execute on function outbound.schedule_replies from public;

-- Schedules the senders for which replies wait and that are not scheduled: a safety net for what was queued in another
-- way, such as an operator's statement. Jumps from one sender to the next in the index.
create function outbound.repair_reply_schedule()
returns void
language sql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  with recursive waiting as (
    (
      select m.company_id, m.sender_id from outbound.contact_messages as m
      where m.status = 'queued' order by m.company_id, m.sender_id limit 1
    )
    union all
    select next.company_id, next.sender_id from waiting as w
    cross join lateral (
      select m.company_id, m.sender_id from outbound.contact_messages as m
      where m.status = 'queued' and (m.company_id, m.sender_id) > (w.company_id, w.sender_id)
      order by m.company_id, m.sender_id limit 1
    ) as next
  )
  insert into outbound.reply_schedule (company_id, sender_id, due_at)
  select w.company_id, w.sender_id, now() from waiting as w
  where not exists (
    select from outbound.reply_schedule as s where s.company_id = w.company_id and s.sender_id = w.sender_id
  )
  on conflict on constraint reply_schedule_pkey do nothing
$$;
revoke execute on function outbound.repair_reply_schedule from public;

-- 85_replies/settle_replies.sql

-- Does what time alone brings about for replies:
--   sending → unconfirmed, when the dispatcher's lease ran out: it may have sent the reply or not;
--   unconfirmed → failed (outcome_unknown), when the platform reported nothing in time: a text is never sent twice;
--   queued → failed (expired), when the platform's window has closed.
-- Returns how many changed. Reads two small indexes of what waits.
create function outbound.settle_replies(p_window interval, p_limit int default 1000)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_rescued int;
  v_companies uuid[];
  v_failed uuid[];
  v_late_companies uuid[];
  v_late uuid[];
begin
  with due as (
    select m.company_id, m.id, m.status from outbound.contact_messages as m
    where m.status in ('sending', 'unconfirmed') and m.lease_until <= now()
    order by m.lease_until limit p_limit for update skip locked
  ),
  settled as (
    update outbound.contact_messages as m
    set status = case due.status when 'sending' then 'unconfirmed' else 'failed' end,
      lease_until = case due.status when 'sending' then now() + p_window end,
      worker = null,
      error_code = case due.status when 'unconfirmed' then 'outcome_unknown' end,
      error_reason = case due.status when 'unconfirmed'
        then 'The platform never said whether it took the message; it was not sent again' end
    from due where m.company_id = due.company_id and m.id = due.id
    returning m.company_id, m.id, m.status
  )
  select count(*) filter (where s.status = 'unconfirmed'), array_agg(s.company_id) filter (where s.status = 'failed'),
    array_agg(s.id) filter (where s.status = 'failed')
  into v_rescued, v_companies, v_failed from settled as s;

  with late as (
    select m.company_id, m.id from outbound.contact_messages as m
    where m.status = 'queued' and m.expires_at <= now()
    order by m.expires_at limit p_limit for update skip locked
  ),
  expired as (
    update outbound.contact_messages as m
    set status = 'failed', error_code = 'expired',
      error_reason = 'Not sent within 24 hours of the person''s last message' || coalesce(': ' || m.error_reason, '')
    from late where m.company_id = late.company_id and m.id = late.id
    returning m.company_id, m.id
  )
  select array_agg(e.company_id), array_agg(e.id) into v_late_companies, v_late from expired as e;
  perform outbound.report_failed_messages(v_companies || v_late_companies, v_failed || v_late);
  return v_rescued + coalesce(cardinality(v_failed || v_late), 0);
end
$$;
revoke execute on function outbound.settle_replies from public;

-- 87_changes/changes_of_people.sql

-- Returns the conversations, messages, handoffs and failed deliveries of a company that changed, as read_changes
-- describes.
create function outbound.changes_of_people(p_company_id uuid, p_since bigint, p_latest bigint, p_max int)
returns table (source oid, kind text, mark bigint, written bigint, data json)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  select c.tableoid, 'conversation', c.changed_xid, p_latest - age(c.xmin),
    case when p_latest - age(c.xmin) >= p_since then json_build_object(
      'conversation_id', c.id, 'kind', 'chat', 'state', c.state, 'assigned_to', c.assigned_to,
      'messages', c.last_sequence, 'last_message_at', outbound.iso_time(c.last_message_at),
      'contact_typing_until', outbound.iso_time(c.visitor_typing_until)) end
  from outbound.conversations as c
  where c.company_id = p_company_id and c.last_sequence > 0
    and c.changed_xid between p_since - 1000 and p_latest
  order by c.changed_xid desc limit p_max;

  return query
  select t.tableoid, 'conversation', t.changed_xid, p_latest - age(t.xmin),
    case when p_latest - age(t.xmin) >= p_since then json_build_object(
      'conversation_id', t.id, 'kind', 'whatsapp', 'state', t.state, 'assigned_to', t.assigned_to,
      'last_message_at', outbound.iso_time(t.last_message_at),
      'window_closes_at', outbound.iso_time(t.last_inbound_at + interval '24 hours')) end
  from outbound.contact_threads as t
  where t.company_id = p_company_id and t.changed_xid between p_since - 1000 and p_latest
  order by t.changed_xid desc limit p_max;

  return query
  select m.tableoid, 'message', m.changed_xid, p_latest - age(m.xmin),
    case when p_latest - age(m.xmin) >= p_since then json_build_object(
      'message_id', m.id, 'sender_id', m.sender_id, 'direction', m.direction, 'number', m.number,
      'user_id', m.user_id, 'kind', m.kind, 'text', left(m.text, 200), 'status', m.status,
      'campaign_id', m.campaign_id, 'at', outbound.iso_time(m.at)) end
  from outbound.contact_messages as m
  where m.company_id = p_company_id and m.changed_xid between p_since - 1000 and p_latest
  order by m.changed_xid desc limit p_max;

  return query
  select h.tableoid, 'handoff', h.changed_xid, p_latest - age(h.xmin),
    case when p_latest - age(h.xmin) >= p_since then json_build_object(
      'handoff_id', h.id, 'status', h.status, 'reason', h.reason, 'created_at', outbound.iso_time(h.created_at),
      'expires_at', outbound.iso_time(h.expires_at)) end
  from outbound.handoffs as h
  where h.company_id = p_company_id and h.changed_xid between p_since - 1000 and p_latest
  order by h.changed_xid desc limit p_max;

  return query
  select d.tableoid, 'delivery', d.changed_xid, p_latest - age(d.xmin),
    case when p_latest - age(d.xmin) >= p_since then json_build_object(
      'event_id', d.event_id, 'type', e.type, 'attempt', d.attempt, 'status', d.status,
      'response_status', d.response_status, 'error', d.error, 'finished_at', outbound.iso_time(d.finished_at)) end
  from outbound.webhook_deliveries as d
  join outbound.outgoing_events as e on e.company_id = d.company_id and e.id = d.event_id
  where d.company_id = p_company_id and d.status = 'failed'
    and d.changed_xid between p_since - 1000 and p_latest
  order by d.changed_xid desc limit p_max;
end
$$;
revoke execute on function outbound.changes_of_people from public;

-- 87_changes/changes_of_sending.sql

-- Returns the campaigns, uploads, senders, templates and calls of a company that changed, as read_changes describes.
create function outbound.changes_of_sending(p_company_id uuid, p_since bigint, p_latest bigint, p_max int)
returns table (source oid, kind text, mark bigint, written bigint, data json)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  select g.tableoid, 'campaign', g.changed_xid, p_latest - age(g.xmin),
    case when p_latest - age(g.xmin) >= p_since then (
      select json_build_object(
        'campaign_id', g.id, 'campaign_name', g.name, 'channel', g.channel, 'status', state.status,
        'paused_reason', state.paused_reason, 'total', g.total, 'pending', g.pending, 'processing', g.processing,
        'sent', g.sent, 'delivered', g.delivered, 'read', g.read, 'replied', g.replied, 'failed', g.failed,
        'cancelled', g.cancelled, 'skipped', g.skipped, 'rejected', g.rejected,
        'started_at', outbound.iso_time(g.started_at), 'completed_at', outbound.iso_time(g.completed_at))
      from outbound.campaign_state(g) as state
    ) end
  from outbound.campaigns as g
  where g.company_id = p_company_id and g.changed_xid between p_since - 1000 and p_latest
  order by g.changed_xid desc limit p_max;

  return query
  select u.tableoid, 'upload', u.changed_xid, p_latest - age(u.xmin),
    case when p_latest - age(u.xmin) >= p_since then json_build_object(
      'upload_id', u.id, 'campaign_id', u.campaign_id, 'campaign_name', u.plan -> 'fields' ->> 'campaign_name',
      'state', case when u.completed_at is not null then 'completed' when u.batches > 0 then 'partial' else 'new' end,
      'rows', u.rows_read, 'accepted', u.accepted, 'refused', u.refused, 'stopped', u.stopped,
      'changed_at', outbound.iso_time(u.changed_at), 'completed_at', outbound.iso_time(u.completed_at)) end
  from outbound.campaign_uploads as u
  where u.company_id = p_company_id and u.changed_xid between p_since - 1000 and p_latest
  order by u.changed_xid desc limit p_max;

  return query
  select s.tableoid, 'sender', s.changed_xid, p_latest - age(s.xmin),
    case when p_latest - age(s.xmin) >= p_since then json_build_object(
      'sender_id', s.id, 'number', s.number, 'channel', s.channel, 'status', s.status,
      'stopped_reason', s.stopped_reason, 'stopped_code', s.stopped_code, 'stopped_until', outbound.iso_time(s.stopped_until),
      'locked', s.locked, 'messaging_limit', s.messaging_limit, 'quality', s.quality,
      'platform_notice', s.platform_notice) end
  from outbound.senders as s
  where s.company_id = p_company_id and s.changed_xid between p_since - 1000 and p_latest
  order by s.changed_xid desc limit p_max;

  return query
  select t.tableoid, 'template', t.changed_xid, p_latest - age(t.xmin),
    case when p_latest - age(t.xmin) >= p_since then json_build_object(
      'template_id', t.id, 'name', t.name, 'language', t.language, 'category', t.category, 'status', t.status,
      'rejected_reason', t.rejected_reason, 'quality', t.quality) end
  from outbound.templates as t
  where t.company_id = p_company_id and t.changed_xid between p_since - 1000 and p_latest
  order by t.changed_xid desc limit p_max;

  return query
  select k.tableoid, 'call', k.changed_xid, p_latest - age(k.xmin),
    case when p_latest - age(k.xmin) >= p_since then json_build_object(
      'notification_id', n.id, 'campaign_id', n.campaign_id, 'number', n.number, 'status', n.status,
      'outcome', k.outcome, 'duration_s', k.duration_s, 'started_at', outbound.iso_time(k.started_at),
      'ended_at', outbound.iso_time(k.ended_at)) end
  from outbound.calls as k
  join outbound.notifications as n on n.company_id = k.company_id and n.id = k.notification_id
  where k.company_id = p_company_id and k.changed_xid between p_since - 1000 and p_latest
  order by k.changed_xid desc limit p_max;
end
$$;
revoke execute on function outbound.changes_of_sending from public;

-- 87_changes/current_timeline.sql

-- Names the history that transaction numbers count in: this database, since the server started, crashed or became the
-- primary. After each of these, and after a restore, a number may be given a second time.
--
-- Every role may read all this. The server discards its statistics when it recovers from a crash; the tables of a restored
-- schema are new ones.
create function outbound.current_timeline()
returns text
language sql stable security invoker set search_path = ''
as $$
  select substr(md5(concat_ws(' ', d.oid, 'outbound.campaigns'::regclass::oid,
    extract(epoch from pg_postmaster_start_time()), extract(epoch from pg_stat_get_bgwriter_stat_reset_time()))), 1, 16)
  from pg_catalog.pg_database as d where d.datname = current_database()
$$;
revoke execute on function outbound.current_timeline from public;

-- 87_changes/read_changes.sql

-- Returns what changed in companies, for the event streams of their members: one row per company, in one snapshot.
--
-- The row of a campaign, a sender, a message … says in xmin which transaction wrote it, and whatever a snapshot did not
-- see was written by transactions from its xmin on. So the xmin of one snapshot is where the next one begins, in any
-- process, however long a transaction takes. changed_xid finds these rows: it is the last writer's number, or at most
-- 1,000 below it (mark_change). No clock is involved.
--
-- p_since: the xmin of the last snapshot, or null to read none.
-- timeline: where these numbers count; next: this snapshot's xmin; latest: the last transaction of all; written: which
-- one wrote a change; complete_from: a reader whose cursor is before this may have missed changes, because more changed
-- than is read; members: who may see all this.
create function outbound.read_changes(p_companies uuid[], p_since bigint[])
returns table (
  company_id uuid, timeline text, next text, latest text, complete_from text, members uuid[], changes json
)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  -- Of each kind, rows that are looked at and changes that are returned.
  c_max_rows constant int := 2000;
  c_max_changes constant int := 200;
  v_xmin constant xid8 := pg_snapshot_xmin(pg_current_snapshot());
  v_latest constant bigint := v_xmin::text::bigint + age(v_xmin::xid);
  v_timeline constant text := outbound.current_timeline();
  -- The age of a row is known up to two billion transactions.
  v_oldest constant bigint := v_latest - 1000000000;
begin
  return query
  select f.company_id, v_timeline, v_xmin::text, v_latest::text,
    greatest(found.complete_from, v_oldest)::text,
    array(select m.user_id from outbound.company_members as m where m.company_id = f.company_id),
    found.changes
  from unnest(p_companies, p_since) as f(company_id, since)
  left join lateral (
    select
      json_agg(json_build_object('type', c.kind, 'written', c.written::text, 'data', c.data))
        filter (where c.data is not null and c.newer < c_max_changes) as changes,
      greatest(
        max(c.oldest_mark + 1001) filter (where c.looked_at >= c_max_rows),
        max(c.written + 1) filter (where c.data is not null and c.newer >= c_max_changes)
      ) as complete_from
    from (
      select each.*, count(*) over source as looked_at, min(each.mark) over source as oldest_mark,
        row_number() over (partition by each.source order by each.written desc) - 1 as newer
      from (
        select * from outbound.changes_of_sending(
          f.company_id, greatest(f.since, v_oldest), v_latest, c_max_rows)
        union all
        select * from outbound.changes_of_people(
          f.company_id, greatest(f.since, v_oldest), v_latest, c_max_rows)
      ) as each
      window source as (partition by each.source)
    ) as c
  ) as found on f.since is not null;
end
$$;
revoke execute on function outbound.read_changes from public;

-- 90_jobs/apply_retention.sql

-- Erases what companies do not want to keep any longer (keep_…_days in contact_rules), at most p_limit rows of each
-- kind, of the company first that is furthest behind. Of notifications and calls, what happened and when stays;
-- messages are deleted. Returns how many rows of each kind it handled; p_limit of one means that there may be more.
--
-- It never waits for a lock. Notifications have no index on their time, and need none: their ids are in the order in
-- which they were accepted, so it goes through them once, hour by hour, and remembers in contact_rules how far it came.
create function outbound.apply_retention(p_limit int default 10000)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_rules record;
  v_before uuid;
  v_ids uuid[];
  v_rows int;
  v_notifications int := 0;
  v_messages int := 0;
  v_transcripts int := 0;
begin
  v_notifications := outbound.erase_leftovers(p_limit);
  for v_rules in
    select r.company_id, r.keep_notifications_days, r.keep_messages_days, r.keep_transcripts_days,
      coalesce(r.notifications_erased_to, outbound.first_id_at('epoch')) as erased_to
    from outbound.contact_rules as r
    where num_nonnulls(r.keep_notifications_days, r.keep_messages_days, r.keep_transcripts_days) > 0
    order by r.notifications_erased_to nulls first for update skip locked
  loop
    v_before := outbound.first_id_at(
      date_trunc('hour', now()) - make_interval(days => v_rules.keep_notifications_days));
    if v_notifications < p_limit and v_before > v_rules.erased_to then
      v_ids := array(
        select n.id from outbound.notification_facts as n
        where n.company_id = v_rules.company_id and n.id > v_rules.erased_to and n.id < v_before
        order by n.id limit p_limit - v_notifications
      );
      v_notifications := v_notifications + cardinality(v_ids);
      perform outbound.erase_old_notifications(v_rules.company_id, v_ids, v_rules.keep_notifications_days);
      update outbound.contact_rules as r
      set notifications_erased_to = case when v_notifications < p_limit then v_before else v_ids[cardinality(v_ids)] end
      where r.company_id = v_rules.company_id;
    end if;

    if v_messages < p_limit and v_rules.keep_messages_days is not null then
      delete from outbound.contact_messages as m where m.ctid = any (array(
        select o.ctid from outbound.contact_messages as o
        where o.company_id = v_rules.company_id
          and o.created_at < now() - make_interval(days => v_rules.keep_messages_days)
          and o.status not in ('queued', 'sending', 'unconfirmed')
        order by o.created_at limit p_limit - v_messages for update skip locked));
      get diagnostics v_rows = row_count;
      v_messages := v_messages + v_rows;
    end if;

    if v_transcripts < p_limit and v_rules.keep_transcripts_days is not null then
      update outbound.calls as k set transcript = null, summary = null where k.ctid = any (array(
        select o.ctid from outbound.calls as o
        where o.company_id = v_rules.company_id and (o.transcript is not null or o.summary is not null)
          and o.started_at < now() - make_interval(days => v_rules.keep_transcripts_days)
        order by o.started_at limit p_limit - v_transcripts for update skip locked));
      get diagnostics v_rows = row_count;
      v_transcripts := v_transcripts + v_rows;
    end if;
  end loop;
  return jsonb_build_object('erased_notifications', v_notifications, 'erased_messages', v_messages,
    'erased_transcripts', v_transcripts);
end
$$;
revoke execute on function outbound.apply_retention from public;

-- Returns the lowest id that a notification accepted at p_at can have (UUIDv7).
create function outbound.first_id_at(p_at timestamptz)
returns uuid
language sql immutable security invoker set search_path = ''
as $$
  select rpad(lpad(to_hex(floor(extract(epoch from p_at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;
revoke execute on function outbound.first_id_at from public;

-- Erases the recipients of those of a company's notifications that were finished p_keep_days ago, and writes the others
-- down in retention_leftovers.
create function outbound.erase_old_notifications(p_company_id uuid, p_ids uuid[], p_keep_days int)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_keep constant interval := make_interval(days => p_keep_days);
begin
  with locked as materialized (
    select n.id,
      n.status is not null and n.on_call is null
        and (n.status = 'cancelled' or coalesce(n.sent_at, n.failed_at, n.skipped_at) < now() - v_keep) as is_old
    from outbound.notification_facts as n
    where n.company_id = p_company_id and n.id = any (p_ids) and num_nonnulls(n.number, n.user_id) > 0
    order by n.id for update skip locked
  ),
  erased as (
    update outbound.notification_facts as n
    set number = null, user_id = null, message = '{}', metadata = null, platform_message_id = null
    from locked where n.company_id = p_company_id and n.id = locked.id and locked.is_old
    returning n.id
  ),
  attempt as (
    update outbound.delivery_attempts as a set platform_message_id = null
    from erased where a.company_id = p_company_id and a.notification_id = erased.id
  ),
  done as (
    delete from outbound.retention_leftovers as l
    using erased where l.company_id = p_company_id and l.notification_id = erased.id
  )
  insert into outbound.retention_leftovers as l (company_id, notification_id, due_at)
  select p_company_id, n.id, case when locked.id is null then now() + interval '1 minute'
    else greatest(
      now() + interval '1 hour',
      greatest(n.expires_at, n.sent_at, n.failed_at, n.skipped_at) + v_keep
    ) end
  from outbound.notifications as n left join locked on locked.id = n.id
  where n.company_id = p_company_id and n.id = any (p_ids) and num_nonnulls(n.number, n.user_id) > 0
    and locked.is_old is not true
  on conflict on constraint retention_leftovers_pkey do update set due_at = excluded.due_at;
end
$$;
revoke execute on function outbound.erase_old_notifications from public;

-- Returns to at most p_limit leftovers that are due. Returns how many there were.
create function outbound.erase_leftovers(p_limit int)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_due record;
  v_rows int := 0;
begin
  for v_due in
    select l.company_id, array_agg(l.notification_id) as ids, r.keep_notifications_days as days
    from (
      select o.company_id, o.notification_id from outbound.retention_leftovers as o
      where o.due_at <= now() order by o.due_at limit p_limit for update skip locked
    ) as l
    left join outbound.contact_rules as r on r.company_id = l.company_id
    group by l.company_id, r.keep_notifications_days
  loop
    v_rows := v_rows + cardinality(v_due.ids);
    if v_due.days is not null then
      perform outbound.erase_old_notifications(v_due.company_id, v_due.ids, v_due.days);
    end if;
    -- Leftovers that are not due later are done with: erased, or kept for good by now.
    delete from outbound.retention_leftovers as l
    where l.company_id = v_due.company_id and l.notification_id = any (v_due.ids) and l.due_at <= now();
  end loop;
  return v_rows;
end
$$;
revoke execute on function outbound.erase_leftovers from public;

-- 90_jobs/clean_up.sql

-- Deletes what is no longer needed, at most p_limit rows of each kind, the oldest first. Returns how many by kind, and
-- `more`: whether some kind had that many, so that another call, in a transaction of its own, will find more.
-- Campaigns and notifications are the company's history and stay, except what a company wants apply_retention to
-- erase.
--
-- It never waits for a lock, so it is part of no deadlock: rows that are locked are left for the next call. Each kind
-- has a b-tree on its time, so a call reads about as many rows as it deletes, whatever is stored. (A BRIN index was
-- smaller. But once vacuum has freed pages for new rows, every range of it holds old and new ones, and each call read
-- the whole table.)
create function outbound.clean_up(p_limit int default 10000)
returns jsonb
language plpgsql security invoker set search_path = ''
as $$
declare
  v_deleted constant jsonb := outbound.clean_up_requests(p_limit) || outbound.clean_up_platform_events(p_limit)
    || outbound.clean_up_outgoing_events(p_limit) || outbound.clean_up_conversations(p_limit)
    || outbound.clean_up_marketing(p_limit) || outbound.clean_up_records(p_limit) || outbound.apply_retention(p_limit);
begin
  return v_deleted || jsonb_build_object('more', exists (
    select from jsonb_each_text(v_deleted) as kind where kind.value::int >= p_limit
  ));
end
$$;
revoke execute on function outbound.clean_up from public;

-- 90_jobs/clean_up_conversations.sql

-- Deletes voice sessions that are over, and conversations without a message. A step of clean_up.
create function outbound.clean_up_conversations(p_limit int)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_voice_sessions int;
  v_empty_conversations int;
begin
  -- A session's token lasts an hour, and its length is known, or will never be, soon after.
  delete from outbound.voice_sessions as s where s.ctid = any (array(
    select o.ctid from outbound.voice_sessions as o where o.created_at < now() - interval '2 days'
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_voice_sessions = row_count;

  -- Opened by a visitor who wrote nothing.
  delete from outbound.conversations as c where c.ctid = any (array(
    select o.ctid from outbound.conversations as o
    where o.last_sequence = 0 and o.created_at < now() - interval '1 day'
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_empty_conversations = row_count;

  return jsonb_build_object('voice_sessions', v_voice_sessions, 'empty_conversations', v_empty_conversations);
end
$$;
revoke execute on function outbound.clean_up_conversations from public;

-- 90_jobs/clean_up_marketing.sql

-- Deletes what rules for marketing to a person remember: cooldowns that are over, and sends that no frequency cap
-- counts any more. A step of clean_up.
create function outbound.clean_up_marketing(p_limit int)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_marketing_cooldowns int;
  v_marketing_sends int;
begin
  delete from outbound.marketing_cooldowns as r where r.ctid = any (array(
    select o.ctid from outbound.marketing_cooldowns as o where o.until < now()
    order by o.until limit p_limit for update skip locked));
  get diagnostics v_marketing_cooldowns = row_count;

  -- A frequency cap looks back 30 days, in the zone of the person.
  delete from outbound.marketing_sends as s where s.ctid = any (array(
    select o.ctid from outbound.marketing_sends as o where o.day < (now() at time zone 'UTC')::date - 35
    order by o.day limit p_limit for update skip locked));
  get diagnostics v_marketing_sends = row_count;

  return jsonb_build_object('marketing_cooldowns', v_marketing_cooldowns, 'marketing_sends', v_marketing_sends);
end
$$;
revoke execute on function outbound.clean_up_marketing from public;

-- 90_jobs/clean_up_outgoing_events.sql

-- Deletes the events that companies received, with their deliveries, 30 days after they were written. A step of
-- clean_up.
create function outbound.clean_up_outgoing_events(p_limit int)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_events int;
begin
  -- Deliveries before their events, failed ones too: the foreign key's cascade would wait for a locked one. Lateral,
  -- with a limit of one row: no plan can read all deliveries for it.
  delete from outbound.webhook_deliveries as d where d.ctid = any (array(
    select w.ctid from (
      select o.company_id, o.id from outbound.outgoing_events as o where o.created_at < now() - interval '30 days'
      order by o.created_at limit p_limit
    ) as old
    cross join lateral (
      select d.ctid from outbound.webhook_deliveries as d
      where d.company_id = old.company_id and d.event_id = old.id for update skip locked
    ) as w));
  delete from outbound.outgoing_events as e where e.ctid = any (array(
    select o.ctid from outbound.outgoing_events as o
    where o.created_at < now() - interval '30 days' and (
      select d.event_id from outbound.webhook_deliveries as d
      where d.company_id = o.company_id and d.event_id = o.id limit 1
    ) is null
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_events = row_count;

  return jsonb_build_object('outgoing_events', v_events);
end
$$;
revoke execute on function outbound.clean_up_outgoing_events from public;

-- 90_jobs/clean_up_platform_events.sql

-- Deletes events of the platforms that are applied, and what recognises their repetitions: a platform repeats an event
-- for up to seven days. Receipts are deleted when they are applied, because a repeated one adds nothing; failures and
-- reports of calls stay until now. A step of clean_up.
create function outbound.clean_up_platform_events(p_limit int)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_platform_events int;
  v_template_events int;
  v_account_events int;
  v_foreign_events int;
  v_seen_messages int;
begin
  delete from outbound.platform_events as e where e.ctid = any (array(
    select o.ctid from outbound.platform_events as o where o.applied_at < now() - interval '8 days'
    order by o.applied_at limit p_limit for update skip locked));
  get diagnostics v_platform_events = row_count;

  delete from outbound.template_events as e where e.ctid = any (array(
    select o.ctid from outbound.template_events as o where o.applied_at < now() - interval '8 days'
    order by o.applied_at limit p_limit for update skip locked));
  get diagnostics v_template_events = row_count;

  delete from outbound.account_events as e where e.ctid = any (array(
    select o.ctid from outbound.account_events as o where o.applied_at < now() - interval '8 days'
    order by o.applied_at limit p_limit for update skip locked));
  get diagnostics v_account_events = row_count;

  delete from outbound.foreign_events as f where f.ctid = any (array(
    select o.ctid from outbound.foreign_events as o where o.day < (now() at time zone 'UTC')::date - 35
    order by o.day limit p_limit for update skip locked));
  get diagnostics v_foreign_events = row_count;

  delete from outbound.seen_messages as s where s.ctid = any (array(
    select o.ctid from outbound.seen_messages as o where o.seen_at < now() - interval '8 days'
    order by o.seen_at limit p_limit for update skip locked));
  get diagnostics v_seen_messages = row_count;

  return jsonb_build_object(
    'platform_events', v_platform_events, 'template_events', v_template_events, 'account_events', v_account_events,
    'foreign_events', v_foreign_events, 'seen_messages', v_seen_messages
  );
end
$$;
revoke execute on function outbound.clean_up_platform_events from public;

-- 90_jobs/clean_up_records.sql

-- Deletes old records of what was done: tries to send, the audit log, uploads. A step of clean_up.
create function outbound.clean_up_records(p_limit int)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_delivery_attempts int;
  v_audit_log int;
  v_campaign_uploads int;
begin
  delete from outbound.delivery_attempts as a where a.ctid = any (array(
    select o.ctid from outbound.delivery_attempts as o where o.finished_at < now() - interval '90 days'
    order by o.finished_at limit p_limit for update skip locked));
  get diagnostics v_delivery_attempts = row_count;

  delete from outbound.audit_log as l where l.ctid = any (array(
    select o.ctid from outbound.audit_log as o where o.at < now() - interval '2 years'
    order by o.at limit p_limit for update skip locked));
  get diagnostics v_audit_log = row_count;

  delete from outbound.campaign_uploads as u where u.ctid = any (array(
    select o.ctid from outbound.campaign_uploads as o where o.created_at < now() - interval '90 days'
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_campaign_uploads = row_count;

  return jsonb_build_object(
    'delivery_attempts', v_delivery_attempts, 'audit_log', v_audit_log, 'campaign_uploads', v_campaign_uploads
  );
end
$$;
revoke execute on function outbound.clean_up_records from public;

-- 90_jobs/clean_up_requests.sql

-- Deletes what limits of requests and repeated requests are recognised by: idempotency keys, and what keys, log-ins and
-- visitors have used. A step of clean_up.
create function outbound.clean_up_requests(p_limit int)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_idempotency_keys int;
  v_usage int;
  v_login_attempts int;
  v_visitor_requests int;
  v_visitor_usage int;
begin
  delete from outbound.idempotency_keys as i where i.ctid = any (array(
    select o.ctid from outbound.idempotency_keys as o where o.created_at < now() - interval '24 hours'
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_idempotency_keys = row_count;

  delete from outbound.usage as u where u.ctid = any (array(
    select o.ctid from outbound.usage as o where o.day < (now() at time zone 'UTC')::date - 35
    order by o.day limit p_limit for update skip locked));
  get diagnostics v_usage = row_count;

  delete from outbound.login_attempts as l where l.ctid = any (array(
    select o.ctid from outbound.login_attempts as o where o.expires_at < now()
    order by o.expires_at limit p_limit for update skip locked));
  get diagnostics v_login_attempts = row_count;

  delete from outbound.visitor_requests as r where r.ctid = any (array(
    select o.ctid from outbound.visitor_requests as o where o.window_start < now() - interval '1 day'
    order by o.window_start limit p_limit for update skip locked));
  get diagnostics v_visitor_requests = row_count;

  delete from outbound.visitor_usage as u where u.ctid = any (array(
    select o.ctid from outbound.visitor_usage as o where o.day < (now() at time zone 'UTC')::date - 35
    order by o.day limit p_limit for update skip locked));
  get diagnostics v_visitor_usage = row_count;

  return jsonb_build_object(
    'idempotency_keys', v_idempotency_keys, 'usage', v_usage, 'login_attempts', v_login_attempts,
    'visitor_requests', v_visitor_requests, 'visitor_usage', v_visitor_usage
  );
end
$$;
revoke execute on function outbound.clean_up_requests from public;

-- 90_jobs/clean_up_when_due.sql

-- Cleans up where pg_cron does not. Any number of dispatchers may call it as often as they like: it cleans up once per
-- minute, and never while pg_cron is at work. Returns the result of outbound.clean_up, or null when it is not the
-- caller's turn; with `more` the caller goes on with outbound.clean_up itself.
create function outbound.clean_up_when_due()
returns jsonb
language plpgsql security invoker set search_path = ''
as $$
begin
  if exists (
    select from outbound.settings as s
    where s.name = 'last_tick:pg_cron' and s.updated_at > now() - interval '10 minutes'
  ) then
    return null;
  end if;
  insert into outbound.settings as s (name, value) values ('last_clean_up', to_jsonb(now()))
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now()
    -- Less than the minute that dispatchers wait, or a caller would come a moment too early.
    where s.updated_at < now() - interval '55 seconds';
  return case when found then outbound.clean_up() end;
end
$$;
revoke execute on function outbound.clean_up_when_due from public;

-- 90_jobs/database_figures.sql

-- Returns the figures of the database: since when no tick ran, and what keeps vacuum from removing rows. Part of
-- operating_figures, which says what each is.
create function outbound.database_figures()
returns jsonb
language sql volatile security invoker set search_path = ''
as $$
  with snapshot as materialized (
    select a.xact_start as since, age(a.backend_xmin) as xmin_age from pg_catalog.pg_stat_activity as a
    where a.backend_xmin is not null and a.pid <> pg_catalog.pg_backend_pid()
    union all
    select x.prepared, age(x.transaction) from pg_catalog.pg_prepared_xacts as x
    union all
    select null, greatest(age(s.xmin), age(s.catalog_xmin)) from pg_catalog.pg_replication_slots as s
    where s.xmin is not null or s.catalog_xmin is not null
  )
  select jsonb_build_object(
    'tick_s', (
      select jsonb_object_agg(substr(s.name, 11), extract(epoch from now() - s.updated_at))
      from outbound.settings as s where s.name in ('last_tick:dispatcher', 'last_tick:pg_cron')
    ),
    'snapshot_s', greatest((select extract(epoch from now() - min(snapshot.since)) from snapshot), 0),
    'xmin_age', coalesce((select max(snapshot.xmin_age) from snapshot), 0)
  )
$$;
revoke execute on function outbound.database_figures from public;

-- 90_jobs/event_figures.sql

-- Returns the figures of events: those of the platforms, those for companies, and our own webhook. Part of
-- operating_figures, which says what each is.
create function outbound.event_figures(p_max int, p_max_companies int)
returns jsonb
language sql volatile security invoker set search_path = ''
-- A batch: one look-up per company with deliveries.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
  select jsonb_build_object(
    'events_unapplied', (
      select count(*) from (
        select from outbound.platform_events as e where e.applied_at is null and e.apply_at <= now() limit p_max
      ) as found
    ) + (
      select count(*) from (select from outbound.template_events as e where e.applied_at is null limit p_max) as found
    ) + (
      select count(*) from (select from outbound.account_events as e where e.applied_at is null limit p_max) as found
    ),
    'oldest_event_s', coalesce(extract(epoch from now() - (
      select e.apply_at from outbound.platform_events as e
      where e.applied_at is null and e.apply_at <= now() order by e.apply_at, e.id limit 1
    )), 0),
    'foreign_events', coalesce((
      select f.events from outbound.foreign_events as f
      where f.day = (now() at time zone 'UTC')::date and f.reason = 'unknown_sender'
    ), 0),
    'webhook_failing_s', coalesce((
      select extract(epoch from now() - coalesce(p.failing_since, p.failed_at))
      from outbound.webhook_probe as p where p.only_row and p.failed_at > p.returned_at
    ), 0),
    'deliveries_pending', (
      select count(*) from (
        select from outbound.webhook_deliveries as d where d.status = 'pending' limit p_max
      ) as found
    ),
    'oldest_delivery_s', coalesce(extract(epoch from now() - (
      select min(head.run_at) from outbound.companies_with_deliveries(p_max_companies) as pending
      join outbound.webhooks as w on w.company_id = pending.company_id and w.is_active
      cross join lateral (
        select d.run_at from outbound.webhook_deliveries as d
        where d.company_id = pending.company_id and d.status = 'pending' and d.run_at <= now()
        order by d.company_id, d.run_at limit 1
      ) as head
    )), 0)
  )
$$;
revoke execute on function outbound.event_figures from public;

-- 90_jobs/grant_service.sql

-- Grants a role what the processes of the service need, and nothing else: it reads and writes rows and calls functions,
-- and can neither change nor drop anything. The owner of the tables calls it after each migration, as `migrate
-- --grant-to` does. A policy of its own lets the role see the rows, because only a superuser can give BYPASSRLS.
create function outbound.grant_service(p_role text)
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  v_table name;
begin
  execute format('grant usage on schema outbound, supabase_migrations to %I', p_role);
  execute format('grant select on supabase_migrations.schema_migrations to %I', p_role);
  execute format('grant select, insert, update, delete on all tables in schema outbound to %I', p_role);
  execute format('grant usage on all sequences in schema outbound to %I', p_role);
  execute format('grant execute on all functions in schema outbound to %I', p_role);
  for v_table in
    select c.relname from pg_catalog.pg_class as c
    where c.relnamespace = 'outbound'::regnamespace and c.relkind = 'r' and not exists (
      select from pg_catalog.pg_policy as p where p.polrelid = c.oid and p.polname = p_role
    )
    order by c.relname
  loop
    execute format('create policy %I on outbound.%I to %I using (true)', p_role, v_table, p_role);
  end loop;
end
$$;
revoke execute on function outbound.grant_service from public;

-- 90_jobs/invoke_dispatch.sql

-- Sends a request to the dispatch function when a message, a reply or an event waits to be sent, a dispatcher that died
-- or the platform left a reply's outcome open, a call or a voice session has to be checked, or the webhook has to be
-- probed before a message's window ends. Needs pg_net and an address: Vault's secrets outbound_dispatch_url and
-- outbound_dispatch_secret, or the settings row dispatch {"url": …, "secret": …}. Returns whether a request was
-- queued. pg_net sends it after the commit.
create function outbound.invoke_dispatch()
returns boolean
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_url text;
  v_secret text;
begin
  if to_regnamespace('net') is null or not (
    exists (
      select from outbound.sender_schedule as t
      where t.due_at <= now() and t.due_at >= outbound.due_from('senders')
    )
    or exists (select 1 from outbound.calls as k where k.check_at <= now() - interval '2 minutes')
    or exists (select 1 from outbound.voice_sessions as v where v.check_at <= now() - interval '2 minutes')
    or exists (
      select 1 from outbound.reply_schedule as s
      where s.due_at <= now() and s.due_at >= outbound.due_from('replies') and exists (
        select from outbound.senders as o
        where o.company_id = s.company_id and o.id = s.sender_id and outbound.may_reply(o)
      )
    )
    -- By its order: any other index on what is queued would lead to all of it.
    or coalesce((
      select m.expires_at from outbound.contact_messages as m where m.status = 'queued' order by m.expires_at limit 1
    ) <= now(), false)
    or exists (
      select 1 from outbound.contact_messages as m
      where m.status in ('sending', 'unconfirmed') and m.lease_until <= now() limit 1
    )
    or exists (
      select 1 from outbound.queue as n
      where n.status = 'unconfirmed' and not n.voice and n.lease_until >= outbound.leases_from()
        and n.lease_until <= now() + interval '30 seconds' limit 1
    )
    or exists (
      select 1 from outbound.endpoints_to_serve(outbound.due_companies(64, 64)) as e
    )
  ) then
    return false;
  end if;
  if to_regclass('vault.decrypted_secrets') is not null then
    execute format('select max(decrypted_secret) filter (where name = $1), '
      'max(decrypted_secret) filter (where name = $2) from %I.decrypted_secrets', 'vault')
      into v_url, v_secret using 'outbound_dispatch_url', 'outbound_dispatch_secret';
  end if;
  if v_url is null then
    select s.value ->> 'url', s.value ->> 'secret' into v_url, v_secret
    from outbound.settings as s where s.name = 'dispatch';
  end if;
  if v_url is null or v_secret is null then
    return false;
  end if;
  execute format('select %I.http_post(url := $1, body := $3, headers := $2, timeout_milliseconds := 5000)', 'net')
    using v_url, jsonb_build_object('Content-Type', 'application/json', 'Authorization', 'Bearer ' || v_secret),
      '{}'::jsonb;
  return true;
end
$$;
revoke execute on function outbound.invoke_dispatch from public;

-- 90_jobs/operating_figures.sql

-- Returns the figures that show whether the service works, for GET /metrics. Every count ends at p_max: "at least so
-- many" is enough for an alert, and the cost does not grow with history, with companies or with what waits. What is due
-- is read from the p_max_senders senders whose turns come first, the same rows that claims begin with.
--   due, oldest_due_s: may leave now, from senders whose turn comes within a minute (none that is stopped)
--   scheduled, held, sending, unconfirmed: notifications in that state; held ones are in no other count
--   senders: {active, stopped, locked}, senders_low: rated RED, senders_warned: warned by the
--     platform within 7 days
--   campaigns_held: campaigns whose template keeps them from being sent
--   events_unapplied, oldest_event_s: reports of the platforms that wait to be applied
--   deliveries_pending, oldest_delivery_s: events that wait for companies' endpoints
--   calls_active, calls_overdue: calls going on; those without an end an hour after they began
--   leases_lost: leases that ran out within five minutes
--   foreign_events: events of today that name no sender of ours
--   webhook_failing_s: how long our own webhook cannot be reached
--   tick_s: since the last tick, per who made it; not there while there was none
--   snapshot_s, xmin_age: of the oldest snapshot that keeps vacuum from removing rows, prepared transactions and
--     replication slots included; snapshots of other roles only with pg_read_all_stats
create function outbound.operating_figures(p_max int default 10000, p_max_senders int default 500)
returns jsonb
language sql volatile security invoker set search_path = ''
as $$
  select jsonb_strip_nulls(outbound.queue_figures(p_max, p_max_senders) || outbound.sender_figures(p_max)
    || outbound.event_figures(p_max, p_max_senders) || outbound.database_figures())
$$;
revoke execute on function outbound.operating_figures from public;

-- 90_jobs/queue_figures.sql

-- Returns the figures of the queue: what waits, what is leased, the calls that go on, and the leases that ran out. Part
-- of operating_figures, which says what each is.
create function outbound.queue_figures(p_max int, p_max_senders int)
returns jsonb
language sql volatile security invoker set search_path = ''
-- A batch: one look-up per sender whose turn comes.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
  with turn as materialized (
    select t.sender_id, t.queue_cursor from outbound.sender_schedule as t
    where t.due_at >= outbound.due_from('senders') and t.due_at < now() + interval '1 minute'
    order by t.due_at limit p_max_senders
  ),
  due as (
    select count(*) as due from (
      select from turn
      cross join generate_series(0, 2) as level(priority)
      cross join lateral (
        select from outbound.queue as n
        where n.sender_id = turn.sender_id and n.priority = level.priority and n.status = 'queued'
          and n.run_at >= turn.queue_cursor[level.priority + 1] and n.run_at <= now()
      ) as waiting
      limit p_max
    ) as found
  ),
  oldest_due as (
    select extract(epoch from now() - min(head.run_at)) as oldest_due_s from turn
    cross join generate_series(0, 2) as level(priority)
    cross join lateral (
      select n.run_at from outbound.queue as n
      where n.sender_id = turn.sender_id and n.priority = level.priority and n.status = 'queued'
        and n.run_at >= turn.queue_cursor[level.priority + 1] and n.run_at <= now()
      order by n.sender_id, n.priority, n.run_at, n.id limit 1
    ) as head
  ),
  leased as (
    select count(*) filter (where l.status = 'sending') as sending,
      count(*) filter (where l.status = 'unconfirmed') as unconfirmed
    from (
      select n.status from outbound.queue as n
      where n.status in ('sending', 'unconfirmed')
        and n.lease_until >= outbound.leases_from() limit p_max
    ) as l
  )
  select jsonb_build_object(
    'due', due.due,
    'oldest_due_s', coalesce(oldest_due.oldest_due_s, 0),
    'scheduled', (
      select count(*) from (
        select from outbound.queue as n
        where n.status = 'queued' and n.is_scheduled and n.run_at > now() and n.run_at < 'infinity' limit p_max
      ) as found
    ),
    'held', (
      select count(*) from (
        select from outbound.queue as n
        where n.status = 'queued' and n.held_run_at is not null limit p_max
      ) as found
    ),
    'sending', leased.sending,
    'unconfirmed', leased.unconfirmed,
    'calls_active', (
      select count(*) from (
        select from outbound.ongoing_calls as k limit p_max
      ) as found
    ),
    'calls_overdue', (
      select count(*) filter (where c.started_at < now() - interval '1 hour') from (
        select o.started_at from outbound.calls as o where o.check_at is not null order by o.check_at limit p_max
      ) as c
    ),
    'leases_lost', (
      select count(*) from (
        select from outbound.delivery_attempts as a
        where a.worker = 'lost' and a.finished_at > now() - interval '5 minutes' limit p_max
      ) as found
    )
  )
  from due cross join oldest_due cross join leased
$$;
revoke execute on function outbound.queue_figures from public;

-- 90_jobs/schedule_jobs.sql

-- Schedules the jobs of pg_cron, or brings them up to date and ends those of earlier versions; returns false where
-- pg_cron does not exist, or its schema may not be used. The jobs run as their caller, and only the caller and superusers
-- see them. With pg_cron the queue keeps moving while no process of ours runs; without it, the
-- dispatchers do all of this. One job takes all steps, because each run of a job starts a backend. Each step, or each
-- round of a step that has many, is a transaction of its own: a lock is held for one step only, and a step that fails
-- undoes and stops no other; the job then fails at its end, with the reasons. pg_cron knows seconds from 1.5 on; before
-- that a minute is the shortest interval.
create function outbound.schedule_jobs()
returns boolean
language plpgsql security invoker set search_path = ''
as $$
declare
  v_version int[];
  v_often text;
  v_job record;
  v_names text[] := array[]::text[];
  v_old bigint;
begin
  select string_to_array(split_part(e.extversion, '-', 1), '.')::int[] into v_version
  from pg_catalog.pg_extension as e where e.extname = 'pg_cron';
  if not found or not has_schema_privilege('cron', 'usage') then
    return false;
  end if;
  v_often := case when v_version >= array[1, 5] then '5 seconds' else '* * * * *' end;
  for v_job in
    select job.* from (values
      ('outbound-steps', v_often, $job$
do $do$
declare
  v_step text;
  v_more text;
  v_failed text[] := array[]::text[];
begin
  foreach v_step in array array['tick(p_by => ''pg_cron'')', 'apply_platform_events(10000)', 'apply_account_events()',
    'apply_template_events()', 'settle_templates()', 'invoke_dispatch()']
  loop
    loop
      v_more := null;
      begin
        execute 'select outbound.' || v_step into v_more;
      exception when others then
        v_failed := v_failed || format('%s: %s', v_step, sqlerrm);
      end;
      commit;
      exit when v_step <> 'settle_templates()' or not coalesce(v_more::boolean, false);
    end loop;
  end loop;
  if v_failed <> array[]::text[] then
    raise exception '%', array_to_string(v_failed, '; ');
  end if;
end
$do$
$job$),
      ('outbound-clean-up', '* * * * *', $job$
do $do$
declare
  v_until constant timestamptz := clock_timestamp() + interval '20 seconds';
begin
  while (outbound.clean_up() ->> 'more')::boolean and clock_timestamp() < v_until loop
    commit;
  end loop;
end
$do$
$job$),
      -- Ours only: jobs of other projects write their history there too.
      ('outbound-forget-runs', '27 3 * * *', $job$
delete from cron.job_run_details as r using cron.job as j
where j.jobid = r.jobid and j.jobname like 'outbound-%' and r.end_time < now() - interval '2 days'
$job$)
    ) as job(name, schedule, command)
  loop
    execute format('select %I.schedule($1, $2, $3)', 'cron')
      using v_job.name, v_job.schedule, btrim(v_job.command, E'\n');
    v_names := v_names || v_job.name;
  end loop;
  for v_old in execute format(
    'select j.jobid from %I.job as j where j.jobname like $1 and j.jobname <> all ($2) '
    'and j.database = current_database() and j.username = current_user', 'cron'
  ) using 'outbound-%', v_names
  loop
    execute format('delete from %I.job_run_details as r where r.jobid = $1', 'cron') using v_old;
    execute format('select %I.unschedule($1)', 'cron') using v_old;
  end loop;
  return true;
end
$$;
revoke execute on function outbound.schedule_jobs from public;

-- pg_cron can be created only in the one database that its setting names, and only by a superuser. Where that is not
-- us, call `select outbound.schedule_jobs()` once it exists and its schema may be used.
do $$
begin
  if exists (select 1 from pg_catalog.pg_available_extensions where name = 'pg_cron') then
    begin
      create extension if not exists pg_cron;
    exception when others then
      raise notice 'pg_cron could not be set up here: %', sqlerrm;
    end;
  end if;
  perform outbound.schedule_jobs();
end
$$;

-- 90_jobs/sender_figures.sql

-- Returns the figures of senders, and of campaigns whose template keeps them from being sent. Part of
-- operating_figures, which says what each is.
create function outbound.sender_figures(p_max int)
returns jsonb
language sql volatile security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  select jsonb_build_object(
    'senders', (
      select jsonb_object_agg(state.name, (
        select count(*) from (
          select from outbound.senders as s
          where s.status = state.status and s.locked = state.locked limit p_max
        ) as found
      ))
      from (values ('active', 'active', false), ('stopped', 'stopped', false), ('locked', 'stopped', true))
        as state(name, status, locked)
    ),
    'senders_low', (
      select count(*) from (select from outbound.senders as s where s.quality = 'RED' limit p_max) as found
    ),
    'senders_warned', (
      select count(*) from (
        select from outbound.senders as s where s.platform_notice_at > now() - interval '7 days' limit p_max
      ) as found
    ),
    'campaigns_held', (
      select count(*) from (
        select from outbound.campaigns as g where g.held_reason is not null limit p_max
      ) as found
    )
  )
$$;
revoke execute on function outbound.sender_figures from public;

reset check_function_bodies;
