-- Returns the values of p_people, as learn_contacts takes them, that their attribute cannot hold: the person (ord, from
-- 1), the attribute and its type.
create function outbound.unfit_attributes(p_company_id uuid, p_people jsonb)
returns table (ord int, name text, type text)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  select p.ord::int, v.key, a.type
  from jsonb_array_elements(p_people) with ordinality as p(person, ord)
  cross join lateral jsonb_each(nullif(p.person -> 'attributes', 'null')) as v
  cross join lateral (
    select o.type from outbound.contact_attributes as o
    where o.company_id = p_company_id and o.name = v.key limit 1
  ) as a
  where v.value <> 'null'
    and outbound.attribute_value(v.value, a.type) is null
  order by p.ord, v.key;
end
$$;
revoke execute on function outbound.unfit_attributes from public;
