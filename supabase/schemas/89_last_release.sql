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
