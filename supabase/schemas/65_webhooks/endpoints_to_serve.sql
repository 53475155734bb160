-- Returns the companies with new deliveries, in the order of the index. Jumps from one to the next.
create function outbound.companies_with_new_deliveries()
returns table (company_id uuid)
language plpgsql stable rows 10 security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  with recursive busy as (
    (
      select d.company_id from outbound.webhook_deliveries as d
      where d.status = 'pending' and not d.deferred order by d.company_id limit 1
    )
    union all
    select following.company_id
    from busy cross join lateral (
      select d.company_id from outbound.webhook_deliveries as d
      where d.status = 'pending' and not d.deferred and d.company_id > busy.company_id
      order by d.company_id limit 1
    ) as following
  )
  select busy.company_id from busy;
end
$$;
revoke execute on function outbound.companies_with_new_deliveries from public;

-- Returns the endpoints that may have something due: those of the companies in p_scheduled, of companies with new
-- deliveries, and of companies whose worker was lost. free: how many more requests each may get at this moment.
create function outbound.endpoints_to_serve(p_scheduled uuid[])
returns table (company_id uuid, is_failing boolean, free int)
language plpgsql stable rows 10 security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  with under_way as materialized (
    select d.company_id, (count(*) filter (where d.run_at > now()))::int as deliveries,
      bool_or(d.run_at <= now()) as is_lost
    from outbound.webhook_deliveries as d
    where d.status = 'pending' and d.worker is not null group by d.company_id
  ),
  company as (
    select unnest(p_scheduled) as company_id
    union select n.company_id from outbound.companies_with_new_deliveries() as n
    union select u.company_id from under_way as u where u.is_lost
  )
  select c.company_id, w.failures >= outbound.endpoint_fails_after(),
    greatest(0, case when w.failures >= outbound.endpoint_fails_after() then 1 else outbound.max_requests_per_endpoint() end
      - coalesce(u.deliveries, 0))
  from company as c
  cross join lateral (
    select e.failures from outbound.webhooks as e where e.company_id = c.company_id and e.is_active limit 1
  ) as w
  left join under_way as u on u.company_id = c.company_id;
end
$$;
revoke execute on function outbound.endpoints_to_serve from public;
