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
