-- Takes the new deliveries that endpoints in trouble could not get out of the way of claims, and says when claims look
-- at those companies, and at the ones in p_scheduled, again. The caller has the lock of deliveries.
create function outbound.defer_deliveries(p_scheduled uuid[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per company.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
declare
  v_companies uuid[];
begin
  v_companies := array(
    select n.company_id from outbound.companies_with_new_deliveries() as n
    where not exists (
      select from outbound.webhooks as w
      where w.company_id = n.company_id and w.is_active and w.failures < outbound.endpoint_fails_after()
    )
  );
  if cardinality(v_companies || p_scheduled) = 0 then
    return;
  end if;
  update outbound.webhook_deliveries as d set deferred = true where d.ctid = any (array(
    select o.ctid from unnest(v_companies) as troubled(company_id)
    cross join lateral (
      select w.ctid from outbound.webhook_deliveries as w
      where w.company_id = troubled.company_id and w.status = 'pending' and not w.deferred
      limit 1000 for update skip locked
    ) as o
  ));

  with company as materialized (
    select c.company_id, w.is_active is true as is_active,
      w.failures >= outbound.endpoint_fails_after() as is_failing, first.run_at, (
      select count(*) from outbound.webhook_deliveries as d
      where d.company_id = c.company_id and d.status = 'pending' and d.worker is not null and d.run_at > now()
    ) as under_way
    from (select distinct unnest(v_companies || p_scheduled) as company_id) as c
    left join lateral (
      select o.is_active, o.failures from outbound.webhooks as o where o.company_id = c.company_id limit 1
    ) as w on true
    left join lateral (
      select d.run_at from outbound.webhook_deliveries as d
      where d.company_id = c.company_id and d.status = 'pending' order by d.run_at, d.event_id limit 1
    ) as first on true
  ),
  idle as (
    delete from outbound.webhook_schedule as s using company as c
    where s.company_id = c.company_id and s.company_id = any (p_scheduled) and (c.run_at is null or not c.is_active)
  )
  insert into outbound.webhook_schedule as s (company_id, is_failing, due_at)
  select c.company_id, c.is_failing, case
      when c.run_at > now() then c.run_at
      -- The result of a request that is under way comes first (finish_deliveries).
      when c.under_way >= case when c.is_failing then 1 else outbound.max_requests_per_endpoint() end
        then now() + interval '1 minute'
      -- Endpoints in trouble take turns for the few requests that all of them get.
      when c.is_failing then now() + interval '30 seconds'
      else now() end
  from company as c where c.run_at is not null and c.is_active
  on conflict on constraint webhook_schedule_pkey do update
    set is_failing = excluded.is_failing,
      due_at = case when s.company_id = any (p_scheduled) then excluded.due_at
        else least(s.due_at, excluded.due_at) end;
end
$$;
revoke execute on function outbound.defer_deliveries from public;

-- Schedules the companies with deferred deliveries that are not scheduled: a safety net for what reached the queue in
-- another way, such as an operator's statement, or a webhook that was switched on again.
create function outbound.repair_webhook_schedule()
returns void
language sql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  -- No claim and no finish runs meanwhile (finish_deliveries).
  select pg_advisory_xact_lock(hashtextextended('outbound.claim_deliveries', 0));
  insert into outbound.webhook_schedule (company_id, is_failing, due_at)
  select c.company_id, w.is_failing, now() from outbound.companies_with_deliveries() as c
  cross join lateral (
    select o.failures >= outbound.endpoint_fails_after() as is_failing from outbound.webhooks as o
    where o.company_id = c.company_id and o.is_active limit 1
  ) as w
  where not exists (select from outbound.webhook_schedule as s where s.company_id = c.company_id)
  on conflict on constraint webhook_schedule_pkey do nothing
$$;
revoke execute on function outbound.repair_webhook_schedule from public;
