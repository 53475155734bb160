-- Hands back, unsent, the deliveries that p_worker has leased and that are not among the given ones: those of a claim
-- whose response was lost. The worker has no other claim under way, so no process sends these rows. One of an event of which
-- the worker sends another endpoint's delivery is due at the end of its lease. Returns how many rows are due again.
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
