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
