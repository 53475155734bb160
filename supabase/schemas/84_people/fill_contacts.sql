-- Adds to contacts what p_people, as learn_contacts takes them, say, and makes those that do not exist. p_contacts: the
-- contact of each person, at its ord; null leaves a person out. No contact is there twice.
-- changed: whether anything but last_seen_at is new.
create function outbound.fill_contacts(p_company_id uuid, p_people jsonb, p_source text, p_contacts uuid[])
returns table (ord int, contact_id uuid, created boolean, changed boolean)
-- In SQL, which plans each call: a plan that was made for the first contacts would go on reading all of the company's.
language sql security invoker set search_path = ''
-- A batch: one look-up per key.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
  select outbound.add_unknown_attributes(p_company_id, (
    select jsonb_agg(p.value -> 'attributes' order by p.ord)
    from jsonb_array_elements(p_people) with ordinality as p(value, ord) where p_contacts[p.ord] is not null
  ));
  with person as materialized (
    select p_company_id as company_id, p.ord::int, p_contacts[p.ord] as contact_id, p.addresses,
      coalesce(p.overwrite, false) as overwrite, p.name, p.language, p.timezone, p.country, p.tags,
      outbound.fitting_attributes(p_company_id, p.attributes) as attributes
    from rows from (jsonb_to_recordset(p_people) as (
      addresses jsonb, name text, language text, timezone text, country text, attributes jsonb, tags text[],
      overwrite boolean
    )) with ordinality
      as p(addresses, name, language, timezone, country, attributes, tags, overwrite, ord)
    where p_contacts[p.ord] is not null
  ),
  filled as materialized (
    select p.company_id, p.ord, p.contact_id, p.addresses, c.id is null as is_new,
      case when p.overwrite then coalesce(p.name, c.name) else coalesce(c.name, p.name) end as name,
      case when p.overwrite then coalesce(p.language, c.language) else coalesce(c.language, p.language) end as language,
      case when p.overwrite then coalesce(p.timezone, c.timezone) else coalesce(c.timezone, p.timezone) end as timezone,
      case when p.overwrite then coalesce(p.country, c.country) else coalesce(c.country, p.country) end as country,
      case when p.overwrite then coalesce(c.attributes, '{}') || p.attributes
        else p.attributes || coalesce(c.attributes, '{}') end as attributes,
      case when cardinality(p.tags) > 0 then outbound.all_tags(c.tags, p.tags) else coalesce(c.tags, '{}') end as tags,
      c as before, exists (
        select from jsonb_to_recordset(p.addresses) as g(kind text, address text)
        where not exists (
          select from outbound.contact_addresses as a
          where a.company_id = p_company_id and a.kind = g.kind and a.address = g.address offset 0
        )
      ) as has_new_address
    from person as p
    left join lateral (
      select o.* from outbound.contacts as o where o.company_id = p_company_id and o.id = p.contact_id
      limit 1 for no key update
    ) as c on true
  ),
  outcome as materialized (
    select f.*, (f.name, f.language, f.timezone, f.country, f.attributes, f.tags) is distinct from (
        (f.before).name, (f.before).language, (f.before).timezone, (f.before).country, (f.before).attributes,
        (f.before).tags) as is_filled
    from filled as f
  ),
  made as (
    insert into outbound.contacts (company_id, id, source, name, language, timezone, country, attributes, tags)
    select p_company_id, o.contact_id, p_source, o.name, o.language, o.timezone, o.country, o.attributes, o.tags
    from outcome as o where o.is_new
  ),
  updated as (
    update outbound.contacts as c
    set name = o.name, language = o.language, timezone = o.timezone, country = o.country, attributes = o.attributes,
      tags = o.tags, last_seen_at = now(), updated_at = case when o.is_filled then now() else c.updated_at end
    from outcome as o where not o.is_new and c.company_id = o.company_id and c.id = o.contact_id
  ),
  addressed as (
    insert into outbound.contact_addresses (company_id, kind, address, contact_id)
    select p_company_id, g.kind, g.address, o.contact_id
    from outcome as o cross join lateral jsonb_to_recordset(o.addresses) as g(kind text, address text)
    on conflict on constraint contact_addresses_pkey do nothing
  )
  select o.ord, o.contact_id, o.is_new, o.is_new or o.has_new_address or o.is_filled from outcome as o order by o.ord;
$$;
revoke execute on function outbound.fill_contacts from public;
