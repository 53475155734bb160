-- Returns the campaigns of a company that are not over: of which the queue has something, or which stay open for more
-- requests. Newest first, at most p_limit of those before p_before; null for all. Jumps from one campaign to the next in
-- the index of the queue, so it reads nothing of campaigns that are over.
create function outbound.open_campaigns(p_company_id uuid, p_before uuid, p_limit int)
returns uuid[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    with recursive campaign as (
      select coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff') as id
      union all
      select greatest(waiting.id, expecting.id) from campaign
      left join lateral (
        select q.campaign_id as id from outbound.queue as q
        where q.company_id = p_company_id and q.campaign_id < campaign.id
        order by q.company_id desc, q.campaign_id desc limit 1
      ) as waiting on true
      left join lateral (
        select g.id from outbound.campaigns as g
        where g.company_id = p_company_id and g.id < campaign.id and g.open_until is not null
        order by g.company_id desc, g.id desc limit 1
      ) as expecting on true
      where num_nonnulls(waiting.id, expecting.id) > 0
    )
    select c.id from campaign as c offset 1 limit p_limit
  );
end
$$;
revoke execute on function outbound.open_campaigns from public;
