-- Returns the first p_limit tags of a company's contacts after p_after, in the order of their bytes, and how many
-- contacts have each.
create function outbound.list_tags(p_company_id uuid, p_after text, p_limit int)
returns table (tag text, contacts int)
language plpgsql stable security invoker set search_path = ''
-- A page: by the company's index in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
begin
  return query
  select t.tag, t.contacts from outbound.contact_tags as t
  where t.company_id = p_company_id and t.tag > p_after order by t.tag limit p_limit;
end
$$;
revoke execute on function outbound.list_tags from public;
