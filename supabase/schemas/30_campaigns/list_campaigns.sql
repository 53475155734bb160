-- Returns a company's campaigns, newest first: a page of p_limit after the campaign p_after, or the first one. Reads the
-- index in its order, as list_calls does.
create function outbound.list_campaigns(p_company_id uuid, p_after uuid, p_limit int)
returns setof outbound.campaigns
language sql stable security invoker set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off
set jit = off
as $$
  select g.* from outbound.campaigns as g
  where g.company_id = p_company_id and g.id < coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  order by g.id desc limit p_limit
$$;
revoke execute on function outbound.list_campaigns from public;
