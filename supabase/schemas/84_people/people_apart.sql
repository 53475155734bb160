-- Says of each of p_people, as learn_contacts takes them, in their order (ord, from 1), whether the person is apart: shares
-- no address and no contact with another of them, and has one contact at most (contact_id), which one of their numbers and
-- user ids finds, where they have any. Such people can be learned together. A visitor may be several contacts, so is not.
-- is_erased: one of the hashes is that of a person who was erased (send, platform).
create function outbound.people_apart(p_company_id uuid, p_people jsonb, p_source text)
returns table (ord int, is_apart boolean, contact_id uuid, is_erased boolean)
-- In SQL, which plans each call: a plan that was made for the first contacts would go on reading all of the company's.
language sql stable security invoker set search_path = ''
-- A batch: one look-up per address.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
  with given as materialized (
    select p.ord::int, a.kind, a.address, p_source in ('send', 'platform') and exists (
      select from jsonb_array_elements_text(nullif(p.value -> 'hashes', 'null')) as h(hash)
      join outbound.erased_contacts as e on e.company_id = p_company_id and e.address_hash = h.hash
    ) as is_erased
    from jsonb_array_elements(p_people) with ordinality as p(value, ord)
    left join lateral jsonb_to_recordset(p.value -> 'addresses') as a(kind text, address text) on true
  ),
  known as (
    select g.ord, g.kind, g.address, g.is_erased from given as g
    union all
    select g.ord, case when other.address like '%.%' then 'user_id' else 'number' end, other.address, g.is_erased
    from given as g
    cross join lateral unnest(outbound.addresses_of(
      p_company_id, case g.kind when 'number' then g.address end, case g.kind when 'user_id' then g.address end
    )) as other(address)
    -- Few have others, and asking for them takes longer than all the rest.
    where case g.kind
      when 'number' then exists (
        select from outbound.number_aliases as s where s.company_id = p_company_id and s.number = g.address
      ) or exists (
        select from outbound.number_aliases as s where s.company_id = p_company_id and s.platform_number = g.address
      ) or exists (select from outbound.user_ids as u where u.company_id = p_company_id and u.number = g.address)
      when 'user_id' then exists (
        select from outbound.user_ids as u where u.company_id = p_company_id and u.user_id = g.address
      )
    end
  ),
  found as (
    select k.*, k.kind in ('number', 'user_id') as is_reached, a.contact_id as found_id,
      k.kind is not null and min(k.ord) over same_address < max(k.ord) over same_address
      or a.contact_id is not null and min(k.ord) over same_contact < max(k.ord) over same_contact as is_shared
    from known as k
    left join lateral (
      select o.contact_id from outbound.contact_addresses as o
      where o.company_id = p_company_id and o.kind = k.kind and o.address = k.address limit 1
    ) as a on true
    window same_address as (partition by k.kind, k.address), same_contact as (partition by a.contact_id)
  ),
  person as (
    select f.ord, f.is_erased, array_agg(distinct f.found_id) filter (where f.found_id is not null) as contacts,
      bool_or(f.is_shared) as is_shared, coalesce(bool_or(f.is_reached), false) as has_reached,
      coalesce(bool_or(f.is_reached and f.found_id is not null), false) as is_found_by_reached
    from found as f group by f.ord, f.is_erased
  )
  select p.ord, p_source <> 'visitor' and not p.is_shared and (
      p.contacts is null or cardinality(p.contacts) = 1 and p.is_found_by_reached = p.has_reached
    ), p.contacts[1], p.is_erased
  from person as p order by p.ord;
$$;
revoke execute on function outbound.people_apart from public;
