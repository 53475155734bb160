-- Leases up to p_limit due notifications to p_worker for p_lease: each becomes `sending`, its attempt and its fence
-- count up, and its campaign and its sender's rate are charged. choose_notifications and pick_due_notifications make
-- the choice, by the rules below; this function locks and leases it.
--
-- A WhatsApp sender goes no faster than its rate; a voice sender has no more calls going on than it has lines.
-- Companies take turns, the one that was served longest ago first. Within a company transactional goes before utility
-- before marketing, its senders take turns, and each sender's longest due goes first. A claim looks at no more than 64
-- senders (a sixteenth of p_limit, 16 at least).
--
-- While a claim has a sender's rate state locked, other claims pass that sender by: claims of one sender never overlap,
-- and claims of different senders run side by side. They also pass by rows that another transaction has locked, and the
-- companies in p_except.
create function outbound.claim_notifications(
  p_worker text, p_limit int, p_lease interval, p_except uuid[] default '{}'
)
returns table (
  company_id uuid, id uuid, fence int, attempt smallint, number text, message json, expires_at timestamptz,
  campaign_id uuid, sender_id uuid, channel text, provider_id text, token_sealed text,
  template_id uuid, template_name text, template_language text, name_event text,
  -- The template as it is now: its state, and whether it needs other values than when the request was accepted. Both
  -- are null without a template.
  template_status text, template_changed boolean,
  -- The campaign's time zone, and the company's rules about when to send; null where it has none.
  timezone text, sending_hours jsonb,
  -- The platform's id of the recipient. Whether the company's rules about marketing apply.
  user_id text, is_marketing boolean,
  -- The agent that was to make the call may not call any more.
  agent_disabled boolean,
  -- The sender's last tries did not reach the platform: a response must be reported (adjust_senders).
  was_unreachable boolean
)
language plpgsql security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
  v_chosen record;
begin
  select c.* into v_chosen from outbound.choose_notifications(p_limit, p_except) as c;
  if v_chosen.ids is null then
    perform outbound.plan_sender_turns(
      v_chosen.seen_companies, v_chosen.seen_senders, false, p_from_first => true);
    perform outbound.plan_sender_turns(
      v_chosen.idle_companies, v_chosen.idle_senders, false, clock_timestamp() + interval '100 ms', true);
    return;
  end if;

  return query
  with locked as (
    select n.company_id, n.id from unnest(v_chosen.companies, v_chosen.ids) as chosen(company_id, id)
    -- Lateral: one look-up per row. As a join it becomes, without statistics, a scan of everything that waits. So does
    -- the look-up when the condition on the state is written as in the indexes of what waits.
    cross join lateral (
      select w.company_id, w.id from outbound.notifications as w
      where w.company_id = chosen.company_id and w.id = chosen.id
        and case when w.status in ('scheduled', 'queued') then true end
      for update skip locked
    ) as n
  ),
  claimed as (
    update outbound.notifications as n
    set status = 'sending', attempt = n.attempt + 1, fence = n.fence + 1, worker = p_worker,
      claimed_at = clock_timestamp(), lease_until = clock_timestamp() + p_lease
    from locked
    where n.company_id = locked.company_id and n.id = locked.id
    returning n.*
  ),
  paced as (
    update outbound.sender_rate_state as r
    set tokens = outbound.available_tokens(r, s.rate_per_second) - used.messages,
      refilled_at = clock_timestamp(),
      -- One message through an open breaker. If no response comes, the rest before the next one is twice as long.
      failures = case when r.failures >= outbound.breaker_threshold() then r.failures + 1 else r.failures end,
      blocked_until = case when r.failures >= outbound.breaker_threshold() then clock_timestamp()
        + make_interval(secs => least(60, power(2, least(r.failures - outbound.breaker_threshold() + 1, 6)))) end
    from (select c.company_id, c.sender_id, count(*) as messages from claimed as c group by 1, 2) as used
    join outbound.senders as s on s.company_id = used.company_id and s.id = used.sender_id
    where r.company_id = used.company_id and r.sender_id = used.sender_id
    returning r.company_id, r.sender_id, r.failures
  ),
  moved as (
    select c.company_id, c.campaign_id, count(*)::int as messages from claimed as c group by 1, 2
  ),
  locked_campaign as (
    select g.company_id, g.id from outbound.campaigns as g
    join moved on moved.company_id = g.company_id and moved.campaign_id = g.id
    order by g.id for no key update of g
  ),
  campaign as (
    update outbound.campaigns as g
    set pending = g.pending - moved.messages, processing = g.processing + moved.messages,
      started_at = coalesce(g.started_at, now())
    from moved
    join locked_campaign as l on l.company_id = moved.company_id and l.id = moved.campaign_id
    where g.company_id = moved.company_id and g.id = moved.campaign_id
    returning g.*
  ),
  -- One look-up per campaign, not one per message.
  campaign_now as materialized (
    select g.company_id, g.id, g.template_id, g.template_name, g.template_language, g.name_event, g.agent_id,
      g.timezone, g.notification_type, t.status as template_status, t.shape <> g.template_shape as template_changed,
      t.category as template_category
    from campaign as g
    left join lateral (
      select u.status, u.shape, u.category from outbound.templates as u
      where u.company_id = g.company_id and u.id = g.template_id limit 1
    ) as t on true
  )
  select c.company_id, c.id, c.fence, c.attempt, c.number, c.message, c.expires_at, c.campaign_id, c.sender_id,
    s.channel, s.provider_id, s.token_sealed, g.template_id, g.template_name, g.template_language, g.name_event,
    g.template_status, g.template_changed,
    g.timezone, hours.sending_hours, c.user_id,
    g.notification_type = 'marketing' or coalesce(g.template_category = 'MARKETING', false),
    coalesce(a.status <> 'active', false), p.failures > 0
  from claimed as c
  join paced as p on p.company_id = c.company_id and p.sender_id = c.sender_id
  join outbound.senders as s on s.company_id = c.company_id and s.id = c.sender_id
  join campaign_now as g on g.company_id = c.company_id and g.id = c.campaign_id
  left join outbound.voice_agents as a on a.company_id = g.company_id and a.id = g.agent_id
  left join lateral (
    select r.sending_hours from outbound.contact_rules as r
    where r.company_id = c.company_id and r.sending_hours <> '[]' limit 1
  ) as hours on true;

  if v_chosen.has_calls then
    perform outbound.open_calls(p_worker, v_chosen.companies, v_chosen.ids);
  end if;
  perform outbound.plan_sender_turns(
    v_chosen.seen_companies, v_chosen.seen_senders, false, p_from_first => true);
  perform outbound.plan_sender_turns(
    v_chosen.idle_companies, v_chosen.idle_senders, false, clock_timestamp() + interval '100 ms', true);
end
$$;
revoke execute on function outbound.claim_notifications from public;
