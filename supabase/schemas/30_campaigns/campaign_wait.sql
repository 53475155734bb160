-- Returns why nothing of a campaign leaves although it is under way, since when, and until when; nulls while something
-- does. The first of:
--   budget_reached, no_dispatcher, platform_unreachable, lines_busy: by its sender (sender_wait)
--   unconfirmed: the platform has not said of the last ones whether it took them
--   the reasons of wait_reason: everything left was put off. Of several, the one that ends first
--   rate_limited, behind_others: the sender's messages ahead of it leave first; wait_until is about when they have left
-- A message of unknown outcome does not hide why all others wait. Reads some thousand notifications at most, and only
-- those that were put off or are unconfirmed: of a larger campaign, a thousand that wait speak for the rest.
create function outbound.campaign_wait(
  p_campaign outbound.campaigns, out wait_reason text, out wait_since timestamptz, out wait_until timestamptz
)
language plpgsql stable security invoker set search_path = ''
-- A page: the first that was put off, by its index in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
declare
  v_sender record;
  v_unconfirmed int;
  v_put_off int;
  v_ahead record;
begin
  select w.* into v_sender from outbound.sender_wait(p_campaign.company_id, p_campaign.sender_id) as w;
  if v_sender.wait_reason in ('no_dispatcher', 'platform_unreachable', 'budget_reached')
    or v_sender.wait_reason = 'lines_busy' and p_campaign.pending > 0
  then
    wait_reason := v_sender.wait_reason;
    wait_since := v_sender.wait_since;
    wait_until := v_sender.wait_until;
    return;
  end if;

  if p_campaign.processing > 0 then
    select count(*) into v_unconfirmed from (
      select from outbound.queue as n
      where n.campaign_id = p_campaign.id and n.status = 'unconfirmed' limit 1000
    ) as waiting;
    if v_unconfirmed < least(p_campaign.processing, 1000) then
      return;
    end if;
  end if;
  if p_campaign.pending = 0 then
    select 'unconfirmed', n.claimed_at, n.lease_until into wait_reason, wait_since, wait_until
    from outbound.queue as n
    where n.campaign_id = p_campaign.id and n.status = 'unconfirmed'
    order by n.campaign_id, n.lease_until limit 1;
    return;
  end if;

  select count(*) into v_put_off from (
    select from outbound.queue as n
    where n.campaign_id = p_campaign.id and n.status = 'queued' and n.error_reason is not null
    limit 1000
  ) as put_off;
  if v_put_off >= least(p_campaign.pending, 1000) then
    select outbound.wait_reason(n.error_code),
      coalesce(n.claimed_at, p_campaign.scheduled_time, p_campaign.created_at), n.run_at
    into wait_reason, wait_since, wait_until
    from outbound.queue as n
    where n.campaign_id = p_campaign.id and n.status = 'queued' and n.error_reason is not null
    order by n.campaign_id, n.run_at limit 1;
    if wait_until > now() then
      return;
    end if;
    wait_reason := null;
    wait_since := null;
    wait_until := null;
  end if;

  select s.rate_per_second, s.channel, head.campaign_id, coalesce(head.pending, 0) as pending into v_ahead
  from outbound.senders as s
  join outbound.sender_schedule as t on t.company_id = s.company_id and t.sender_id = s.id
  left join lateral (
    select g.id as campaign_id, g.pending
    from (values (0::smallint), (1::smallint), (2::smallint)) as level(priority)
    cross join lateral (
      select n.campaign_id from outbound.queue as n
      where n.sender_id = t.sender_id and n.priority = level.priority and n.status = 'queued'
        and n.run_at <= now()
        and (n.run_at, n.id) >= (t.queue_cursor[level.priority + 1], t.queue_cursor_id[level.priority + 1])
      order by n.sender_id, n.priority, n.run_at, n.id limit 1
    ) as first
    cross join lateral (
      select c.id, c.pending from outbound.campaigns as c
      where c.company_id = t.company_id and c.id = first.campaign_id limit 1
    ) as g
    order by level.priority limit 1
  ) as head on true
  where s.company_id = p_campaign.company_id and s.id = p_campaign.sender_id;
  if v_ahead.campaign_id <> p_campaign.id then
    wait_reason := 'behind_others';
    wait_since := coalesce(p_campaign.scheduled_time, p_campaign.created_at);
    if v_ahead.channel = 'whatsapp' then
      wait_until := now() + make_interval(secs => v_ahead.pending::float8 / v_ahead.rate_per_second);
    end if;
  elsif v_sender.wait_reason = 'rate_limited' then
    wait_reason := v_sender.wait_reason;
    wait_since := v_sender.wait_since;
    wait_until := v_sender.wait_until;
  end if;
end
$$;
revoke execute on function outbound.campaign_wait from public;
