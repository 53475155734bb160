-- Returns why nothing of a campaign leaves although it is under way, since when, and until when: the platform does not
-- respond to its sender, or everything left was put off. Of several reasons, the one that ends first. Nulls while
-- something leaves. Reads a thousand notifications at most, and only those that were put off: of a larger campaign, a
-- thousand that wait speak for the rest.
create function outbound.campaign_wait(
  p_campaign outbound.campaigns, out wait_reason text, out wait_since timestamptz, out wait_until timestamptz
)
language plpgsql stable security invoker set search_path = ''
-- A page: the first that was put off, by its index in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
begin
  select 'platform_unreachable', outbound.outage_since(p), p.blocked_until into wait_reason, wait_since, wait_until
  from outbound.sender_rate_state as p
  where p.company_id = p_campaign.company_id and p.sender_id = p_campaign.sender_id
    and outbound.outage_since(p) is not null;
  if found or p_campaign.processing > 0 or p_campaign.pending = 0 then
    return;
  end if;
  select outbound.wait_reason(n.error_code),
    coalesce(n.claimed_at, p_campaign.scheduled_time, n.created_at), n.run_at
  into wait_reason, wait_since, wait_until
  from outbound.notifications as n
  where n.campaign_id = p_campaign.id and n.queue_status in ('scheduled', 'queued') and n.error_code is not null
  order by n.campaign_id, n.run_at limit 1;
  if wait_until <= now() or least(p_campaign.pending, 1000) > (
    select count(*) from (
      select from outbound.notifications as n
      where n.campaign_id = p_campaign.id and n.queue_status in ('scheduled', 'queued') and n.error_code is not null
      limit 1000
    ) as put_off
  ) then
    wait_reason := null;
    wait_since := null;
    wait_until := null;
  end if;
end
$$;
revoke execute on function outbound.campaign_wait from public;
