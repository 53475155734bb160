-- Whether a text is a day that exists, as YYYY-MM-DD.
create function outbound.is_date(p_text text)
returns boolean
language sql immutable security invoker set search_path = ''
return p_text ~ '^[12]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$' and substr(p_text, 9)::int <= extract(
  day from make_date(substr(p_text, 1, 4)::int, substr(p_text, 6, 2)::int, 1) + interval '1 month - 1 day');
revoke execute on function outbound.is_date from public;

-- Returns the type that a value of an attribute has: number, boolean, date or text; null for what can be none.
create function outbound.attribute_type(p_value jsonb)
returns text
language sql immutable security invoker set search_path = ''
return case jsonb_typeof(p_value)
  when 'number' then 'number' when 'boolean' then 'boolean'
  when 'string' then case when outbound.is_date(p_value #>> '{}') then 'date' else 'text' end
end;
revoke execute on function outbound.attribute_type from public;

-- Returns a value as an attribute of that type holds it: "12" of a number is 12. Null where it does not fit.
create function outbound.attribute_value(p_value jsonb, p_type text)
returns jsonb
language sql immutable security invoker set search_path = ''
return case
  when jsonb_typeof(p_value) not in ('string', 'number', 'boolean') then null
  when p_type = 'text' then to_jsonb(p_value #>> '{}')
  when outbound.attribute_type(p_value) = p_type then p_value
  when p_type = 'number' and p_value #>> '{}' ~ '^-?\d{1,15}(\.\d{1,10})?$' then to_jsonb((p_value #>> '{}')::numeric)
  when p_type = 'boolean' and lower(p_value #>> '{}') in ('true', 'false') then to_jsonb((p_value #>> '{}')::boolean)
end;
revoke execute on function outbound.attribute_value from public;

-- Returns what of p_attributes ({name: value}) a company's contacts can hold, as they hold it: each value as the type of
-- its attribute, those that do not fit left out. The first value of an attribute decides its type. A company has 200
-- attributes at most; MAX_ATTRIBUTES in _shared/people/attributes.ts is the same number.
create function outbound.attribute_values(p_company_id uuid, p_attributes jsonb)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_unknown text[];
begin
  if p_attributes is null or p_attributes = '{}' then
    return '{}'::jsonb;
  end if;
  v_unknown := array(
    select v.key from jsonb_each(p_attributes) as v
    where outbound.attribute_type(v.value) is not null and not exists (
      select from outbound.contact_attributes as a where a.company_id = p_company_id and a.name = v.key
    )
    order by v.key
  );
  if cardinality(v_unknown) > 0 then
    insert into outbound.contact_attributes (company_id, name, type)
    select p_company_id, u.name, outbound.attribute_type(p_attributes -> u.name)
    from unnest(v_unknown) with ordinality as u(name, ord)
    where u.ord <= 200 - (
      select count(*) from outbound.contact_attributes as a where a.company_id = p_company_id
    )
    on conflict on constraint contact_attributes_pkey do nothing;
  end if;
  return coalesce((
    select jsonb_object_agg(fitting.name, fitting.value) from (
      select v.key as name, outbound.attribute_value(v.value, a.type) as value
      from jsonb_each(p_attributes) as v
      cross join lateral (
        select o.type from outbound.contact_attributes as o
        where o.company_id = p_company_id and o.name = v.key limit 1
      ) as a
    ) as fitting
    where fitting.value is not null
  ), '{}'::jsonb);
end
$$;
revoke execute on function outbound.attribute_values from public;
