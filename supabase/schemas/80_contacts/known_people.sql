-- Returns what a company has stored of the people with these numbers and user ids, by the address that was asked for;
-- no row for people it does not know. A number is looked up by all of its aliases.
create function outbound.known_people(p_company_id uuid, p_addresses text[])
returns table (address text, timezone text, language text)
language plpgsql stable security invoker set search_path = ''
-- A batch: one look-up per address.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  return query
  select given.address, person.timezone, person.language
  from unnest(p_addresses) as given(address)
  cross join lateral (select case when given.address like '%.%' then 'user_id' else 'number' end as kind) as form
  cross join lateral unnest(
    case form.kind when 'number' then outbound.aliases_of(p_company_id, given.address) else array[given.address] end
  ) as known(address)
  cross join lateral (
    select a.contact_id from outbound.contact_addresses as a
    where a.company_id = p_company_id and a.kind = form.kind and a.address = known.address limit 1
  ) as owner
  cross join lateral (
    select c.timezone, c.language from outbound.contacts as c
    where c.company_id = p_company_id and c.id = owner.contact_id limit 1
  ) as person;
end
$$;
revoke execute on function outbound.known_people from public;
