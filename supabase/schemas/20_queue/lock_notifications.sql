-- Locks notifications, in the lock order: each is read as it is now by the statements that follow. Ids may be null and
-- may come twice.
create function outbound.lock_notifications(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  perform from (
    select distinct named.company_id, named.id from unnest(p_companies, p_ids) as named(company_id, id)
    where named.id is not null order by named.id
  ) as named
  cross join lateral (
    select from outbound.queue as q where q.company_id = named.company_id and q.id = named.id for update
  ) as locked;
  perform from (
    select distinct named.company_id, named.id from unnest(p_companies, p_ids) as named(company_id, id)
    where named.id is not null order by named.id
  ) as named
  cross join lateral (
    select from outbound.notification_facts as n where n.company_id = named.company_id and n.id = named.id for update
  ) as locked;
end
$$;
revoke execute on function outbound.lock_notifications from public;
