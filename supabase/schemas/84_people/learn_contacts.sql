-- Records people whom a company has come to know, and returns the contact of each, in their order (ord, from 1).
-- A person is found by any of their addresses, aliases of the numbers and linked user ids included, else made. Fills what
-- the contact lacks (of tags and addresses: adds), or what is given wins (overwrite); last_seen_at becomes now.
-- Two people may share an e-mail address: it finds no contact that has another number or user id (person_among).
-- Where the addresses belong to several contacts, they stay apart, and the first is the person: to merge is a person's
-- decision. Only what a website has signed (visitor) makes one contact of them (contacts_of_visitor).
-- p_people: [{addresses: [{kind, address}, …], name, language, timezone, country, attributes: {name: value}, tags,
-- overwrite, hashes}, …]; hashes are those of erased_contacts: people who were erased are not learned again from what a
-- request or the platform names (send, platform), and contact_id is null.
-- changed: whether anything but last_seen_at is new.
create function outbound.learn_contacts(p_company_id uuid, p_people jsonb, p_source text)
returns table (ord int, contact_id uuid, created boolean, changed boolean)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_person record;
  v_found uuid[];
begin
  perform outbound.lock_people(p_company_id);
  for v_person in
    select p.* from rows from (jsonb_to_recordset(p_people) as (
      addresses jsonb, name text, language text, timezone text, country text, attributes jsonb, tags text[],
      overwrite boolean, hashes text[]
    )) with ordinality as p(addresses, name, language, timezone, country, attributes, tags, overwrite, hashes, ord)
    order by p.ord
  loop
    ord := v_person.ord;
    v_found := outbound.contacts_of(p_company_id, v_person.addresses);
    if p_source = 'visitor' then
      v_found := outbound.contacts_of_visitor(p_company_id, v_found, v_person.addresses);
    end if;
    contact_id := case when p_source = 'visitor' then v_found[1]
      else outbound.person_among(p_company_id, v_found, v_person.addresses) end;
    created := contact_id is null;
    if created then
      if p_source in ('send', 'platform') and exists (
        select from outbound.erased_contacts as e
        where e.company_id = p_company_id and e.address_hash = any (v_person.hashes)
      ) then
        created := false;
        changed := false;
        return next;
        continue;
      end if;
      contact_id := outbound.uuidv7();
    elsif p_source = 'visitor' then
      perform outbound.merge_contacts(p_company_id, contact_id, other)
      from unnest(v_found[2:]) with ordinality as o(other, position) order by o.position;
    end if;
    changed := outbound.fill_contact(p_company_id, contact_id, p_source, to_jsonb(v_person)) or created
      or cardinality(v_found) > 1 and p_source = 'visitor';
    return next;
  end loop;
end
$$;
revoke execute on function outbound.learn_contacts from public;

-- Adds to a contact what p_person, an element of learn_contacts, says, and makes the contact where there is none. Returns
-- whether anything but last_seen_at is new.
create function outbound.fill_contact(p_company_id uuid, p_contact_id uuid, p_source text, p_person jsonb)
returns boolean
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_person record;
  v_before outbound.contacts;
  v_after outbound.contacts;
  v_values jsonb;
  v_addresses int;
begin
  select p.* into v_person from jsonb_to_record(p_person) as p(
    addresses jsonb, name text, language text, timezone text, country text, attributes jsonb, tags text[],
    overwrite boolean
  );
  v_values := outbound.attribute_values(p_company_id, v_person.attributes);
  select c.* into v_before from outbound.contacts as c
  where c.company_id = p_company_id and c.id = p_contact_id for no key update;
  if not found then
    v_before.attributes := '{}';
    v_before.tags := '{}';
  end if;
  v_after := v_before;
  if v_person.overwrite then
    v_after.name := coalesce(v_person.name, v_before.name);
    v_after.language := coalesce(v_person.language, v_before.language);
    v_after.timezone := coalesce(v_person.timezone, v_before.timezone);
    v_after.country := coalesce(v_person.country, v_before.country);
    v_after.attributes := v_before.attributes || v_values;
  else
    v_after.name := coalesce(v_before.name, v_person.name);
    v_after.language := coalesce(v_before.language, v_person.language);
    v_after.timezone := coalesce(v_before.timezone, v_person.timezone);
    v_after.country := coalesce(v_before.country, v_person.country);
    v_after.attributes := v_values || v_before.attributes;
  end if;
  if cardinality(v_person.tags) > 0 then
    v_after.tags := outbound.all_tags(v_before.tags, v_person.tags);
  end if;
  if v_before.id is null then
    insert into outbound.contacts (company_id, id, source, name, language, timezone, country, attributes, tags)
    values (p_company_id, p_contact_id, p_source, v_after.name, v_after.language, v_after.timezone, v_after.country,
      v_after.attributes, v_after.tags);
  else
    update outbound.contacts as c
    set name = v_after.name, language = v_after.language, timezone = v_after.timezone, country = v_after.country,
      attributes = v_after.attributes, tags = v_after.tags, last_seen_at = now(),
      updated_at = case when v_after is distinct from v_before then now() else c.updated_at end
    where c.company_id = p_company_id and c.id = p_contact_id;
  end if;

  insert into outbound.contact_addresses (company_id, kind, address, contact_id)
  select p_company_id, g.kind, g.address, p_contact_id
  from jsonb_to_recordset(v_person.addresses) as g(kind text, address text)
  on conflict on constraint contact_addresses_pkey do nothing;
  get diagnostics v_addresses = row_count;
  return v_addresses > 0 or v_after is distinct from v_before;
end
$$;
revoke execute on function outbound.fill_contact from public;

-- Returns those of the contacts that addresses belong to which are the visitor who was signed with them: websites sign the
-- e-mail address that a person has typed, so by it alone only a contact without any other address is the visitor.
create function outbound.contacts_of_visitor(p_company_id uuid, p_found uuid[], p_addresses jsonb)
returns uuid[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_known constant uuid[] := outbound.contacts_of(p_company_id, (
    select coalesce(jsonb_agg(a.value), '[]') from jsonb_array_elements(p_addresses) as a
    where a.value ->> 'kind' <> 'email'
  ));
begin
  return array(
    select f.id from unnest(p_found) with ordinality as f(id, position)
    where f.id = any (v_known) or not exists (
      select from outbound.contact_addresses as a
      where a.company_id = p_company_id and a.contact_id = f.id and a.kind <> 'email'
    )
    order by f.position
  );
end
$$;
revoke execute on function outbound.contacts_of_visitor from public;

-- Returns which of the contacts that addresses belong to is the person: the first that has one of the numbers and user
-- ids, else the first that has none. Without numbers and user ids, the first.
create function outbound.person_among(p_company_id uuid, p_found uuid[], p_addresses jsonb)
returns uuid
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_reached constant jsonb := (
    select jsonb_agg(a.value) from jsonb_array_elements(p_addresses) as a
    where a.value ->> 'kind' in ('number', 'user_id')
  );
begin
  if v_reached is null or v_reached = p_addresses or cardinality(p_found) = 0 then
    return p_found[1];
  end if;
  return coalesce((outbound.contacts_of(p_company_id, v_reached))[1], (
    select f.id from unnest(p_found) with ordinality as f(id, position)
    where not exists (
      select from outbound.contact_addresses as a
      where a.company_id = p_company_id and a.contact_id = f.id and a.kind in ('number', 'user_id')
    )
    order by f.position limit 1
  ));
end
$$;
revoke execute on function outbound.person_among from public;
