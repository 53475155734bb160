-- What keeps the database small and in step without anybody asking.

-- Deletes what nobody will ask for any more, at most p_limit rows of each kind, the oldest first. Returns how many by
-- kind, and `more`: whether some kind had that many, so that another call, in a transaction of its own, will find more.
-- Campaigns and notifications are the company's history and stay.
--
-- It never waits for a lock, so it is part of no deadlock: what somebody is working on is left for the next call. Each
-- kind has a b-tree on its time, so that a call reads about as many rows as it deletes, whatever is stored. (A BRIN index
-- was smaller, but once vacuum has given pages back for new rows, every range of it holds old and new ones, and each call
-- read the whole table.)
create function outbound.clean_up(p_limit int default 10000)
returns jsonb
language plpgsql security invoker set search_path = ''
-- By those indexes, also when a table was empty when statistics were last taken.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
  v_rows int;
  v_deleted jsonb := jsonb_build_object();
begin
  delete from outbound.idempotency_keys as i where i.ctid = any (array(
    select o.ctid from outbound.idempotency_keys as o where o.created_at < now() - interval '24 hours'
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('idempotency_keys', v_rows);

  delete from outbound.usage as u where u.ctid = any (array(
    select o.ctid from outbound.usage as o where o.day < (now() at time zone 'UTC')::date - 35
    order by o.day limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('usage', v_rows);

  delete from outbound.login_attempts as l where l.ctid = any (array(
    select o.ctid from outbound.login_attempts as o where o.expires_at < now()
    order by o.expires_at limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('login_attempts', v_rows);

  -- The platform repeats an event for up to seven days; until then its row recognises the repetition.
  delete from outbound.provider_events as e where e.ctid = any (array(
    select o.ctid from outbound.provider_events as o where o.applied_at < now() - interval '8 days'
    order by o.applied_at limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('provider_events', v_rows);

  delete from outbound.template_events as e where e.ctid = any (array(
    select o.ctid from outbound.template_events as o where o.applied_at < now() - interval '8 days'
    order by o.applied_at limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('template_events', v_rows);

  delete from outbound.account_events as e where e.ctid = any (array(
    select o.ctid from outbound.account_events as o where o.applied_at < now() - interval '8 days'
    order by o.applied_at limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('account_events', v_rows);

  delete from outbound.foreign_events as f where f.ctid = any (array(
    select o.ctid from outbound.foreign_events as o where o.day < (now() at time zone 'UTC')::date - 35
    order by o.day limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('foreign_events', v_rows);

  delete from outbound.delivery_attempts as a where a.ctid = any (array(
    select o.ctid from outbound.delivery_attempts as o where o.finished_at < now() - interval '90 days'
    order by o.finished_at limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('delivery_attempts', v_rows);

  -- Deliveries before their events, also those that could not be delivered: the foreign key's cascade would wait for one
  -- that somebody is working on. Lateral, and asked for one row: no plan can read all deliveries for it.
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
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('outgoing_events', v_rows);

  delete from outbound.visitor_requests as r where r.ctid = any (array(
    select o.ctid from outbound.visitor_requests as o where o.window_start < now() - interval '1 day'
    order by o.window_start limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('visitor_requests', v_rows);

  delete from outbound.visitor_usage as u where u.ctid = any (array(
    select o.ctid from outbound.visitor_usage as o where o.day < (now() at time zone 'UTC')::date - 35
    order by o.day limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('visitor_usage', v_rows);

  -- A session's token lasts an hour, and its length is known or given up soon after.
  delete from outbound.voice_sessions as s where s.ctid = any (array(
    select o.ctid from outbound.voice_sessions as o where o.created_at < now() - interval '2 days'
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('voice_sessions', v_rows);

  -- Opened by a visitor who then wrote nothing.
  delete from outbound.conversations as c where c.ctid = any (array(
    select o.ctid from outbound.conversations as o
    where o.last_sequence = 0 and o.created_at < now() - interval '1 day'
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('empty_conversations', v_rows);

  return v_deleted || jsonb_build_object('more', exists (
    select from jsonb_each_text(v_deleted) as kind where kind.value::int >= p_limit
  ));
end
$$;
revoke execute on function outbound.clean_up from public;
create index provider_events_applied_idx on outbound.provider_events (applied_at) where applied_at is not null;
create index delivery_attempts_finished_idx on outbound.delivery_attempts (finished_at);
create index usage_day_idx on outbound.usage (day);
create index login_attempts_expires_idx on outbound.login_attempts (expires_at);

-- Vacuum begins after a number of dead rows, not after a fifth of the table: of 100 million messages that would be 20
-- million dead versions, all of which a claim may have to step over. A vacuum of few pages leaves the indexes alone, so
-- that often is not dear. Kept with every table whose rows are changed or deleted all day.
alter table outbound.notifications set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02
);
alter table outbound.campaigns set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
alter table outbound.provider_events set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);
alter table outbound.delivery_attempts set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);
alter table outbound.sender_pace set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
alter table outbound.sender_turns set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Business accounts whose templates nobody has looked at for an hour, or for a minute when a change was heard of. Each is handed to one caller only, with a
-- token that opens it: one of a sender that works, if there is any.
alter table outbound.senders
  add column templates_taken_at timestamptz,
  add column templates_wanted boolean not null default false;
create function outbound.take_accounts_to_sync(p_limit int)
returns table (company_id uuid, waba_id text, sender_id uuid, token_sealed text)
language sql security invoker set search_path = ''
as $$
  with due as (
    select s.company_id, s.id from outbound.senders as s
    where s.channel = 'whatsapp' and s.token_sealed is not null
      and (
        coalesce(s.templates_taken_at, s.created_at) <= now() - interval '1 hour'
        or s.templates_wanted and coalesce(s.templates_taken_at, '-infinity') <= now() - interval '1 minute'
      )
    order by s.id limit p_limit for no key update skip locked
  ),
  taken as (
    update outbound.senders as s set templates_taken_at = now(), templates_wanted = false
    from due where s.company_id = due.company_id and s.id = due.id
    returning s.company_id, s.waba_id, s.id, s.token_sealed, s.status, s.created_at
  )
  select distinct on (t.company_id, t.waba_id) t.company_id, t.waba_id, t.id, t.token_sealed
  from taken as t
  order by t.company_id, t.waba_id, t.status = 'stopped', t.created_at
$$;
revoke execute on function outbound.take_accounts_to_sync from public;
