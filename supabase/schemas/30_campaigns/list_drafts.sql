-- Returns a company's drafts, newest first: a page of p_limit after the draft p_after, or the first one; those of
-- p_channel, or all. Reads the index in its order, as list_calls does.
create function outbound.list_drafts(p_company_id uuid, p_after uuid, p_limit int, p_channel text)
returns setof outbound.campaign_drafts
language sql stable security invoker set search_path = ''
-- A page: by the company's index in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
  select d.* from outbound.campaign_drafts as d
  where d.company_id = p_company_id and d.id < coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    and (p_channel is null or d.plan ->> 'channel' = p_channel)
  order by d.id desc limit p_limit
$$;
revoke execute on function outbound.list_drafts from public;
