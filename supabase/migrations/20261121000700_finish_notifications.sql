-- Writing down what became of each try.

-- Moves campaign counters by the sums in p_moves: [{company_id, campaign_id,
-- pending, processing, sent, delivered, read, failed, cancelled}, …], all
-- optional. The only place, besides accepting and claiming, that touches them.
create function outbound.move_campaign_counters(p_moves jsonb)
returns void
language sql security invoker set search_path = ''
as $$
  with moved as (
    select m.company_id, m.campaign_id,
      coalesce(sum(m.pending), 0)::int as pending, coalesce(sum(m.processing), 0)::int as processing,
      coalesce(sum(m.sent), 0)::int as sent, coalesce(sum(m.delivered), 0)::int as delivered,
      coalesce(sum(m.read), 0)::int as read, coalesce(sum(m.failed), 0)::int as failed,
      coalesce(sum(m.cancelled), 0)::int as cancelled
    from jsonb_to_recordset(p_moves) as m(
      company_id uuid, campaign_id uuid, pending int, processing int, sent int, delivered int, read int,
      failed int, cancelled int
    )
    group by m.company_id, m.campaign_id
  ),
  locked as (
    select g.company_id, g.id from outbound.campaigns as g
    join moved on moved.company_id = g.company_id and moved.campaign_id = g.id
    order by g.id for no key update of g
  )
  update outbound.campaigns as g
  set pending = g.pending + moved.pending, processing = g.processing + moved.processing,
    sent = g.sent + moved.sent, delivered = g.delivered + moved.delivered, read = g.read + moved.read,
    failed = g.failed + moved.failed, cancelled = g.cancelled + moved.cancelled,
    completed_at = case
      when g.pending + moved.pending + g.processing + moved.processing = 0 then coalesce(g.completed_at, now())
    end
  from moved join locked on locked.company_id = moved.company_id and locked.id = moved.campaign_id
  where g.company_id = moved.company_id and g.id = moved.campaign_id
$$;
revoke execute on function outbound.move_campaign_counters from public;

-- Why the campaigns of a template that cannot be used are held, in words for people.
create function outbound.hold_reason(p_template outbound.templates)
returns text
language sql immutable security invoker set search_path = ''
as $$
  select format('The template %s is %s, not approved', p_template.name, p_template.status)
    || coalesce(': ' || p_template.rejected_reason, '')
$$;
revoke execute on function outbound.hold_reason from public;

-- What came back to the queue (refused for now, handed back, to be sent again after an unknown outcome) stops there
-- when its campaign was cancelled or paused meanwhile, or its template is not approved: cancelled, or held. Its callers have the campaigns' rows locked
-- by moving their counters, so a pause or a cancellation is either over, and seen here, or waits for them and then finds
-- what they put back.
create function outbound.stop_requeued(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
-- One plan, made once a connection, that looks up each row by its key: from the campaigns' side all of a campaign would be
-- read for each of its messages.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_companies uuid[];
  v_campaigns uuid[];
  v_held uuid[];
  v_cancelled uuid[];
  v_moves jsonb;
begin
  select array_agg(used.company_id), array_agg(used.campaign_id) into v_companies, v_campaigns
  from (
    select distinct n.company_id, n.campaign_id
    from unnest(p_companies, p_ids) as requeued(company_id, id)
    cross join lateral (
      select w.company_id, w.campaign_id from outbound.notifications as w
      where w.company_id = requeued.company_id and w.id = requeued.id limit 1
    ) as n
  ) as used;

  -- A campaign that was accepted, or a message that was claimed, while its template was stopped. The template's row is
  -- locked so that it is not approved, and its campaigns released, at this very moment; to wait for the transaction that
  -- does just that would be a deadlock, and is not needed: the message comes back here if it still cannot leave.
  with stopped as (
    select g.company_id, g.id, t.reason
    from unnest(v_companies, v_campaigns) as used(company_id, campaign_id)
    cross join lateral (
      select w.company_id, w.id, w.template_id from outbound.campaigns as w
      where w.company_id = used.company_id and w.id = used.campaign_id
        and w.template_id is not null and w.held_reason is null limit 1
    ) as g
    cross join lateral (
      select outbound.hold_reason(u) as reason from outbound.templates as u
      where u.company_id = g.company_id and u.id = g.template_id and u.status <> 'approved'
      for share skip locked
    ) as t
  )
  update outbound.campaigns as g set held_reason = stopped.reason
  from stopped where g.company_id = stopped.company_id and g.id = stopped.id;

  select array_agg(g.id) filter (where g.cancelled_at is null), array_agg(g.id) filter (where g.cancelled_at is not null)
  into v_held, v_cancelled
  from unnest(v_companies, v_campaigns) as used(company_id, campaign_id)
  cross join lateral (
    select w.id, w.cancelled_at from outbound.campaigns as w
    where w.company_id = used.company_id and w.id = used.campaign_id
      and num_nonnulls(w.cancelled_at, w.paused_at, w.held_reason) > 0 limit 1
  ) as g;

  if v_held is not null then
    update outbound.notifications as n set held_run_at = n.run_at, run_at = 'infinity'
    from unnest(p_companies, p_ids) as requeued(company_id, id)
    where n.company_id = requeued.company_id and n.id = requeued.id and n.campaign_id = any (v_held)
      and case when n.status = 'queued' then true end and n.held_run_at is null;
  end if;

  if v_cancelled is not null then
    with cancelled as (
      update outbound.notifications as n set status = 'cancelled'
      from unnest(p_companies, p_ids) as requeued(company_id, id)
      where n.company_id = requeued.company_id and n.id = requeued.id and n.campaign_id = any (v_cancelled)
        and case when n.status = 'queued' then true end
      returning n.company_id, n.campaign_id
    )
    select jsonb_agg(jsonb_build_object('company_id', c.company_id, 'campaign_id', c.campaign_id,
      'pending', -1, 'cancelled', 1)) into v_moves
    from cancelled as c;
  end if;
  if v_moves is not null then
    perform outbound.move_campaign_counters(v_moves);
  end if;
end
$$;
revoke execute on function outbound.stop_requeued from public;

-- Records the outcomes of tries by p_worker, each an object:
--   company_id, id, fence,
--   outcome: sent (provider_message_id), failed (error_code, reason),
--     retry (retry_in_s: refused for now), not_sent (retry_in_s: it never left, the try does not count),
--     unknown (it may have been taken: wait p_window for the platform's word), released (handed back untried),
--     postponed (retry_in_s: untried too, its time has not come; it gets as much longer to live),
--   http_status, error_code, reason.
-- The try is always recorded, of a notification that is still there. When only the lease ran out, the answer is believed
-- as if it had come in time; that a message was sent is believed also of an earlier try, and when the row was given up,
-- queued again or cancelled since: what was taken must not be sent twice. While another try is under way the row keeps
-- its state.
-- Returns how many rows changed state.
create function outbound.finish_notifications(p_worker text, p_results jsonb, p_window interval)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_moves jsonb;
  v_changed int;
  v_companies uuid[];
  v_requeued uuid[];
  v_senders uuid[];
  v_times timestamptz[];
  v_called text[];
  v_calling_companies uuid[];
  v_callers uuid[];
begin
  with locked as materialized (
    select n.company_id, n.id, n.status, n.fence = r.fence as is_last_try, n.worker, n.error_code as was_error_code,
      r.attempt, r.fence, r.started_at, r.outcome, r.http_status, r.error_code, r.reason, r.retry_in_s,
      r.provider_message_id
    from jsonb_to_recordset(p_results) as r(
      company_id uuid, id uuid, attempt smallint, fence int, started_at timestamptz, outcome text, http_status int,
      error_code text, reason text, retry_in_s float8, provider_message_id text
    )
    join outbound.notifications as n on n.company_id = r.company_id and n.id = r.id
    order by n.id for update of n
  ),
  attempted as (
    insert into outbound.delivery_attempts as a (
      company_id, notification_id, attempt, fence, worker, started_at, outcome, http_status, error_code, reason,
      provider_message_id
    )
    select n.company_id, n.id, n.attempt, n.fence, p_worker, n.started_at, n.outcome, n.http_status, n.error_code,
      n.reason, n.provider_message_id
    from locked as n where n.outcome not in ('released', 'postponed')
    on conflict on constraint delivery_attempts_pkey do update
      set worker = excluded.worker, outcome = excluded.outcome, http_status = excluded.http_status, error_code = excluded.error_code,
        reason = excluded.reason, finished_at = now(),
        provider_message_id = coalesce(excluded.provider_message_id, a.provider_message_id)
  ),
  applicable as (
    select r.company_id, r.id, r.status as was, r.error_code, r.reason, r.retry_in_s,
      case when earlier.provider_message_id is null then r.outcome else 'sent' end as outcome,
      coalesce(earlier.provider_message_id, r.provider_message_id) as provider_message_id
    from locked as r
    -- What became of an earlier try may have been recorded while this one was under way.
    left join lateral (
      select a.provider_message_id from outbound.delivery_attempts as a
      where r.fence > 1 and r.is_last_try and r.outcome <> 'sent'
        and a.company_id = r.company_id and a.notification_id = r.id and a.fence < r.fence
        and a.outcome = 'sent' and a.error_code is null
      order by a.fence limit 1
    ) as earlier on true
    where (r.is_last_try or r.outcome = 'sent' and not exists (
      -- It failed after it was sent.
      select from outbound.delivery_attempts as a
      where a.company_id = r.company_id and a.notification_id = r.id and a.fence = r.fence and a.error_code is not null
    )) and case r.status
      when 'sending' then r.is_last_try and r.worker = p_worker
      when 'unconfirmed' then r.outcome = 'sent' or r.is_last_try and r.outcome <> 'unknown'
      -- Queued with a code: the platform itself said since that this try could not be delivered.
      when 'queued' then r.outcome = 'sent' and (r.was_error_code is null or not r.is_last_try)
      when 'failed' then r.outcome = 'sent' and r.was_error_code in ('outcome_unknown', 'expired')
      when 'cancelled' then r.outcome = 'sent'
      else false end
  ),
  finished as (
    update outbound.notifications as n
    set status = case applicable.outcome
        when 'sent' then 'sent' when 'failed' then 'failed' when 'unknown' then 'unconfirmed' else 'queued' end,
      worker = null,
      attempt = n.attempt - case when applicable.outcome in ('not_sent', 'released', 'postponed') then 1 else 0 end,
      lease_until = case when applicable.outcome = 'unknown' then clock_timestamp() + p_window end,
      run_at = case when applicable.outcome in ('retry', 'not_sent', 'postponed')
        then clock_timestamp() + make_interval(secs => coalesce(applicable.retry_in_s, 0)) else n.run_at end,
      expires_at = case when applicable.outcome = 'postponed'
        then n.expires_at + make_interval(secs => applicable.retry_in_s) else n.expires_at end,
      provider_message_id = coalesce(applicable.provider_message_id, n.provider_message_id),
      sent_at = case when applicable.outcome = 'sent' then clock_timestamp() end,
      failed_at = case when applicable.outcome = 'failed' then clock_timestamp() end,
      error_code = case when applicable.outcome = 'sent' then null else applicable.error_code end,
      error_reason = case when applicable.outcome = 'sent' then null else applicable.reason end
    from applicable
    where n.company_id = applicable.company_id and n.id = applicable.id
    returning n.company_id, n.id, n.campaign_id, n.sender_id, n.status, n.run_at, n.voice, applicable.was, applicable.outcome,
      case when n.voice and n.status = 'sent' then n.provider_message_id end as called
  )
  select
    (select count(*) from finished),
    -- Summed up before it becomes JSON, which costs more than the sums.
    (
      select jsonb_agg(to_jsonb(move)) from (
        select f.company_id, f.campaign_id,
          sum((f.outcome = 'unknown')::int - (f.was in ('sending', 'unconfirmed'))::int) as processing,
          sum((f.outcome = 'sent')::int) as sent,
          sum((f.outcome = 'failed')::int - (f.was = 'failed')::int) as failed,
          sum(- (f.was = 'cancelled')::int) as cancelled,
          sum((f.status = 'queued')::int - (f.was = 'queued')::int) as pending
        from finished as f group by f.company_id, f.campaign_id
      ) as move
    ),
    (select array_agg(f.company_id order by f.id) from finished as f where f.status = 'queued'),
    (select array_agg(f.id order by f.id) from finished as f where f.status = 'queued'),
    (select array_agg(f.sender_id order by f.id) from finished as f where f.status = 'queued'),
    (select array_agg(f.run_at order by f.id) from finished as f where f.status = 'queued'),
    (select array_agg(f.called) from finished as f where f.called is not null),
    (select array_agg(f.company_id) from finished as f where f.voice and f.status in ('queued', 'failed')),
    (select array_agg(f.sender_id) from finished as f where f.voice and f.status in ('queued', 'failed'))
  into v_changed, v_moves, v_companies, v_requeued, v_senders, v_times, v_called, v_calling_companies, v_callers;

  if v_moves is not null then
    perform outbound.move_campaign_counters(v_moves);
  end if;
  if v_requeued is not null then
    perform outbound.stop_requeued(v_companies, v_requeued);
  end if;
  if v_called is not null then
    perform outbound.hear_failures(v_called);
  end if;
  -- In one go, since all turns of a transaction are locked in one go. A call that is over leaves its line to the next.
  if v_callers is not null then
    perform outbound.plan_sender_turns(v_calling_companies || v_companies, v_callers || v_senders, true);
  elsif v_requeued is not null then
    perform outbound.wake_senders(v_companies, v_senders, v_times);
  end if;
  return v_changed;
end
$$;
revoke execute on function outbound.finish_notifications from public;

-- What the platform's answers say about the senders themselves, any number of rows a sender:
--   reached: it answered; the breaker closes.
--   unreachable: it did not; after five times in a row the breaker opens. From then on claims let one message through
--     after 1, 2, 4 … 60 s, and what was in flight at the opening makes it no worse.
--   slow_down: it is being sent to faster than it takes; half the rate from here.
--   stop (reason, for_good): nothing more leaves it until an operator has looked; for_good when the platform has
--     locked the account, so that new requests for it are refused.
-- Where rows of one sender disagree, it was reached: slow_down and stop are answers too.
create function outbound.adjust_senders(p_changes jsonb)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  perform from (
    select distinct c.company_id, c.sender_id
    from jsonb_to_recordset(p_changes) as c(company_id uuid, sender_id uuid, change text) where c.change = 'stop'
    order by c.sender_id
  ) as stopped
  cross join lateral (
    select from outbound.senders as s where s.company_id = stopped.company_id and s.id = stopped.sender_id
    for no key update
  ) as locked;

  with change as (
    select c.company_id, c.sender_id, bool_or(c.change in ('reached', 'slow_down', 'stop')) as reached,
      count(*) filter (where c.change = 'unreachable')::int as unreachable,
      bool_or(c.change = 'slow_down') as slow_down
    from jsonb_to_recordset(p_changes) as c(company_id uuid, sender_id uuid, change text)
    group by c.company_id, c.sender_id
  ),
  locked as (
    select p.company_id, p.sender_id from outbound.sender_pace as p
    join change on change.company_id = p.company_id and change.sender_id = p.sender_id
    order by p.sender_id for no key update of p
  )
  update outbound.sender_pace as p
  set failures = case when change.reached then 0 else greatest(p.failures, least(5, p.failures + change.unreachable)) end,
    blocked_until = case when change.reached then null
      when p.failures < 5 and p.failures + change.unreachable >= 5 then clock_timestamp() + interval '1 second'
      else p.blocked_until end,
    reached_at = case when change.reached and p.failures >= 5 then clock_timestamp() else p.reached_at end,
    throttle = case when change.slow_down and coalesce(p.throttled_at < now() - interval '1 second', true)
      then greatest(outbound.current_throttle(p) / 2, 0.02) else p.throttle end,
    throttled_at = case when change.slow_down and coalesce(p.throttled_at < now() - interval '1 second', true)
      then now() else p.throttled_at end,
    tokens = case when change.slow_down then 0 else p.tokens end,
    refilled_at = case when change.slow_down then clock_timestamp() else p.refilled_at end
  from change join locked on locked.company_id = change.company_id and locked.sender_id = change.sender_id
  where p.company_id = change.company_id and p.sender_id = change.sender_id;

  perform outbound.plan_sender_turns(array_agg(c.company_id), array_agg(c.sender_id), true)
  from jsonb_to_recordset(p_changes) as c(company_id uuid, sender_id uuid);

  update outbound.senders as s
  set status = 'stopped', stopped_reason = c.reason, stopped_at = now(), stopped_for_good = c.for_good,
    stopped_by_account = false, stopped_until = null
  from (
    select distinct on (r.company_id, r.sender_id) r.company_id, r.sender_id, r.reason,
      coalesce(r.for_good, false) as for_good
    from jsonb_to_recordset(p_changes) as r(
      company_id uuid, sender_id uuid, change text, reason text, for_good boolean
    )
    where r.change = 'stop'
    order by r.company_id, r.sender_id, coalesce(r.for_good, false) desc
  ) as c
  where s.company_id = c.company_id and s.id = c.sender_id
    and (s.status = 'active' or (c.for_good and not s.stopped_for_good));
end
$$;
revoke execute on function outbound.adjust_senders from public;
