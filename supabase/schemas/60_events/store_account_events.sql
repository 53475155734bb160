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
