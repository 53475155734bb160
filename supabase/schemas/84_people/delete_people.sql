-- Deletes the contacts of a person, with all their addresses, their places in lists and their chats on the website, what
-- they left for handoffs, and what requests have named that is no contact yet: those of p_addresses, and p_contact_id.
-- Returns how many contacts. A step of erase_person.
create function outbound.delete_people(p_company_id uuid, p_addresses text[], p_contact_id uuid)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_ids uuid[];
  v_contacts int;
begin
  -- First, as the dispatcher does, which then makes contacts of them.
  delete from outbound.named_people as n
  where n.company_id = p_company_id and (n.number = any (p_addresses) or n.user_id = any (p_addresses));
  perform outbound.lock_people(p_company_id);
  v_ids := outbound.contacts_of_addresses(p_company_id, p_addresses) || p_contact_id;
  update outbound.handoffs as h set contact = null, reason = null
  where h.company_id = p_company_id and h.id = any (outbound.handoffs_of_person(p_company_id, p_addresses, v_ids));
  delete from outbound.conversations as v
  where v.company_id = p_company_id
    and v.id = any (outbound.chats_of_contacts(p_company_id, v_ids)::uuid[]);
  update outbound.conversations as v set visitor_email = null
  where v.company_id = p_company_id and v.visitor_email = any (outbound.emails_of_contacts(p_company_id, v_ids));
  delete from outbound.contacts as c where c.company_id = p_company_id and c.id = any (v_ids);
  get diagnostics v_contacts = row_count;
  return v_contacts;
end
$$;
revoke execute on function outbound.delete_people from public;

-- Returns the contacts that numbers and user ids belong to.
create function outbound.contacts_of_addresses(p_company_id uuid, p_addresses text[])
returns uuid[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    select distinct a.contact_id from unnest(p_addresses) as known(address)
    cross join lateral (
      select o.contact_id from outbound.contact_addresses as o
      where o.company_id = p_company_id and o.address = known.address
        and o.kind = case when known.address like '%.%' then 'user_id' else 'number' end limit 1
    ) as a
    order by a.contact_id
  );
end
$$;
revoke execute on function outbound.contacts_of_addresses from public;

-- Returns the e-mail addresses of contacts.
create function outbound.emails_of_contacts(p_company_id uuid, p_contacts uuid[])
returns text[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    select known.address from unnest(p_contacts) as c(id)
    cross join lateral (
      select a.address from outbound.contact_addresses as a
      where a.company_id = p_company_id and a.contact_id = c.id and a.kind = 'email' offset 0
    ) as known
  );
end
$$;
revoke execute on function outbound.emails_of_contacts from public;

-- Returns the ids of contacts' chats on the website, by which events name them: those of signed visitors, and those of
-- unknown ones who left an address of a contact.
create function outbound.chats_of_contacts(p_company_id uuid, p_contacts uuid[])
returns text[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    select v.id::text from unnest(p_contacts) as c(id)
    cross join lateral (
      select o.id from outbound.conversations as o
      where o.company_id = p_company_id and o.contact_id = c.id
      offset 0 -- one look-up per contact, also by a plan that was made for an empty table
    ) as v
    union
    select v.id::text from unnest(outbound.emails_of_contacts(p_company_id, p_contacts)) as known(address)
    cross join lateral (
      select o.id from outbound.conversations as o
      where o.company_id = p_company_id and o.visitor_email = known.address and o.contact_id is null
      offset 0 -- one look-up per address
    ) as v
  );
end
$$;
revoke execute on function outbound.chats_of_contacts from public;

-- Returns the handoffs for which a visitor of a voice widget left one of the numbers, in any spelling with its country
-- code, or an e-mail address of the contacts.
create function outbound.handoffs_of_person(p_company_id uuid, p_addresses text[], p_contacts uuid[])
returns uuid[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    select h.id from unnest(p_addresses) as known(address)
    cross join lateral (
      select o.id from outbound.handoffs as o
      where o.company_id = p_company_id and o.contact is not null
        and ltrim(regexp_replace(o.contact ->> 'number', '[^0-9]', '', 'g'), '0') = known.address
      offset 0 -- one look-up per address, also by a plan that was made for an empty table
    ) as h
    union
    select h.id from unnest(outbound.emails_of_contacts(p_company_id, p_contacts)) as known(address)
    cross join lateral (
      select o.id from outbound.handoffs as o
      where o.company_id = p_company_id and o.contact is not null and lower(o.contact ->> 'email') = known.address offset 0
    ) as h
  );
end
$$;
revoke execute on function outbound.handoffs_of_person from public;
