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
