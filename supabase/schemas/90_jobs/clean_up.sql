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
-- By those indexes, also when a table was empty when statistics were last taken.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
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

  -- The platform repeats an event for up to seven days. Receipts are deleted when they are applied, because a repeated
  -- one adds nothing. Failures and reports of calls stay, so that a repetition is recognised.
  delete from outbound.platform_events as e where e.ctid = any (array(
    select o.ctid from outbound.platform_events as o where o.applied_at < now() - interval '8 days'
    order by o.applied_at limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('platform_events', v_rows);

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

  -- A session's token lasts an hour, and its length is known, or will never be, soon after.
  delete from outbound.voice_sessions as s where s.ctid = any (array(
    select o.ctid from outbound.voice_sessions as o where o.created_at < now() - interval '2 days'
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('voice_sessions', v_rows);

  -- Opened by a visitor who wrote nothing.
  delete from outbound.conversations as c where c.ctid = any (array(
    select o.ctid from outbound.conversations as o
    where o.last_sequence = 0 and o.created_at < now() - interval '1 day'
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('empty_conversations', v_rows);

  delete from outbound.marketing_cooldowns as r where r.ctid = any (array(
    select o.ctid from outbound.marketing_cooldowns as o where o.until < now()
    order by o.until limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('marketing_cooldowns', v_rows);

  -- A frequency cap looks back 30 days, in the zone of the person.
  delete from outbound.marketing_sends as s where s.ctid = any (array(
    select o.ctid from outbound.marketing_sends as o where o.day < (now() at time zone 'UTC')::date - 35
    order by o.day limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('marketing_sends', v_rows);

  delete from outbound.seen_messages as s where s.ctid = any (array(
    select o.ctid from outbound.seen_messages as o where o.seen_at < now() - interval '8 days'
    order by o.seen_at limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('seen_messages', v_rows);

  delete from outbound.audit_log as l where l.ctid = any (array(
    select o.ctid from outbound.audit_log as o where o.at < now() - interval '2 years'
    order by o.at limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('audit_log', v_rows);

  delete from outbound.campaign_uploads as u where u.ctid = any (array(
    select o.ctid from outbound.campaign_uploads as o where o.created_at < now() - interval '90 days'
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_rows = row_count;
  v_deleted := v_deleted || jsonb_build_object('campaign_uploads', v_rows);

  v_deleted := v_deleted || outbound.apply_retention(p_limit);

  return v_deleted || jsonb_build_object('more', exists (
    select from jsonb_each_text(v_deleted) as kind where kind.value::int >= p_limit
  ));
end
$$;
revoke execute on function outbound.clean_up from public;
