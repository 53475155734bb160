-- Functions that the last release's call, and today's do not: a call that is under way while the migrations are applied
-- still needs them. The next release drops all of these.

-- fill_contacts of one person.
create function outbound.fill_contact(p_company_id uuid, p_contact_id uuid, p_source text, p_person jsonb)
returns boolean
language sql security invoker set search_path = ''
as $$
  select f.changed
  from outbound.fill_contacts(p_company_id, jsonb_build_array(p_person), p_source, array[p_contact_id]) as f
$$;
revoke execute on function outbound.fill_contact from public;

-- The functions of a company's own endpoint. Those of all of them took their place.
create function outbound.stop_webhook(p_company_id uuid, p_reason text)
returns void
language sql security invoker set search_path = ''
as $$
  select outbound.stop_endpoint(p_company_id, '00000000-0000-0000-0000-000000000000', p_reason)
$$;
revoke execute on function outbound.stop_webhook from public;

create function outbound.replay_events(p_company_id uuid, p_event_id text, p_since timestamptz)
returns int
language sql security invoker set search_path = ''
as $$
  select outbound.replay_endpoint(p_company_id, '00000000-0000-0000-0000-000000000000', p_event_id, p_since)
$$;
revoke execute on function outbound.replay_events from public;

create function outbound.due_companies(p_max int, p_max_failing int)
returns uuid[]
language sql stable security invoker set search_path = ''
as $$
  select array(
    select d.company_id from outbound.due_endpoints(p_max, p_max_failing) as d where d.endpoint_id = '00000000-0000-0000-0000-000000000000'
  )
$$;
revoke execute on function outbound.due_companies from public;

create function outbound.companies_with_new_deliveries()
returns table (company_id uuid)
language sql stable security invoker set search_path = ''
as $$
  select distinct n.company_id from outbound.endpoints_with_new_deliveries() as n
$$;
revoke execute on function outbound.companies_with_new_deliveries from public;

create function outbound.endpoints_to_serve(p_scheduled uuid[])
returns table (company_id uuid, is_failing boolean, free int)
language sql stable security invoker set search_path = ''
as $$
  select s.company_id, s.is_failing, s.free
  from outbound.serve_endpoints(p_scheduled, array_fill('00000000-0000-0000-0000-000000000000'::uuid, array[cardinality(p_scheduled)])) as s
  where s.endpoint_id = '00000000-0000-0000-0000-000000000000'
$$;
revoke execute on function outbound.endpoints_to_serve from public;

create function outbound.defer_deliveries(p_scheduled uuid[])
returns void
language sql security invoker set search_path = ''
as $$
  select outbound.defer_endpoints(p_scheduled, array_fill('00000000-0000-0000-0000-000000000000'::uuid, array[cardinality(p_scheduled)]))
$$;
revoke execute on function outbound.defer_deliveries from public;
