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
