-- Returns a campaign's notifications in the order of their ids, which is that of the request: a page of p_limit after the
-- notification p_after, or the first one. p_status, p_code and p_held_for_quality leave out the others; null leaves out
-- none. Reads the campaign's index in its order, as list_calls does.
create function outbound.list_recipients(
  p_company_id uuid, p_campaign_id uuid, p_after uuid, p_limit int, p_status text, p_code text,
  p_held_for_quality boolean
)
returns setof outbound.notifications
language sql stable security invoker set search_path = ''
-- A page: by the campaign's index in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
  select n.* from outbound.notifications as n
  where n.campaign_id = p_campaign_id and n.id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
    -- Not as an equation, by which the index of a company's notifications would be in the same order.
    and case when n.company_id = p_company_id then true end
    and (p_status is null or n.status = p_status)
    and (p_code is null or n.error_code = p_code)
    and (p_held_for_quality is null or n.held_for_quality = p_held_for_quality)
  order by n.campaign_id, n.id limit p_limit
$$;
revoke execute on function outbound.list_recipients from public;
