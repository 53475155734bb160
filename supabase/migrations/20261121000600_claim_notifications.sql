-- Handing work to dispatchers: fairly between companies, no faster than each
-- sender may go, and never the same row to two of them.

-- The share of its rate, or of its lines, a sender may use: halved by the platform's refusals,
-- doubling again with every 30 quiet seconds.
create function outbound.current_throttle(p_pace outbound.sender_pace)
returns double precision
language sql stable security invoker set search_path = ''
as $$
  select case when p_pace.throttled_at is null then 1 else
    least(1, p_pace.throttle * power(2, least(20, floor(extract(epoch from now() - p_pace.throttled_at) / 30))))
  end
$$;
revoke execute on function outbound.current_throttle from public;

-- A sender's bucket as it stands now. A bucket holds a twentieth of a second's
-- worth: no second sees more than 1.05 times the rate leave, nor more than 1.1
-- times arrive when the way there takes now a little longer, now a little less.
create function outbound.available_tokens(p_pace outbound.sender_pace, p_rate int)
returns double precision
language sql stable security invoker set search_path = ''
as $$
  select least(
    greatest(1, p_rate * outbound.current_throttle(p_pace) / 20),
    p_pace.tokens + greatest(0, extract(epoch from clock_timestamp() - p_pace.refilled_at))
      * p_rate * outbound.current_throttle(p_pace)
  )
$$;
revoke execute on function outbound.available_tokens from public;

-- How many more calls a voice sender may have going on. A call takes a line from the moment it is claimed until it is
-- known to be over or given up; that is its state and nothing else, so no line can get lost. Volatile, so that the
-- calls are counted as they are after the sender's row was locked, those of the claim before included.
create function outbound.free_lines(p_pace outbound.sender_pace, p_concurrency int)
returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  v_going_on int;
begin
  select count(*) into v_going_on from outbound.notifications as n
  where n.sender_id = p_pace.sender_id and n.voice and n.status in ('sending', 'unconfirmed', 'sent');
  return greatest(0, greatest(1, floor(p_concurrency * outbound.current_throttle(p_pace)))::int - v_going_on);
end
$$;
revoke execute on function outbound.free_lines from public;

-- From when on a sender itself may send: its bucket holds a message again, it has rested, it has a free line. infinity
-- while it is stopped or all its lines are taken. A bucket is left to fill for 25 ms, so that a fast sender is claimed
-- for a few messages at a time and not for each one. Says nothing about what waits.
create function outbound.sender_ready_at(p_pace outbound.sender_pace, p_sender outbound.senders)
returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  v_throttle double precision := outbound.current_throttle(p_pace);
  v_ready_at timestamptz := p_pace.refilled_at;
begin
  if p_sender.status <> 'active' then
    return 'infinity'::timestamptz;
  end if;
  if p_sender.channel = 'voice' then
    if outbound.free_lines(p_pace, p_sender.concurrency) = 0 then
      -- A transaction that ends a call plans the turn anew. Time alone frees a line only when it lifts the throttle.
      v_ready_at := case when v_throttle < 1 then p_pace.throttled_at + interval '30 seconds'
        * (1 + floor(extract(epoch from now() - p_pace.throttled_at) / 30)) else 'infinity'::timestamptz end;
    end if;
  elsif p_pace.tokens < 1 then
    v_ready_at := p_pace.refilled_at
      + make_interval(secs => greatest(0.025, (1 - p_pace.tokens) / (p_sender.rate_per_second * v_throttle)));
  end if;
  return greatest(v_ready_at, p_pace.blocked_until);
end
$$;
revoke execute on function outbound.sender_ready_at from public;

-- Sets the turns of the given senders, who may be named more than once, to what their state and their queue say now; to
-- be called after all other locks. Without p_wait only turns that can be locked at once: one that somebody has locked
-- is being brought forward, and may stay where it is. Where a sender was ready when this transaction began, its turn comes
-- at p_not_before at the earliest: what it has due turned out not to be sendable. One that only waits for its rate is not
-- kept any longer. Returns how many turns it brought forward.
create function outbound.plan_sender_turns(
  p_companies uuid[], p_senders uuid[], p_wait boolean, p_not_before timestamptz default '-infinity'
)
returns int
language plpgsql security invoker set search_path = ''
-- One plan, made once a connection, that looks up each sender by its key whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_companies uuid[];
  v_senders uuid[];
  v_forward int;
begin
  if p_wait then
    select array_agg(t.company_id), array_agg(t.sender_id) into v_companies, v_senders
    from (
      select distinct g.company_id, g.sender_id from unnest(p_companies, p_senders) as g(company_id, sender_id)
      order by g.sender_id
    ) as given
    cross join lateral (
      select w.company_id, w.sender_id from outbound.sender_turns as w
      where w.company_id = given.company_id and w.sender_id = given.sender_id for no key update
    ) as t;
  else
    select array_agg(t.company_id), array_agg(t.sender_id) into v_companies, v_senders
    from unnest(p_companies, p_senders) as given(company_id, sender_id)
    cross join lateral (
      select w.company_id, w.sender_id from outbound.sender_turns as w
      where w.company_id = given.company_id and w.sender_id = given.sender_id for no key update skip locked
    ) as t;
  end if;

  -- A statement of its own, so that it sees what those put in the queue who had the turns locked before.
  with planned as (
    select t.company_id, t.sender_id, t.due_at as was_due_at, r.ready_at,
      greatest(r.ready_at, case when r.ready_at <= now() then p_not_before end, coalesce((
        select min(first.run_at) from (values (0::smallint), (1::smallint), (2::smallint)) as level(priority)
        cross join lateral (
          select n.run_at from outbound.notifications as n
          where n.sender_id = t.sender_id and n.priority = level.priority and n.status in ('scheduled', 'queued')
          order by n.run_at, n.id limit 1
        ) as first
      ), 'infinity')) as due_at
    from unnest(v_companies, v_senders) as locked(company_id, sender_id)
    cross join lateral (
      select w.* from outbound.sender_turns as w
      where w.company_id = locked.company_id and w.sender_id = locked.sender_id limit 1
    ) as t
    cross join lateral (
      select outbound.sender_ready_at(p, s) as ready_at from outbound.senders as s
      join outbound.sender_pace as p on p.company_id = s.company_id and p.sender_id = s.id
      where s.company_id = t.company_id and s.id = t.sender_id limit 1
    ) as r
  ),
  moved as (
    update outbound.sender_turns as t set ready_at = planned.ready_at, due_at = planned.due_at
    from planned
    where t.company_id = planned.company_id and t.sender_id = planned.sender_id
      and (t.ready_at, t.due_at) is distinct from (planned.ready_at, planned.due_at)
    returning planned.was_due_at > planned.due_at as forward
  )
  select count(*) filter (where m.forward) into v_forward from moved as m;
  return v_forward;
end
$$;
revoke execute on function outbound.plan_sender_turns from public;

-- Brings the turns of senders forward for work that is due at p_times, one time per sender; a sender may be named more
-- than once. To be called in the transaction that puts the work in the queue, and after all other locks.
create function outbound.wake_senders(p_companies uuid[], p_senders uuid[], p_times timestamptz[])
returns void
language sql security invoker set search_path = ''
as $$
  with locked as materialized (
    select t.company_id, t.sender_id, t.ready_at, t.due_at, greatest(t.ready_at, work.due_at) as wanted_at
    from (
      select w.company_id, w.sender_id, min(w.due_at) as due_at
      from unnest(p_companies, p_senders, p_times) as w(company_id, sender_id, due_at)
      group by w.company_id, w.sender_id order by w.sender_id
    ) as work
    cross join lateral (
      select w.* from outbound.sender_turns as w
      where w.company_id = work.company_id and w.sender_id = work.sender_id for no key update
    ) as t
  )
  -- Both times: a check is made first of the row as this statement saw it, which may be older than the one it locked.
  update outbound.sender_turns as t set ready_at = locked.ready_at, due_at = locked.wanted_at
  from locked
  where t.company_id = locked.company_id and t.sender_id = locked.sender_id and locked.due_at > locked.wanted_at
$$;
revoke execute on function outbound.wake_senders from public;

-- A statement trigger, so that the turns of several senders are locked in their order.
create function outbound.plan_changed_senders()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform outbound.plan_sender_turns(array_agg(changed.company_id), array_agg(changed.id), true)
  from (
    select n.company_id, n.id, n.status, n.rate_per_second, n.concurrency from new_rows as n
    except
    select o.company_id, o.id, o.status, o.rate_per_second, o.concurrency from old_rows as o
  ) as changed;
  return null;
end
$$;
revoke execute on function outbound.plan_changed_senders from public;
create trigger senders_plan_turns after update on outbound.senders
  referencing old table as old_rows new table as new_rows
  for each statement execute function outbound.plan_changed_senders();

-- Of the given notifications, those that may leave now: all but the calls whose campaign has called the same number less
-- than its company's gap ago, or is calling it. These are put off. A try of the call itself that was refused counts too.
create function outbound.space_calls(p_companies uuid[], p_ids uuid[])
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
      where w.company_id = chosen.company_id and w.id = chosen.id and w.status in ('scheduled', 'queued')
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
revoke execute on function outbound.space_calls from public;

-- When a company's calls may be made; null for at any time.
create function outbound.calling_hours(p_company_id uuid)
returns json
language sql stable security invoker set search_path = ''
as $$
  select json_build_object('from', y.calls_from, 'until', y.calls_until, 'zone', y.calls_zone)
  from outbound.companies as y where y.id = p_company_id and y.calls_zone is not null
$$;
revoke execute on function outbound.calling_hours from public;

-- Every sender that has something waiting, found by jumping from one to the
-- next in the index instead of reading the whole queue.
create function outbound.senders_with_work()
returns table (company_id uuid, sender_id uuid)
language sql stable security invoker set search_path = ''
as $$
  with recursive busy as (
    (
      select n.company_id, n.sender_id from outbound.notifications as n
      where n.status in ('scheduled', 'queued') order by n.sender_id limit 1
    )
    union all
    select following.company_id, following.sender_id
    from busy cross join lateral (
      select n.company_id, n.sender_id from outbound.notifications as n
      where n.status in ('scheduled', 'queued') and n.sender_id > busy.sender_id
      order by n.sender_id limit 1
    ) as following
  )
  select busy.company_id, busy.sender_id from busy
$$;
revoke execute on function outbound.senders_with_work from public;

-- Plans the turn of every sender that has anything waiting. A safety net for work that reached the queue by other hands,
-- such as a statement typed by an operator. Returns how many senders would have been looked at too late.
create function outbound.repair_sender_turns()
returns int
language sql security invoker set search_path = ''
as $$
  select outbound.plan_sender_turns(array_agg(w.company_id), array_agg(w.sender_id), false)
  from outbound.senders_with_work() as w
$$;
revoke execute on function outbound.repair_sender_turns from public;

-- Leases up to p_limit notifications that are due to p_worker for p_lease. A WhatsApp sender goes no faster than its rate,
-- a voice sender has no more calls going on than it has lines.
-- Companies take turns, the one that was served longest ago first; within a
-- company transactional goes before utility before marketing, its senders take
-- turns, and each sender's longest due goes first. While one claim holds a
-- sender's pace row, others pass that sender by: claims of one sender never
-- overlap. Rows that somebody else is changing are passed by as well, and the
-- companies in p_except.
create function outbound.claim_notifications(
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
as $$
declare
  v_companies uuid[];
  v_ids uuid[];
  v_calls boolean;
begin
  with paced as materialized (
    select p as pace, s.channel, s.rate_per_second, s.concurrency
    from outbound.senders_with_work() as w
    join outbound.senders as s on s.company_id = w.company_id and s.id = w.sender_id and s.status = 'active'
    join outbound.sender_pace as p on p.company_id = w.company_id and p.sender_id = w.sender_id
    where (p.blocked_until is null or p.blocked_until <= now()) and not w.company_id = any (p_except)
    for no key update of p skip locked
  ),
  allowance as materialized (
    select (paced.pace).company_id, (paced.pace).sender_id, (paced.pace).refilled_at as served_at,
      paced.channel = 'voice' as voice,
      -- An open breaker lets one message through to see whether the platform is back.
      least(
        case when (paced.pace).failures >= 5 then 1 else p_limit end,
        case paced.channel when 'voice' then outbound.free_lines(paced.pace, paced.concurrency)
          else floor(outbound.available_tokens(paced.pace, paced.rate_per_second)) end,
        greatest(1, 2 * p_limit / count(*) over ())
      )::int as messages
    from paced
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
          and n.priority = level.priority and n.run_at <= now() and n.expires_at > now()
        order by n.run_at, n.id limit a.messages
      ) as due
      order by due.priority, due.run_at, due.id limit a.messages
    ) as n
  )
  select array_agg(chosen.company_id), array_agg(chosen.id), bool_or(chosen.voice) into v_companies, v_ids, v_calls
  from (
    select c.company_id, c.id, c.voice from candidate as c
    order by c.turn, c.priority, c.served_at, c.run_at, c.id limit p_limit
  ) as chosen;
  if v_calls then
    select s.companies, s.ids into v_companies, v_ids from outbound.space_calls(v_companies, v_ids) as s;
  end if;
  if v_ids is null then
    return;
  end if;

  return query
  with held as (
    select n.company_id, n.id from unnest(v_companies, v_ids) as chosen(company_id, id)
    -- Lateral: one look-up a row. As a join it becomes, without statistics, a scan of all that waits.
    cross join lateral (
      select w.company_id, w.id from outbound.notifications as w
      where w.company_id = chosen.company_id and w.id = chosen.id and w.status in ('scheduled', 'queued')
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
end
$$;
revoke execute on function outbound.claim_notifications from public;

-- Holds on to those of the given notifications that p_worker has leased; returns
-- how many they are. It names them, because it may not know of all that it has:
-- the answer to a claim can get lost, and such a row must not be held for ever.
create function outbound.renew_leases(p_worker text, p_lease interval, p_companies uuid[], p_ids uuid[])
returns int
language sql security invoker set search_path = ''
as $$
  with held as (
    select n.company_id, n.id from unnest(p_companies, p_ids) as held(company_id, id)
    join outbound.notifications as n on n.company_id = held.company_id and n.id = held.id
    where n.status = 'sending' and n.worker = p_worker and n.lease_until > now()
    -- What is locked is being finished.
    for update of n skip locked
  ),
  renewed as (
    update outbound.notifications as n set lease_until = clock_timestamp() + p_lease
    from held where n.company_id = held.company_id and n.id = held.id
    returning 1
  )
  select count(*)::int from renewed
$$;
revoke execute on function outbound.renew_leases from public;

-- Hands back, untried, what p_worker has leased but is not among the given notifications: a claim whose answer was lost.
-- The worker has no other claim under way, so nobody sends these rows. Locks what finish_notifications does, in its
-- order: notifications by id, then campaigns by id. Returns how many rows went back to the queue.
create function outbound.release_claimed(p_worker text, p_companies uuid[], p_ids uuid[])
returns int
language plpgsql security invoker set search_path = '' set enable_seqscan = off
as $$
declare
  v_results jsonb;
begin
  select jsonb_agg(jsonb_build_object(
    'company_id', n.company_id, 'id', n.id, 'fence', n.fence, 'attempt', n.attempt, 'outcome', 'released'
  )) into v_results
  from outbound.notifications as n
  where n.status = 'sending' and n.worker = p_worker and not exists (
    select from unnest(p_companies, p_ids) as held(company_id, id)
    where held.company_id = n.company_id and held.id = n.id
  );
  return case when v_results is null then 0 else outbound.finish_notifications(p_worker, v_results, interval '0') end;
end
$$;
revoke execute on function outbound.release_claimed from public;

-- When there is something to do next: the earliest time at which an active
-- sender has something due, does not rest and has a free line if it makes calls,
-- or a lease or a wait is over. When a line becomes free, nobody can tell.
create function outbound.next_due()
returns timestamptz
language sql stable security invoker set search_path = ''
as $$
  select least(
    (
      select min(greatest(due.run_at, p.blocked_until)) from outbound.senders_with_work() as w
      join outbound.senders as s on s.company_id = w.company_id and s.id = w.sender_id and s.status = 'active'
      join outbound.sender_pace as p on p.company_id = w.company_id and p.sender_id = w.sender_id
        and case s.channel when 'voice' then outbound.free_lines(p, s.concurrency) > 0 else true end
      cross join (values (0::smallint), (1::smallint), (2::smallint)) as level(priority)
      cross join lateral (
        select n.run_at from outbound.notifications as n
        where n.sender_id = w.sender_id and n.priority = level.priority
          and n.status in ('scheduled', 'queued')
        order by n.run_at, n.id limit 1
      ) as due
    ),
    (select min(n.lease_until) from outbound.notifications as n where n.status in ('sending', 'unconfirmed'))
  )
$$;
revoke execute on function outbound.next_due from public;
