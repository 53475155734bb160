-- These functions are in PL/pgSQL, which keeps their plans: as queries, of which each calls the next, an import took
-- twice as long.

-- Whether a text is a day that exists, as YYYY-MM-DD.
create function outbound.is_date(p_text text)
returns boolean
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return p_text ~ '^[12]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$' and substr(p_text, 9)::int <= extract(
    day from make_date(substr(p_text, 1, 4)::int, substr(p_text, 6, 2)::int, 1) + interval '1 month - 1 day');
end
$$;
revoke execute on function outbound.is_date from public;

-- Returns the type that a value of an attribute has: number, boolean, date or text; null for what can be none.
create function outbound.attribute_type(p_value jsonb)
returns text
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return case jsonb_typeof(p_value)
    when 'number' then 'number' when 'boolean' then 'boolean'
    when 'string' then case when outbound.is_date(p_value #>> '{}') then 'date' else 'text' end
  end;
end
$$;
revoke execute on function outbound.attribute_type from public;

-- Returns a value as an attribute of that type holds it: "12" of a number is 12. Null where it does not fit.
create function outbound.attribute_value(p_value jsonb, p_type text)
returns jsonb
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return case
    when jsonb_typeof(p_value) not in ('string', 'number', 'boolean') then null
    when p_type = 'text' then to_jsonb(p_value #>> '{}')
    when outbound.attribute_type(p_value) = p_type then p_value
    when p_type = 'number' and p_value #>> '{}' ~ '^-?\d{1,15}(\.\d{1,10})?$' then to_jsonb((p_value #>> '{}')::numeric)
    when p_type = 'boolean' and lower(p_value #>> '{}') in ('true', 'false') then to_jsonb((p_value #>> '{}')::boolean)
  end;
end
$$;
revoke execute on function outbound.attribute_value from public;

-- Gives attributes that a company does not have the type of their first value in p_attributes, [{name: value}, …]. A
-- company has 200 at most; MAX_ATTRIBUTES in _shared/people/attributes.ts is the same number.
create function outbound.add_unknown_attributes(p_company_id uuid, p_attributes jsonb)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  insert into outbound.contact_attributes (company_id, name, type)
  select p_company_id, n.name, n.type
  from (
    select f.name, f.type, row_number() over (order by f.ord, f.name) as position
    from (
      select distinct on (u.name) u.name, outbound.attribute_type(u.value) as type, u.ord
      from (
        select v.key as name, v.value, g.ord
        from jsonb_array_elements(p_attributes) with ordinality as g(value, ord)
        cross join lateral jsonb_each(nullif(g.value, 'null')) as v
        where not exists (
          select from outbound.contact_attributes as a where a.company_id = p_company_id and a.name = v.key offset 0
        ) offset 0
      ) as u
      where outbound.attribute_type(u.value) is not null order by u.name, u.ord
    ) as f
  ) as n
  where n.position <= 200 - (
    select count(*) from outbound.contact_attributes as a where a.company_id = p_company_id
  )
  on conflict on constraint contact_attributes_pkey do nothing;
end
$$;
revoke execute on function outbound.add_unknown_attributes from public;

-- Returns what of p_attributes ({name: value}) a company's contacts can hold, as they hold it: each value as the type of
-- its attribute, those that do not fit left out.
create function outbound.fitting_attributes(p_company_id uuid, p_attributes jsonb)
returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return coalesce((
    select jsonb_object_agg(f.name, f.value) from (
      select v.key as name, outbound.attribute_value(v.value, (
        select a.type from outbound.contact_attributes as a where a.company_id = p_company_id and a.name = v.key
      )) as value
      from jsonb_each(p_attributes) as v
    ) as f
    where f.value is not null
  ), '{}');
end
$$;
revoke execute on function outbound.fitting_attributes from public;

-- fitting_attributes of one contact, whose unknown attributes are added before.
create function outbound.attribute_values(p_company_id uuid, p_attributes jsonb)
returns jsonb
language plpgsql security invoker set search_path = ''
as $$
begin
  perform outbound.add_unknown_attributes(p_company_id, jsonb_build_array(p_attributes));
  return outbound.fitting_attributes(p_company_id, p_attributes);
end
$$;
revoke execute on function outbound.attribute_values from public;
