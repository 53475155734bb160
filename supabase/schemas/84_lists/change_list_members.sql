-- Adds contacts to a list that has members (p_add), or takes them off: those of p_contact_ids, and those who have the
-- addresses p_addresses of the kinds p_kinds. Returns how many members that changed, and how many of the names are no
-- contact's. Records who did it, if it changed anything.
create function outbound.change_list_members(
  p_company_id uuid, p_list_id uuid, p_contact_ids uuid[], p_kinds text[], p_addresses text[], p_add boolean,
  p_actor text, p_request_id text, out changed int, out unknown int
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per key.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_named uuid[];
begin
  select array_agg(distinct found.id), count(*) filter (where found.id is null) into v_named, unknown
  from (
    select g.id, null as kind, null as address from unnest(p_contact_ids) as g(id)
    union all
    select null, g.kind, g.address from unnest(p_kinds, p_addresses) as g(kind, address)
  ) as given
  left join lateral (
    select c.id from outbound.contacts as c where c.company_id = p_company_id and c.id = coalesce(given.id, (
      select a.contact_id from outbound.contact_addresses as a
      where a.company_id = p_company_id and a.kind = given.kind and a.address = given.address
    )) limit 1
  ) as found on true;
  v_named := array_remove(v_named, null);
  if p_add then
    insert into outbound.contact_list_members (company_id, list_id, contact_id)
    select p_company_id, p_list_id, n.id from unnest(v_named) as n(id) order by n.id
    on conflict on constraint contact_list_members_pkey do nothing;
  else
    delete from outbound.contact_list_members as m
    where m.company_id = p_company_id and m.list_id = p_list_id and m.contact_id = any (v_named);
  end if;
  get diagnostics changed = row_count;
  if changed > 0 then
    perform outbound.write_audit(p_company_id, p_actor,
      case when p_add then 'list_members.added' else 'list_members.removed' end, p_list_id::text, null,
      jsonb_build_object('members', changed), p_request_id);
  end if;
end
$$;
revoke execute on function outbound.change_list_members from public;
