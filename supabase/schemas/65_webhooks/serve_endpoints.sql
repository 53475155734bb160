-- Returns the endpoints with new deliveries, in the order of the index. Jumps from one to the next.
create function outbound.endpoints_with_new_deliveries()
returns table (company_id uuid, endpoint_id uuid)
language plpgsql stable rows 10 security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  with recursive busy as (
    (
      select d.company_id, d.endpoint_id from outbound.webhook_deliveries as d
      where d.status = 'pending' and not d.deferred order by d.company_id, d.endpoint_id limit 1
    )
    union all
    select following.company_id, following.endpoint_id
    from busy cross join lateral (
      select d.company_id, d.endpoint_id from outbound.webhook_deliveries as d
      where d.status = 'pending' and not d.deferred
        and (d.company_id, d.endpoint_id) > (busy.company_id, busy.endpoint_id)
      order by d.company_id, d.endpoint_id limit 1
    ) as following
  )
  select busy.company_id, busy.endpoint_id from busy;
end
$$;
revoke execute on function outbound.endpoints_with_new_deliveries from public;

-- Returns how many requests an endpoint with p_failures failures in a row gets at a time. A company's endpoints share
-- what one would get, so that a company with many takes no more of the requests that all companies share.
create function outbound.max_requests_to(p_company_id uuid, p_failures int)
returns int
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return case when p_failures >= outbound.endpoint_fails_after() then 1
    else greatest(1, outbound.max_requests_per_endpoint() / (1 + (
      select count(*)::int from outbound.webhook_endpoints as e where e.company_id = p_company_id and e.is_active
    ))) end;
end
$$;
revoke execute on function outbound.max_requests_to from public;

-- Returns the endpoints that may have something due: those given, and those with new deliveries. free: how many more
-- requests each may get at this moment.
create function outbound.serve_endpoints(p_companies uuid[], p_endpoints uuid[])
returns table (company_id uuid, endpoint_id uuid, is_failing boolean, free int)
language plpgsql stable rows 10 security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  with endpoint as (
    select * from unnest(p_companies, p_endpoints) as s(company_id, endpoint_id)
    union select n.company_id, n.endpoint_id from outbound.endpoints_with_new_deliveries() as n
  )
  select p.company_id, p.endpoint_id, w.is_failing, w.max_requests - u.deliveries
  from endpoint as p
  cross join lateral (
    select e.failures >= outbound.endpoint_fails_after() as is_failing,
      outbound.max_requests_to(e.company_id, e.failures) as max_requests
    from outbound.endpoints as e where e.company_id = p.company_id and e.id = p.endpoint_id and e.is_active limit 1
  ) as w
  cross join lateral (
    select count(*)::int as deliveries from (
      select from outbound.webhook_deliveries as d
      where d.company_id = p.company_id and d.endpoint_id = p.endpoint_id and d.status = 'pending'
        and d.worker is not null and d.run_at > now()
      limit w.max_requests
    ) as one
  ) as u;
end
$$;
revoke execute on function outbound.serve_endpoints from public;
