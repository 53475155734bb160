-- Makes one contact of two: p_from's addresses, tags, places in lists and conversations go to p_into, which also gets
-- what it lacks, and p_from is deleted. Returns whether both existed. The caller has locked the people of the company.
create function outbound.merge_contacts(p_company_id uuid, p_into uuid, p_from uuid)
returns boolean
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_into outbound.contacts;
  v_from outbound.contacts;
begin
  select c.* into v_into from outbound.contacts as c where c.company_id = p_company_id and c.id = p_into for update;
  select c.* into v_from from outbound.contacts as c where c.company_id = p_company_id and c.id = p_from for update;
  if v_into.id is null or v_from.id is null or p_into = p_from then
    return false;
  end if;
  update outbound.contact_addresses as a set contact_id = p_into
  where a.company_id = p_company_id and a.contact_id = p_from;
  update outbound.conversations as v set contact_id = p_into
  where v.company_id = p_company_id and v.contact_id = p_from;
  insert into outbound.contact_list_members (company_id, list_id, contact_id, added_at)
  select m.company_id, m.list_id, p_into, m.added_at from outbound.contact_list_members as m
  where m.company_id = p_company_id and m.contact_id = p_from
  order by m.list_id
  on conflict on constraint contact_list_members_pkey do nothing;
  update outbound.contacts as c
  set name = coalesce(v_into.name, v_from.name), language = coalesce(v_into.language, v_from.language),
    timezone = coalesce(v_into.timezone, v_from.timezone), country = coalesce(v_into.country, v_from.country),
    attributes = v_from.attributes || v_into.attributes,
    tags = outbound.all_tags(v_into.tags, v_from.tags),
    first_seen_at = least(v_into.first_seen_at, v_from.first_seen_at),
    last_seen_at = greatest(v_into.last_seen_at, v_from.last_seen_at), updated_at = now()
  where c.company_id = p_company_id and c.id = p_into;
  delete from outbound.contacts as c where c.company_id = p_company_id and c.id = p_from;
  return true;
end
$$;
revoke execute on function outbound.merge_contacts from public;

-- Returns the tags of both, in their order, each once; at most 50 of a contact.
create function outbound.all_tags(p_tags text[], p_more text[])
returns text[]
language sql immutable security invoker set search_path = ''
return array(select distinct tag from unnest(p_tags || p_more) as tag order by tag limit 50);
revoke execute on function outbound.all_tags from public;
