-- Returns the contacts that addresses belong to, each once: first those of the addresses themselves, in their order,
-- then those of aliases of the numbers and of linked user ids. p_addresses: [{kind, address}, …].
create function outbound.contacts_of(p_company_id uuid, p_addresses jsonb)
returns uuid[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    select found.contact_id from (
      select a.contact_id, min(known.rank) as rank
      from (
        select g.value ->> 'kind' as kind, g.value ->> 'address' as address, g.ord as rank
        from jsonb_array_elements(p_addresses) with ordinality as g(value, ord)
        union all
        select case when other.address like '%.%' then 'user_id' else 'number' end, other.address, g.ord + 1000000
        from jsonb_array_elements(p_addresses) with ordinality as g(value, ord)
        cross join lateral unnest(outbound.addresses_of(
          p_company_id, case when g.value ->> 'kind' = 'number' then g.value ->> 'address' end,
          case when g.value ->> 'kind' = 'user_id' then g.value ->> 'address' end
        )) as other(address)
        where g.value ->> 'kind' in ('number', 'user_id')
      ) as known
      cross join lateral (
        select o.contact_id from outbound.contact_addresses as o
        where o.company_id = p_company_id and o.kind = known.kind and o.address = known.address limit 1
      ) as a
      group by a.contact_id
    ) as found
    order by found.rank, found.contact_id
  );
end
$$;
revoke execute on function outbound.contacts_of from public;
