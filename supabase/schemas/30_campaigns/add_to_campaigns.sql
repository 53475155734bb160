-- Adds accepted requests to their campaigns, given in the order of the requests: how many notifications each has, how
-- many of its contacts were refused, and whether more requests follow; a campaign's last request decides. The caller
-- has the campaigns locked and stores the notifications; is_held says that those wait with the campaign's others.
-- A finished campaign opens again. Its template is approved, so what held it before it finished holds nothing new.
create function outbound.add_to_campaigns(
  p_companies uuid[], p_ids uuid[], p_sizes int[], p_rejected int[], p_more boolean[]
)
returns table (company_id uuid, id uuid, is_held boolean)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  with added as (
    select r.company_id, r.id, sum(r.size)::int as size, sum(r.rejected)::int as rejected,
      coalesce((array_agg(r.more order by r.ord desc))[1], false) as more
    from unnest(p_companies, p_ids, p_sizes, p_rejected, p_more) with ordinality
      as r(company_id, id, size, rejected, more, ord)
    group by r.company_id, r.id
  )
  update outbound.campaigns as g
  set total = g.total + added.size, pending = g.pending + added.size, rejected = g.rejected + added.rejected,
    open_until = case when added.more then outbound.open_until() end,
    held_reason = case when g.completed_at is null then g.held_reason end,
    completed_at = case
      when g.pending + added.size + g.processing = 0 and not added.more then coalesce(g.completed_at, now())
    end
  from added where g.company_id = added.company_id and g.id = added.id
  returning g.company_id, g.id, num_nonnulls(g.paused_at, g.held_reason) > 0;
end
$$;
revoke execute on function outbound.add_to_campaigns from public;
