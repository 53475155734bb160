-- As erase_person, for the version before this one: it knows no contacts, so it has read no addresses of one.
create function outbound.erase_contact(
  p_company_id uuid, p_number text, p_user_id text, p_addresses text[], p_hashes text[], p_events text[],
  p_since timestamptz, p_actor text, p_request_id text, out outcome text, out retry_after_s int, out counts jsonb
)
language sql security invoker set search_path = ''
as $$
  select * from outbound.erase_person(
    p_company_id, p_number, p_user_id, null,
    case when p_addresses = outbound.addresses_of(p_company_id, p_number, p_user_id)
      then outbound.addresses_of_person(p_company_id, p_number, p_user_id, null) else p_addresses end,
    p_hashes, p_events, p_since, p_actor, p_request_id
  )
$$;
revoke execute on function outbound.erase_contact from public;
