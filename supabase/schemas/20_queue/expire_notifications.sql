-- queued → failed, when their time to live is over: at most p_limit, the longest over first. Returns how many,
-- and what move_campaign_counters is to move. A step of tick.
create function outbound.expire_notifications(p_limit int, out expired int, out moves jsonb)
-- Without statistics a bitmap scan would read and sort all that is due instead of the p_limit longest due.
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  with late as (
    select q.company_id, q.id, q.campaign_id, q.held_run_at, q.attempt, q.fence, q.claimed_at, q.error_reason
    from outbound.queue as q
    where q.status = 'queued' and q.expires_at <= now()
    order by q.expires_at limit p_limit for update skip locked
  ),
  expired as (
    update outbound.notification_facts as n
    set status = 'failed', attempt = late.attempt, fence = late.fence, claimed_at = late.claimed_at, failed_at = now(),
      error_code = 'expired',
      error_reason = 'Not sent within its time to live'
        || coalesce(': ' || coalesce(
          (
            select g.held_reason from outbound.campaigns as g
            where late.held_run_at is not null and g.company_id = n.company_id and g.id = n.campaign_id
          ),
          nullif(late.error_reason, '')
        ), '')
    from late where n.company_id = late.company_id and n.id = late.id
    returning n.company_id, n.campaign_id
  ),
  gone as (
    delete from outbound.queue as q using late where q.company_id = late.company_id and q.id = late.id
  )
  select count(*), jsonb_agg(jsonb_build_object(
    'company_id', e.company_id, 'campaign_id', e.campaign_id, 'pending', -1, 'failed', 1))
  into expired, moves from expired as e;
end
$$;
revoke execute on function outbound.expire_notifications from public;
