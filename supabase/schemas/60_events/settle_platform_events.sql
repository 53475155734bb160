-- Returns those of the given platform events that are about a notification of ours and need not come again. One comes
-- again if it calls an attempt a failure for now that is still under way: that gets its own response first.
-- p_companies, p_ids: the notification of each, as it is after the events; null where there is none.
create function outbound.settled_events(p_events bigint[], p_companies uuid[], p_ids uuid[])
returns bigint[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    select e.id from unnest(p_events, p_companies, p_ids) as named(event_id, company_id, id)
    join outbound.platform_events as e on e.id = named.event_id
    where named.id is not null and not (e.retryable and e.status = 'failed' and exists (
      select from outbound.queue as q
      where q.company_id = named.company_id and q.id = named.id and case when q.status = 'sending' then true end
        and coalesce(e.fence = q.fence, true)
    ))
  );
end
$$;
revoke execute on function outbound.settled_events from public;

-- Ends what apply_platform_events does with p_events. p_settled: those that need not come again; p_foreign: those that
-- are about nothing of ours.
-- Applied receipts are deleted. Failures stay, because a receipt that comes after one does not count. Reports of calls
-- stay too. Events that are not settled or match nothing yet come again: after five seconds, then after twice as long
-- each time.
create function outbound.settle_platform_events(p_events bigint[], p_settled bigint[], p_foreign bigint[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  delete from outbound.platform_events as e where e.id = any (p_foreign);
  delete from outbound.platform_events as e
  where e.id = any (p_settled) and e.status <> 'failed' and e.channel <> 'voice';
  update outbound.platform_events as e
  set applied_at = case
      when e.id = any (p_settled) or e.received_at < now() - interval '1 day' then now()
    end,
    apply_at = case when e.id = any (p_settled) then e.apply_at
      else now() + greatest(interval '5 seconds', now() - e.received_at) end
  where e.id = any (p_events);
end
$$;
revoke execute on function outbound.settle_platform_events from public;
