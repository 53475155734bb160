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
-- Nearly all people of a batch have nothing to do with each other (people_apart): these are learned in one statement, and
-- the others after them, one by one.
create function outbound.learn_contacts(p_company_id uuid, p_people jsonb, p_source text)
returns table (ord int, contact_id uuid, created boolean, changed boolean)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_apart record;
  v_person record;
  v_found uuid[];
begin
  perform outbound.lock_people(p_company_id);
  select array_agg(p.is_apart order by p.ord) as are_apart, array_agg(p.is_erased order by p.ord) as are_erased,
    array_agg(case when p.is_apart then coalesce(p.contact_id, case when not p.is_erased then outbound.uuidv7() end) end
      order by p.ord) as contacts
  into v_apart from outbound.people_apart(p_company_id, p_people, p_source) as p;
  return query select * from outbound.fill_contacts(p_company_id, p_people, p_source, v_apart.contacts);

  for v_person in
    select p.* from jsonb_array_elements(p_people) with ordinality as p(value, ord)
    where v_apart.contacts[p.ord] is null order by p.ord
  loop
    ord := v_person.ord;
    contact_id := null;
    v_found := '{}';
    if not v_apart.are_apart[ord] then
      v_found := outbound.contacts_of(p_company_id, v_person.value -> 'addresses');
      if p_source = 'visitor' then
        v_found := outbound.contacts_of_visitor(p_company_id, v_found, v_person.value -> 'addresses');
        contact_id := v_found[1];
        perform outbound.merge_contacts(p_company_id, contact_id, other)
        from unnest(v_found[2:]) with ordinality as o(other, position) order by o.position;
      else
        contact_id := outbound.person_among(p_company_id, v_found, v_person.value -> 'addresses');
      end if;
    end if;
    if contact_id is null and v_apart.are_erased[ord] then
      created := false;
      changed := false;
    else
      select f.contact_id, f.created, f.changed or p_source = 'visitor' and cardinality(v_found) > 1
      into contact_id, created, changed
      from outbound.fill_contacts(p_company_id, jsonb_build_array(v_person.value), p_source,
        array[coalesce(contact_id, outbound.uuidv7())]) as f;
    end if;
    return next;
  end loop;
end
$$;
revoke execute on function outbound.learn_contacts from public;

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
