-- Functions that the last release's invoke_dispatch() calls, and today's does not: one that is under way while the
-- migrations are applied still needs them. The next release drops both.

create function outbound.due_companies(p_max int, p_max_failing int)
returns uuid[]
language sql stable security invoker set search_path = ''
as $$
  select array(
    select d.company_id from outbound.due_endpoints(p_max, p_max_failing) as d where d.endpoint_id = '00000000-0000-0000-0000-000000000000'
  )
$$;
revoke execute on function outbound.due_companies from public;

create function outbound.endpoints_to_serve(p_scheduled uuid[])
returns table (company_id uuid, is_failing boolean, free int)
language sql stable security invoker set search_path = ''
as $$
  select s.company_id, s.is_failing, s.free
  from outbound.serve_endpoints(p_scheduled, array_fill('00000000-0000-0000-0000-000000000000'::uuid, array[cardinality(p_scheduled)])) as s
  where s.endpoint_id = '00000000-0000-0000-0000-000000000000'
$$;
revoke execute on function outbound.endpoints_to_serve from public;
