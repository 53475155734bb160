-- Returns a company's uploads, newest first: a page of p_limit after the upload p_after, or the first one; those of
-- p_channel, or all. Reads the index in its order, as list_calls does.
create function outbound.list_uploads(p_company_id uuid, p_after uuid, p_limit int, p_channel text)
returns setof outbound.campaign_uploads
language sql stable security invoker set search_path = ''
-- A page: by the company's index in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
  select u.* from outbound.campaign_uploads as u
  where u.company_id = p_company_id and u.id < coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    and (p_channel is null or u.plan ->> 'channel' = p_channel)
  order by u.id desc limit p_limit
$$;
revoke execute on function outbound.list_uploads from public;
