-- Looking at campaigns and stopping them.

-- What GET /notify/status says of a campaign. It is derived, so it can never disagree with the counters. A campaign that
-- is paused says why: paused_reason is sender_stopped, template_not_approved or operator, the first of these that holds;
-- paused_detail is a text for people. Looks at one row of senders, however large the campaign.
create function outbound.campaign_state(
  p_campaign outbound.campaigns, out status text, out paused_reason text, out paused_detail text
)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if p_campaign.pending + p_campaign.processing = 0 then
    status := case when p_campaign.cancelled > 0 and p_campaign.cancelled = p_campaign.total
      then 'cancelled' else 'completed' end;
    return;
  end if;
  if p_campaign.pending > 0 then
    select format('The sender %s is stopped: %s', s.number, s.stopped_reason) into paused_detail
    from outbound.senders as s
    where s.company_id = p_campaign.company_id and s.id = p_campaign.sender_id and s.status = 'stopped';
  end if;
  if paused_detail is not null then
    paused_reason := 'sender_stopped';
  elsif p_campaign.pending = 0 and p_campaign.cancelled > 0 then
    -- After a cancellation nothing is left to be held: what is in flight is being sent.
    null;
  elsif p_campaign.held_reason is not null then
    paused_reason := 'template_not_approved';
    paused_detail := p_campaign.held_reason;
  elsif p_campaign.paused_at is not null then
    paused_reason := 'operator';
    paused_detail := 'The campaign was paused; it continues when it is resumed';
  end if;
  status := case
    when paused_reason is not null then 'paused'
    when p_campaign.scheduled_time > now() and p_campaign.started_at is null then 'scheduled'
    else 'sending'
  end;
end
$$;
revoke execute on function outbound.campaign_state from public;

create function outbound.campaign_status(p_campaign outbound.campaigns)
returns text
language sql stable security invoker set search_path = ''
as $$ select s.status from outbound.campaign_state(p_campaign) as s $$;
revoke execute on function outbound.campaign_status from public;

-- Stops what has not left yet, and keeps what is being sent from being tried again. At most p_limit notifications per
-- step, after the one whose id is p_after, so that no step keeps the sender's other campaigns waiting: where last_id is
-- not null, call again with it as p_after, in a transaction of its own. From the first step on nothing more leaves.
-- Returns how many this step stopped and, with the last one, how many a dispatcher still holds.
create function outbound.cancel_campaign(
  p_company_id uuid, p_campaign_id uuid, p_after uuid default null, p_limit int default 5000
)
returns table (cancelled int, in_flight int, last_id uuid)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_ids uuid[];
begin
  select array_agg(locked.id order by locked.id) into v_ids
  from (
    select n.id from outbound.notifications as n
    where n.company_id = p_company_id and n.campaign_id = p_campaign_id and (p_after is null or n.id > p_after)
      and n.status in ('scheduled', 'queued')
    order by n.id limit p_limit for update
  ) as locked;
  cancelled := coalesce(cardinality(v_ids), 0);
  last_id := case when cancelled = p_limit then v_ids[p_limit] end;
  update outbound.notifications as n set status = 'cancelled'
  where n.company_id = p_company_id and n.id = any (v_ids);
  update outbound.campaigns as g
  set cancelled_at = coalesce(g.cancelled_at, now()), stopping_at = case when last_id is not null then now() end
  where g.company_id = p_company_id and g.id = p_campaign_id;
  if cancelled > 0 then
    perform outbound.move_campaign_counters(jsonb_build_array(jsonb_build_object(
      'company_id', p_company_id, 'campaign_id', p_campaign_id, 'pending', -cancelled, 'cancelled', cancelled)));
  end if;
  if last_id is not null then
    return next;
    return;
  end if;

  -- What went back to the queue before the campaign's row was locked above. Whatever does so from here on needs that
  -- row, which is ours, and will see that it is cancelled; so what somebody has locked may be passed by.
  select array_agg(requeued.id) into v_ids
  from (
    select n.id from outbound.notifications as n
    where n.company_id = p_company_id and n.campaign_id = p_campaign_id and n.status = 'queued'
    order by n.id for update skip locked
  ) as requeued;
  if v_ids is not null then
    perform outbound.stop_requeued(array_fill(p_company_id, array[cardinality(v_ids)]), v_ids);
    cancelled := cancelled + cardinality(v_ids);
  end if;
  select g.processing into in_flight from outbound.campaigns as g
  where g.company_id = p_company_id and g.id = p_campaign_id;
  perform outbound.plan_sender_turns(array[g.company_id], array[g.sender_id], false)
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
  return next;
end
$$;
revoke execute on function outbound.cancel_campaign from public;

-- The counters of a campaign next to what its notifications really are: equal, or there is a fault.
create function outbound.verify_campaign(p_company_id uuid, p_campaign_id uuid)
returns table (counter text, stored int, actual int)
language sql stable security invoker set search_path = ''
as $$
  select c.counter, c.stored, c.actual::int
  from outbound.campaigns as g
  cross join lateral (
    select
      count(*) as total,
      count(*) filter (where n.status in ('scheduled', 'queued')) as pending,
      count(*) filter (where n.status in ('sending', 'unconfirmed')) as processing,
      count(*) filter (where n.status in ('sent', 'delivered', 'read')) as sent,
      count(*) filter (where n.status in ('delivered', 'read')) as delivered,
      count(*) filter (where n.status = 'read') as read,
      count(*) filter (where n.status = 'failed') as failed,
      count(*) filter (where n.status = 'cancelled') as cancelled
    from outbound.notifications as n where n.company_id = g.company_id and n.campaign_id = g.id
  ) as a
  cross join lateral (values
    ('total', g.total, a.total), ('pending', g.pending, a.pending), ('processing', g.processing, a.processing),
    ('sent', g.sent, a.sent), ('delivered', g.delivered, a.delivered), ('read', g.read, a.read),
    ('failed', g.failed, a.failed), ('cancelled', g.cancelled, a.cancelled)
  ) as c(counter, stored, actual)
  where g.company_id = p_company_id and g.id = p_campaign_id
$$;
revoke execute on function outbound.verify_campaign from public;
