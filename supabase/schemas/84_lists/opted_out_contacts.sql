-- Returns the contacts who do not want to be written to on a channel (whatsapp or voice), by any of their addresses.
-- p_category: marketing, or all, for which an opt-out of marketing does not count.
create function outbound.opted_out_contacts(p_company_id uuid, p_channel text, p_category text)
returns setof uuid
language plpgsql stable security invoker set search_path = ''
-- A batch within a query (runMatching): one look-up per suppression.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set enable_nestloop = on set jit = off
as $$
begin
  return query
    select a.contact_id from outbound.suppressions as s
    cross join lateral (
      select o.contact_id from outbound.contact_addresses as o
      where o.company_id = p_company_id and o.address = s.address
        and o.kind = case when s.address like '%.%' then 'user_id' else 'number' end limit 1
    ) as a
    where s.company_id = p_company_id and s.lifted_at is null and s.channel in ('any', p_channel)
      and (p_category <> 'all' or s.category = 'all');
end
$$;
revoke execute on function outbound.opted_out_contacts from public;
