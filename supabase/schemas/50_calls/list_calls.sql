-- Returns the ids of a company's calls, newest first: a page of p_limit after the call p_after, or the first one. Reads
-- the index in its order, however old the statistics are: without them, sorting all calls looks as cheap.
create function outbound.list_calls(p_company_id uuid, p_after uuid, p_limit int)
returns setof uuid
language sql stable security invoker set search_path = ''
-- A page: by the company's index in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
  select k.notification_id from outbound.calls as k
  where k.company_id = p_company_id
    and k.notification_id < coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  order by k.notification_id desc limit p_limit
$$;
revoke execute on function outbound.list_calls from public;
