-- Locks notifications, in the lock order: each is read as it is now by the statements that follow. Ids may be null and
-- may come twice.
create function outbound.lock_notifications(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  perform outbound.lock_queue(p_companies, p_ids);
  perform from (
    select distinct n.company_id, n.id from unnest(p_companies, p_ids) as n(company_id, id)
    where n.id is not null order by n.id
  ) as n
  cross join lateral (
    select from outbound.notification_facts as w where w.company_id = n.company_id and w.id = n.id for update
  ) as locked;
end
$$;
revoke execute on function outbound.lock_notifications from public;

-- Locks what the queue has of notifications, which is the first half of locking them.
create function outbound.lock_queue(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  perform from (
    select distinct n.company_id, n.id from unnest(p_companies, p_ids) as n(company_id, id)
    where n.id is not null order by n.id
  ) as n
  cross join lateral (
    select from outbound.queue as w where w.company_id = n.company_id and w.id = n.id for update
  ) as locked;
end
$$;
revoke execute on function outbound.lock_queue from public;
