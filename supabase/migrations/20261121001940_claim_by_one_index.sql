-- A queue that was empty when statistics were last taken looks so small that any of its indexes will do: claims then read
-- all that waits for each message they took, and the more there was the slower they became. Only one index may fit.

-- Of the given notifications, those that may leave now: all but the calls whose campaign has called the same number less
-- than its company's gap ago, or is calling it. These are put off. A try of the call itself that was refused counts too.
create or replace function outbound.space_calls(p_companies uuid[], p_ids uuid[])
returns table (companies uuid[], ids uuid[])
language plpgsql security invoker set search_path = ''
as $$
begin
  return query
  with held as materialized (
    select n.company_id, n.id, n.voice, n.campaign_id, n.number, n.run_at
    from unnest(p_companies, p_ids) as chosen(company_id, id)
    cross join lateral (
      select w.* from outbound.notifications as w
      where w.company_id = chosen.company_id and w.id = chosen.id
        and case when w.status in ('scheduled', 'queued') then true end
        and w.run_at <= clock_timestamp()
      for update skip locked
    ) as n
  ),
  spaced as (
    select h.company_id, h.id, h.voice and y.call_gap_s > 0 and (called.going_on
      or row_number() over (partition by h.campaign_id, h.number order by h.run_at, h.id) > 1) as later,
      make_interval(secs => y.call_gap_s) as gap, called.at
    from held as h
    join outbound.companies as y on y.id = h.company_id
    cross join lateral (
      select coalesce(bool_or(o.status in ('sending', 'unconfirmed', 'sent')), false) as going_on,
        coalesce(max(greatest(o.claimed_at, o.delivered_at, o.failed_at)), '-infinity') as at
      from outbound.notifications as o
      where o.number = h.number and o.campaign_id = h.campaign_id and o.voice
        and o.attempt > 0
    ) as called
  ),
  put_off as (
    update outbound.notifications as n
    set run_at = case when s.later then clock_timestamp() else s.at end + s.gap
    from spaced as s
    where n.company_id = s.company_id and n.id = s.id and (s.later or s.at + s.gap > clock_timestamp())
    returning n.id
  )
  select array_agg(s.company_id), array_agg(s.id) from spaced as s where s.id not in (select p.id from put_off as p);
end
$$;

-- Leases up to p_limit notifications that are due to p_worker for p_lease. A WhatsApp sender goes no faster than its rate,
-- a voice sender has no more calls going on than it has lines.
-- Companies take turns, the one that was served longest ago first; within a
-- company transactional goes before utility before marketing, its senders take
-- turns, and each sender's longest due goes first. A claim looks at no more than
-- 64 senders (a sixteenth of p_limit, 16 at least), those whose turn came first,
-- and at none whose turn is still to come. While one claim has a sender's pace row locked, others pass that sender
-- by: claims of one sender never overlap, and others run side by side. Rows that
-- somebody else is changing are passed by as well, and the companies in p_except.
create or replace function outbound.claim_notifications(
  p_worker text, p_limit int, p_lease interval, p_except uuid[] default '{}'
)
returns table (
  company_id uuid, id uuid, fence int, attempt smallint, number text, message json, expires_at timestamptz,
  campaign_id uuid, sender_id uuid, channel text, provider_id text, token_sealed text,
  template_id uuid, template_name text, template_language text, name_event text,
  -- The template as it is now: its state, and whether it needs other values than it did when the request was accepted.
  -- Both null without a template.
  template_status text, template_changed boolean,
  -- Calls: the campaign's time zone, and {from, until, zone} where the company has calling hours.
  timezone text, calling_hours json,
  -- The agent that was to make the call may not call any more.
  agent_disabled boolean,
  -- The sender's last calls failed to reach the platform: an answer now is news (adjust_senders).
  troubled boolean
)
language plpgsql security invoker set search_path = ''
-- One plan, made once a connection, that finds its way by indexes whatever is stored. A bitmap would read all senders of
-- a company for each of them.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
  -- Enough to fill the claim without keeping all others from a claim that runs beside this one.
  v_max_senders int := least(64, greatest(16, p_limit / 16));
  v_companies uuid[];
  v_ids uuid[];
  v_calls boolean;
  v_seen_companies uuid[];
  v_seen_senders uuid[];
  -- Of rounds that found nothing.
  v_idle_companies uuid[] := '{}'::uuid[];
  v_idle_senders uuid[] := '{}'::uuid[];
begin
  for v_round in 1..10 loop
    with paced as materialized (
      select p.pace, s.voice,
        -- An open breaker lets one message through to see whether the platform is back.
        case when (p.pace).blocked_until > now() then 0 else least(
          case when (p.pace).failures >= 5 then 1 else p_limit end,
          case when s.voice then outbound.free_lines(p.pace, s.concurrency)
            else floor(outbound.available_tokens(p.pace, s.rate_per_second)) end
        ) end as free
      from outbound.sender_turns as t
      -- Lateral: one look-up a sender, so that the turns are read in their order and no further than needed.
      cross join lateral (
        select w.channel = 'voice' as voice, w.rate_per_second, w.concurrency from outbound.senders as w
        where w.company_id = t.company_id and w.id = t.sender_id and w.status = 'active' limit 1
      ) as s
      cross join lateral (
        select w as pace from outbound.sender_pace as w
        where w.company_id = t.company_id and w.sender_id = t.sender_id
        for no key update skip locked
      ) as p
      where t.due_at <= now() and not t.company_id = any (p_except) and not t.sender_id = any (v_idle_senders)
      order by t.due_at limit v_max_senders
    ),
    allowance as materialized (
      select (paced.pace).company_id, (paced.pace).sender_id, (paced.pace).refilled_at as served_at, paced.voice,
        least(paced.free, greatest(1, 2 * p_limit / count(*) over ()))::int as messages
      from paced where paced.free >= 1
    ),
    candidate as (
      select a.company_id, a.served_at, a.voice, n.id, n.priority, n.run_at,
        row_number() over (partition by a.company_id order by n.priority, n.place, n.run_at, n.id) as turn
      from allowance as a
      cross join lateral (
        select due.*, row_number() over (order by due.priority, due.run_at, due.id) as place
        from (values (0::smallint), (1::smallint), (2::smallint)) as level(priority)
        cross join lateral (
          select n.id, n.priority, n.run_at from outbound.notifications as n
          where n.sender_id = a.sender_id and n.status in ('scheduled', 'queued')
            and n.priority = level.priority and n.run_at <= now()
            -- In a form no index has: by that of expiry all that waits would be read and sorted.
            and case when n.expires_at > now() then true end
            and not n.campaign_id = any (array(
              select g.id from outbound.campaigns as g where g.stopping_at is not null
            ))
          order by n.run_at, n.id limit a.messages
        ) as due
        order by due.priority, due.run_at, due.id limit a.messages
      ) as n
    ),
    chosen as (
      select c.company_id, c.id, c.voice from candidate as c
      order by c.turn, c.priority, c.served_at, c.run_at, c.id limit p_limit
    )
    select
      (select array_agg((paced.pace).company_id) from paced), (select array_agg((paced.pace).sender_id) from paced),
      (select array_agg(chosen.company_id) from chosen), (select array_agg(chosen.id) from chosen),
      (select bool_or(chosen.voice) from chosen)
    into v_seen_companies, v_seen_senders, v_companies, v_ids, v_calls;
    if v_calls then
      select s.companies, s.ids into v_companies, v_ids from outbound.space_calls(v_companies, v_ids) as s;
    end if;
    exit when v_ids is not null or v_seen_senders is null;
    -- What these have due is locked, has expired or is being stopped: the next ones are looked at. Calls that were only
    -- deferred leave room for others of the same sender.
    if v_calls is not true then
      v_idle_companies := v_idle_companies || v_seen_companies;
      v_idle_senders := v_idle_senders || v_seen_senders;
    end if;
  end loop;
  if v_ids is null then
    perform outbound.plan_sender_turns(v_seen_companies, v_seen_senders, false);
    perform outbound.plan_sender_turns(v_idle_companies, v_idle_senders, false, clock_timestamp() + interval '100 ms');
    return;
  end if;

  return query
  with held as (
    select n.company_id, n.id from unnest(v_companies, v_ids) as chosen(company_id, id)
    -- Lateral: one look-up a row. As a join it becomes, without statistics, a scan of all that waits; so does the
    -- look-up when the state is asked for in the words of the indexes of what waits.
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
    from held
    where n.company_id = held.company_id and n.id = held.id
    returning n.*
  ),
  spent as (
    update outbound.sender_pace as p
    set tokens = outbound.available_tokens(p, s.rate_per_second) - used.messages,
      refilled_at = clock_timestamp(),
      -- One message through an open breaker. If no answer comes, the rest before the next one is twice as long.
      failures = case when p.failures >= 5 then p.failures + 1 else p.failures end,
      blocked_until = case when p.failures >= 5
        then clock_timestamp() + make_interval(secs => least(60, power(2, least(p.failures - 4, 6)))) end
    from (select c.company_id, c.sender_id, count(*) as messages from claimed as c group by 1, 2) as used
    join outbound.senders as s on s.company_id = used.company_id and s.id = used.sender_id
    where p.company_id = used.company_id and p.sender_id = used.sender_id
    returning p.company_id, p.sender_id, p.failures
  ),
  moved as (
    select c.company_id, c.campaign_id, count(*)::int as messages from claimed as c group by 1, 2
  ),
  locked as (
    select g.company_id, g.id from outbound.campaigns as g
    join moved on moved.company_id = g.company_id and moved.campaign_id = g.id
    order by g.id for no key update of g
  ),
  campaign as (
    update outbound.campaigns as g
    set pending = g.pending - moved.messages, processing = g.processing + moved.messages,
      started_at = coalesce(g.started_at, now())
    from moved join locked on locked.company_id = moved.company_id and locked.id = moved.campaign_id
    where g.company_id = moved.company_id and g.id = moved.campaign_id
    returning g.*
  ),
  -- One look-up a campaign, not one a message.
  campaign_now as materialized (
    select g.company_id, g.id, g.template_id, g.template_name, g.template_language, g.name_event, g.agent_id, g.timezone,
      t.status as template_status, t.shape <> g.template_shape as template_changed
    from campaign as g
    left join lateral (
      select u.status, u.shape from outbound.templates as u
      where u.company_id = g.company_id and u.id = g.template_id limit 1
    ) as t on true
  )
  select c.company_id, c.id, c.fence, c.attempt, c.number, c.message, c.expires_at, c.campaign_id, c.sender_id,
    s.channel, s.provider_id, s.token_sealed, g.template_id, g.template_name, g.template_language, g.name_event,
    g.template_status, g.template_changed,
    g.timezone, case when c.voice then outbound.calling_hours(c.company_id) end, coalesce(a.status <> 'active', false),
    p.failures > 0
  from claimed as c
  join spent as p on p.company_id = c.company_id and p.sender_id = c.sender_id
  join outbound.senders as s on s.company_id = c.company_id and s.id = c.sender_id
  join campaign_now as g on g.company_id = c.company_id and g.id = c.campaign_id
  left join outbound.voice_agents as a on a.company_id = g.company_id and a.id = g.agent_id;

  if v_calls then
    perform outbound.open_calls(p_worker, v_companies, v_ids);
  end if;
  perform outbound.plan_sender_turns(v_seen_companies, v_seen_senders, false);
  perform outbound.plan_sender_turns(v_idle_companies, v_idle_senders, false, clock_timestamp() + interval '100 ms');
end
$$;
