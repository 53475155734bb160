-- Extends the leases of those of the given notifications that p_worker has leased; returns how many. It names them,
-- because a worker may not know everything it has: the response to a claim can get lost, and such a row must not be
-- leased forever.
create function outbound.renew_leases(p_worker text, p_lease interval, p_companies uuid[], p_ids uuid[])
returns int
language sql security invoker set search_path = ''
-- A batch: one look-up per lease.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
  with locked as (
    select n.company_id, n.id from unnest(p_companies, p_ids) as given(company_id, id)
    join outbound.queue as n on n.company_id = given.company_id and n.id = given.id
    where n.status = 'sending' and n.worker = p_worker and n.lease_until > now()
    -- A locked row is being finished.
    for update of n skip locked
  ),
  renewed as (
    update outbound.queue as n set lease_until = clock_timestamp() + p_lease
    from locked where n.company_id = locked.company_id and n.id = locked.id
    returning 1
  )
  select count(*)::int from renewed
$$;
revoke execute on function outbound.renew_leases from public;
