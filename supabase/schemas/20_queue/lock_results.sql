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
