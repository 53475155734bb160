-- Returns a time before which no lease and no wait ends. An old snapshot keeps an index entry for every lease that ended
-- since, and each tick would step over all of them. Each tick moves this time on. Once per minute it reads from the
-- beginning, and so finds a lease that ended before this time after all, because its transaction took that long.
create function outbound.leases_from()
returns timestamptz
language sql stable security invoker set search_path = ''
return coalesce((
  select (s.value #>> '{}')::timestamptz from outbound.settings as s where s.name = 'leases_from'
), '-infinity');
revoke execute on function outbound.leases_from from public;

-- Does what time alone brings about: queues what is due, rescues what a dead worker left, settles what the platform
-- said nothing of, expires what is too late. Dispatchers and pg_cron call it every second; one of them at a time does
-- the work, the others return {busy}.
-- Returns how many notifications moved, per step, and silent_accounts, [{company_id, waba_id, messages, refused}, …]:
-- accounts whose messages wait because no event of theirs can arrive.
create function outbound.tick(
  p_limit int default 10000,
  p_window interval default '120 seconds',
  p_by text default 'dispatcher'
)
returns jsonb
-- Without statistics a bitmap scan would read and sort all that is due instead of the p_limit longest due.
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_released int;
  v_rescued int;
  v_resent int;
  v_failed_unknown int;
  v_expired int;
  v_missed_ticks interval;
  v_leases_from timestamptz;
  v_awake_since timestamptz;
  v_unread boolean;
  v_silent_accounts jsonb;
  v_moves jsonb;
  v_expired_moves jsonb;
  v_companies uuid[];
  v_requeued uuid[];
  v_planned_companies uuid[];
  v_planned_senders uuid[];
  v_repaired_turns int := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('outbound.tick', 0)) then
    return jsonb_build_object('busy', true);
  end if;
  v_leases_from := outbound.leases_from();

  insert into outbound.settings as s (name, value)
  select 'missed_ticks', to_jsonb(extract(epoch from now() - max(t.updated_at)))
  from outbound.settings as t where t.name like 'last\_tick:%'
  having max(t.updated_at) < now() - interval '90 seconds'
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now();
  select make_interval(secs => s.value::float8), s.updated_at into v_missed_ticks, v_awake_since
  from outbound.settings as s where s.name = 'missed_ticks';

  -- GET /health reads this.
  insert into outbound.settings as s (name, value) values ('last_tick:' || p_by, to_jsonb(now()))
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now()
    where s.updated_at < now() - interval '1 second';

  -- scheduled → queued, when due
  with due as (
    select n.company_id, n.id from outbound.notifications as n
    where n.queue_status = 'scheduled' and n.run_at <= now()
    order by n.run_at limit p_limit for update skip locked
  )
  update outbound.notifications as n set status = 'queued'
  from due where n.company_id = due.company_id and n.id = due.id;
  get diagnostics v_released = row_count;

  perform outbound.expire_handoffs(p_limit);

  -- sending → unconfirmed, when the worker's lease ran out: the worker may have sent it or not
  with lost as (
    select n.company_id, n.id from outbound.notifications as n
    where n.queue_status = 'sending' and n.lease_until >= v_leases_from and n.lease_until <= now()
    order by n.lease_until limit p_limit for update skip locked
  ),
  rescued as (
    update outbound.notifications as n
    set status = 'unconfirmed', lease_until = now() + p_window, worker = null, error_code = null, error_reason = null
    from lost where n.company_id = lost.company_id and n.id = lost.id
    returning n.company_id, n.id, n.attempt, n.fence, n.claimed_at
  )
  insert into outbound.delivery_attempts as a (
    company_id, notification_id, attempt, fence, worker, started_at, outcome, reason
  )
  select r.company_id, r.id, r.attempt, r.fence, 'lost', r.claimed_at, 'unknown',
    'The dispatcher stopped before it recorded a result'
  from rescued as r
  on conflict on constraint delivery_attempts_pkey do nothing;
  get diagnostics v_rescued = row_count;

  -- Events of the platform that have not been applied for so long may be about any message.
  v_unread := exists (
    select from outbound.platform_events as e
    where e.applied_at is null and e.apply_at < now() - p_window / 2 and e.apply_at = e.received_at
  );

  -- unconfirmed → queued or failed, when the platform reported nothing in time.
  -- Silence proves nothing by itself. It counts only if an event could have reached us since the try began:
  --   an event of the sender's account arrived, or a probe of our webhook came back;
  --   no event of the account was refused after the last one that was accepted;
  --   and for half the window nothing has kept events from us: a pause without ticks, an open breaker, a failed probe,
  --   a refused event. After such a time we wait for as long again, because the platform repeats what it could not report
  --   after ever longer waits.
  -- Otherwise the message gets another window, up to its time to live. Calls need no event: the dispatcher polls the
  -- platform about them. Each message is examined once per window, and p_limit of them per tick.
  with due as (
    select n.company_id, n.id, s.waba_id, signal.refused_at > signal.event_at as refused,
      n.expires_at > now() and (
        v_unread
        or coalesce(greatest(p.blocked_until, p.reached_at) > now() - p_window / 2, false)
        or coalesce(
          now() - v_awake_since < greatest(p_window / 2, least(v_missed_ticks, v_awake_since - n.claimed_at)), false)
      ) as early,
      n.expires_at > now() and not n.voice and (
        signal.reachable_at <= n.claimed_at
        -- Failed probes say nothing if none came back for a day: some dispatchers cannot reach OUTBOUND_PUBLIC_URL at all.
        or w.returned_at > now() - interval '1 day' and w.failed_at > least(signal.reachable_at, now() - p_window / 2)
        or now() - w.recovered_at < w.recovered_at - greatest(w.failing_since, n.claimed_at)
        or signal.refused_at > least(signal.event_at, now() - p_window / 2)
        or now() - a.accepted_at < a.accepted_at - greatest(a.refused_since, n.claimed_at)
      ) as unproven,
      -- A call whose outcome is unknown is never repeated: the person may have been called already.
      c.on_unknown = 'resend' and not n.voice and n.attempt < outbound.max_attempts() and n.expires_at > now()
        and g.cancelled_at is null as again
    from outbound.notifications as n
    join outbound.companies as c on c.id = n.company_id
    join outbound.campaigns as g on g.company_id = n.company_id and g.id = n.campaign_id
    left join outbound.senders as s on s.company_id = n.company_id and s.id = n.sender_id
    left join outbound.sender_rate_state as p on p.company_id = n.company_id and p.sender_id = n.sender_id
    left join outbound.account_signals as a on a.company_id = s.company_id and a.waba_id = s.waba_id
    left join outbound.webhook_probe as w on w.only_row
    cross join lateral (
      select greatest(a.event_at, w.returned_at, '-infinity') as reachable_at,
        coalesce(a.event_at, '-infinity') as event_at, a.refused_at
    ) as signal
    where n.queue_status = 'unconfirmed' and n.lease_until >= v_leases_from and n.lease_until <= now()
    order by n.lease_until limit p_limit for update of n skip locked
  ),
  extended as (
    update outbound.notifications as n set lease_until = least(now() + p_window, n.expires_at)
    from due where n.company_id = due.company_id and n.id = due.id and (due.early or due.unproven)
  ),
  settled as (
    update outbound.notifications as n
    set status = case when due.again then 'queued' else 'failed' end, lease_until = null,
      run_at = case when due.again then now() else n.run_at end,
      failed_at = case when not due.again then now() end,
      error_code = case when not due.again then 'outcome_unknown' end,
      error_reason = case
        when not due.again and n.voice then 'The platform never said whether it made the call; it was not made again'
        when not due.again then 'The platform never said whether it took the message; it was not sent again'
      end
    from due where n.company_id = due.company_id and n.id = due.id and not due.early and due.unproven is not true
    returning n.company_id, n.id, n.campaign_id, n.sender_id, n.voice, due.again
  )
  select count(*) filter (where s.again), count(*) filter (where not s.again),
    jsonb_agg(jsonb_build_object('company_id', s.company_id, 'campaign_id', s.campaign_id, 'processing', -1,
      'pending', s.again::int, 'failed', (not s.again)::int)),
    array_agg(s.company_id) filter (where s.again), array_agg(s.id) filter (where s.again),
    array_agg(s.company_id) filter (where s.again or s.voice), array_agg(s.sender_id) filter (where s.again or s.voice),
    (
      select jsonb_agg(to_jsonb(account)) from (
        select due.company_id, due.waba_id, count(*) as messages, coalesce(bool_or(due.refused), false) as refused
        from due where due.unproven and not due.early
        group by due.company_id, due.waba_id order by count(*) desc limit 100
      ) as account
    )
  into v_resent, v_failed_unknown, v_moves, v_companies, v_requeued, v_planned_companies, v_planned_senders,
    v_silent_accounts
  from settled as s;

  -- scheduled, queued → failed, when its time to live is over
  with late as (
    select n.company_id, n.id from outbound.notifications as n
    where n.queue_status in ('scheduled', 'queued') and n.expires_at <= now()
    order by n.expires_at limit p_limit for update skip locked
  ),
  expired as (
    update outbound.notifications as n
    set status = 'failed', failed_at = now(), error_code = 'expired',
      error_reason = 'Not sent within its time to live'
        || coalesce(': ' || coalesce(
          (
            select g.held_reason from outbound.campaigns as g
            where n.held_run_at is not null and g.company_id = n.company_id and g.id = n.campaign_id
          ),
          nullif(n.error_reason, '')
        ), '')
    from late where n.company_id = late.company_id and n.id = late.id
    returning n.company_id, n.campaign_id
  )
  select count(*), jsonb_agg(jsonb_build_object(
    'company_id', e.company_id, 'campaign_id', e.campaign_id, 'pending', -1, 'failed', 1))
  into v_expired, v_expired_moves from expired as e;

  -- Together and last: every transaction locks its campaigns once, in their order.
  v_moves := coalesce(v_moves, '[]') || coalesce(v_expired_moves, '[]');
  if v_moves <> '[]' then
    perform outbound.move_campaign_counters(v_moves);
  end if;
  perform outbound.close_campaigns(p_limit);
  if v_requeued is not null then
    perform outbound.stop_requeued(v_companies, v_requeued);
  end if;
  if v_planned_senders is not null then
    perform outbound.schedule_senders(v_planned_companies, v_planned_senders, true);
  end if;

  -- Once per minute.
  insert into outbound.settings as s (name, value) values ('last_turn_repair', to_jsonb(now()))
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now()
    where outbound.is_window_over(s.updated_at, interval '1 minute');
  if found then
    v_repaired_turns := outbound.repair_sender_schedule();
    perform outbound.repair_webhook_schedule();
    perform outbound.repair_reply_schedule();
    v_leases_from := '-infinity';
  end if;
  insert into outbound.settings as s (name, value)
  values ('leases_from', to_jsonb(least(now() - interval '10 seconds', (
    select min(n.lease_until) from outbound.notifications as n
    where n.queue_status in ('sending', 'unconfirmed') and n.lease_until >= v_leases_from
  ))))
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now();

  return jsonb_strip_nulls(jsonb_build_object('released', v_released, 'rescued', v_rescued, 'resent', v_resent,
    'failed_unknown', v_failed_unknown, 'expired', v_expired, 'repaired_turns', v_repaired_turns,
    'silent_accounts', v_silent_accounts));
end
$$;
revoke execute on function outbound.tick from public;
