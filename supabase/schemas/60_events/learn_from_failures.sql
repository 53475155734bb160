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
