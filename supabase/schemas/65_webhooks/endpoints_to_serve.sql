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

-- Returns the endpoints that may have something due: those of the companies in p_scheduled, and of companies with new
-- deliveries. free: how many more requests each may get at this moment.
create function outbound.endpoints_to_serve(p_scheduled uuid[])
returns table (company_id uuid, is_failing boolean, free int)
language plpgsql stable rows 10 security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  with company as (
    select unnest(p_scheduled) as company_id
    union select n.company_id from outbound.companies_with_new_deliveries() as n
  )
  select c.company_id, w.is_failing, w.max_requests - u.deliveries
  from company as c
  cross join lateral (
    select e.failures >= outbound.endpoint_fails_after() as is_failing,
      case when e.failures >= outbound.endpoint_fails_after() then 1 else outbound.max_requests_per_endpoint() end
        as max_requests
    from outbound.webhooks as e where e.company_id = c.company_id and e.is_active limit 1
  ) as w
  cross join lateral (
    select count(*)::int as deliveries from (
      select from outbound.webhook_deliveries as d
      where d.company_id = c.company_id and d.status = 'pending' and d.worker is not null and d.run_at > now()
      limit w.max_requests
    ) as one
  ) as u;
end
$$;
revoke execute on function outbound.endpoints_to_serve from public;
