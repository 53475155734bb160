-- Returns a company's campaigns, newest first: a page of p_limit after the campaign p_after, or the first one; of one
-- channel, or of both; with p_is_over only those that are over. Reads an index in its order, as list_calls does.
create function outbound.list_campaigns(
  p_company_id uuid, p_channel text, p_is_over boolean, p_after uuid, p_limit int
)
returns setof outbound.campaigns
language plpgsql stable security invoker set search_path = ''
-- A page: by the index of the channel, or of all, in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
declare
  v_after constant uuid := coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
begin
  if p_channel is null then
    return query
    select g.* from outbound.campaigns as g
    where g.company_id = p_company_id and g.id < v_after and (g.completed_at is not null or not p_is_over)
    order by g.id desc limit p_limit;
  else
    -- Compared as rows, which only the index of the channel can do: with statistics of one channel alone, the other
    -- index looks as good for the channel that has no campaign, and all of the company's would be read.
    return query
    select g.* from outbound.campaigns as g
    where (g.channel, g.company_id, g.id) < (p_channel, p_company_id, v_after)
      and (g.channel, g.company_id, g.id) >= (p_channel, p_company_id, '00000000-0000-0000-0000-000000000000'::uuid)
      and (g.completed_at is not null or not p_is_over)
    order by g.channel desc, g.company_id desc, g.id desc limit p_limit;
  end if;
end
$$;
revoke execute on function outbound.list_campaigns from public;
