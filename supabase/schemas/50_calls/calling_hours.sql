-- Returns when a company's calls may be made; null means at any time.
create function outbound.calling_hours(p_company_id uuid)
returns json
language sql stable security invoker set search_path = ''
as $$
  select json_build_object('from', y.calls_from, 'until', y.calls_until, 'zone', y.calls_zone)
  from outbound.companies as y where y.id = p_company_id and y.calls_zone is not null
$$;
revoke execute on function outbound.calling_hours from public;
