-- Returns the contacts to whom a campaign has sent or will send, found by any address of the person: the one that the
-- campaign has, its aliases, and the user ids and numbers that are linked to it.
create function outbound.contacts_of_campaign(p_company_id uuid, p_campaign_id uuid)
returns setof uuid
language plpgsql stable security invoker set search_path = ''
-- A batch within a query (runMatching): one look-up per recipient.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set enable_nestloop = on set jit = off
as $$
begin
  return query
    select found.contact_id from outbound.notification_facts as n
    cross join lateral (
      select n.number as number, n.user_id as user_id
      union all
      select u.number, null from outbound.user_ids as u
      where u.company_id = p_company_id and u.user_id = n.user_id and u.number is not null
      union all
      select null, u.user_id from outbound.user_ids as u where u.company_id = p_company_id and u.number = n.number
      union all
      select s.platform_number, null from outbound.number_aliases as s
      where s.company_id = p_company_id and s.number = n.number
      union all
      select s.number, null from outbound.number_aliases as s
      where s.company_id = p_company_id and s.platform_number = n.number
    ) as person
    cross join lateral (values ('number', person.number), ('user_id', person.user_id)) as a(kind, address)
    cross join lateral (
      select o.contact_id from outbound.contact_addresses as o
      where o.company_id = p_company_id and o.kind = a.kind and o.address = a.address limit 1
    ) as found
    where n.campaign_id = p_campaign_id
      -- Not as an equation, by which the index of a company's notifications would look as good.
      and case when n.company_id = p_company_id then true end;
end
$$;
revoke execute on function outbound.contacts_of_campaign from public;
