-- As addresses_of, and with the numbers and user ids of the person's contact, if there is one: what exports and erases
-- a person means all of them. p_contact_id: the contact, in place of a number and a user id; null: these.
create function outbound.addresses_of_person(p_company_id uuid, p_number text, p_user_id text, p_contact_id uuid)
returns text[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_known constant text[] := case when p_contact_id is null then outbound.addresses_of(p_company_id, p_number, p_user_id)
    else outbound.addresses_of_contact(p_company_id, p_contact_id) end;
begin
  return array(
    select unnest(v_known)
    union
    select every.address from unnest(outbound.contacts_of_addresses(p_company_id, v_known)) as c(id)
    cross join lateral unnest(outbound.addresses_of_contact(p_company_id, c.id)) as every(address)
    order by 1
  );
end
$$;
revoke execute on function outbound.addresses_of_person from public;
