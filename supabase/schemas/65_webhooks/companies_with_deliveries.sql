-- Returns the companies with a pending delivery, due or not, p_limit of them at most. Jumps from one to the next in the
-- index.
create function outbound.companies_with_deliveries(p_limit int default null)
returns table (company_id uuid)
language sql stable security invoker set search_path = ''
as $$
  with recursive busy as (
    (
      select d.company_id from outbound.webhook_deliveries as d
      where d.status = 'pending' order by d.company_id limit 1
    )
    union all
    select following.company_id
    from busy cross join lateral (
      select d.company_id from outbound.webhook_deliveries as d
      where d.status = 'pending' and d.company_id > busy.company_id
      order by d.company_id limit 1
    ) as following
  )
  select busy.company_id from busy limit p_limit
$$;
revoke execute on function outbound.companies_with_deliveries from public;
