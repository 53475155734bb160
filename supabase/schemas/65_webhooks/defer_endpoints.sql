-- Takes the new deliveries that endpoints in trouble could not get out of the way of claims, and says when claims look
-- at those endpoints, and at the given ones, again. The caller has the lock of deliveries.
create function outbound.defer_endpoints(p_companies uuid[], p_endpoints uuid[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per endpoint.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
declare
  v_companies uuid[];
  v_endpoints uuid[];
begin
  select array_agg(n.company_id), array_agg(n.endpoint_id) into v_companies, v_endpoints
  from outbound.endpoints_with_new_deliveries() as n
  where not exists (
    select from outbound.endpoints as w
    where w.company_id = n.company_id and w.id = n.endpoint_id and w.is_active
      and w.failures < outbound.endpoint_fails_after()
  );
  if coalesce(cardinality(v_companies || p_companies), 0) = 0 then
    return;
  end if;
  update outbound.webhook_deliveries as d set deferred = true where d.ctid = any (array(
    select o.ctid from unnest(v_companies, v_endpoints) as troubled(company_id, endpoint_id)
    cross join lateral (
      select w.ctid from outbound.webhook_deliveries as w
      where w.company_id = troubled.company_id and w.endpoint_id = troubled.endpoint_id and w.status = 'pending'
        and not w.deferred
      limit 1000 for update skip locked
    ) as o
  ));

  with endpoint as materialized (
    select c.company_id, c.endpoint_id, w.is_active is true as is_active,
      w.failures >= outbound.endpoint_fails_after() as is_failing,
      outbound.max_requests_to(c.company_id, w.failures) as max_requests, first.run_at, (
      select count(*) from outbound.webhook_deliveries as d
      where d.company_id = c.company_id and d.endpoint_id = c.endpoint_id and d.status = 'pending'
        and d.worker is not null and d.run_at > now()
    ) as under_way
    from (
      select * from unnest(v_companies, v_endpoints) as troubled(company_id, endpoint_id)
      union select * from unnest(p_companies, p_endpoints)
    ) as c
    left join lateral (
      select o.is_active, o.failures from outbound.endpoints as o
      where o.company_id = c.company_id and o.id = c.endpoint_id limit 1
    ) as w on true
    left join lateral (
      select d.run_at from outbound.webhook_deliveries as d
      where d.company_id = c.company_id and d.endpoint_id = c.endpoint_id and d.status = 'pending'
      order by d.run_at, d.event_id limit 1
    ) as first on true
  ),
  idle as (
    delete from outbound.webhook_schedule as s using endpoint as c
    where s.company_id = c.company_id and s.endpoint_id = c.endpoint_id and (c.run_at is null or not c.is_active)
      and (s.company_id, s.endpoint_id) in (select * from unnest(p_companies, p_endpoints))
  )
  insert into outbound.webhook_schedule as s (company_id, endpoint_id, is_failing, due_at)
  select c.company_id, c.endpoint_id, c.is_failing, case
      when c.run_at > now() then c.run_at
      -- The result of a request that is under way comes first (finish_deliveries).
      when c.under_way >= c.max_requests then now() + interval '1 minute'
      -- Endpoints in trouble take turns for the few requests that all of them get.
      when c.is_failing then now() + interval '30 seconds'
      else now() end
  from endpoint as c where c.run_at is not null and c.is_active
  on conflict on constraint webhook_schedule_pkey do update
    set is_failing = excluded.is_failing,
      due_at = case
        when (s.company_id, s.endpoint_id) in (select * from unnest(p_companies, p_endpoints)) then excluded.due_at
        else least(s.due_at, excluded.due_at) end;
end
$$;
revoke execute on function outbound.defer_endpoints from public;

-- Schedules the endpoints with deferred deliveries that are not scheduled: a safety net for what reached the queue in
-- another way, such as an operator's statement, or a webhook that was switched on again.
create function outbound.repair_webhook_schedule()
returns void
language sql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  -- No claim and no finish runs meanwhile (finish_deliveries).
  select pg_advisory_xact_lock(hashtextextended('outbound.claim_deliveries', 0));
  insert into outbound.webhook_schedule (company_id, endpoint_id, is_failing, due_at)
  select c.company_id, w.id, w.failures >= outbound.endpoint_fails_after(), now()
  from outbound.companies_with_deliveries() as c
  cross join lateral (
    select o.id, o.failures from outbound.endpoints as o where o.company_id = c.company_id and o.is_active
  ) as w
  where exists (
    select from outbound.webhook_deliveries as d
    where d.company_id = c.company_id and d.endpoint_id = w.id and d.status = 'pending'
  ) and not exists (
    select from outbound.webhook_schedule as s where s.company_id = c.company_id and s.endpoint_id = w.id
  )
  on conflict on constraint webhook_schedule_pkey do nothing
$$;
revoke execute on function outbound.repair_webhook_schedule from public;
