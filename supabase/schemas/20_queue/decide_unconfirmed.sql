-- unconfirmed → queued or failed, when the platform reported nothing in time. A step of tick.
-- That nothing was reported counts only if an event could have reached us since the try began:
--   an event of the sender's account arrived, or a probe of our webhook came back;
--   no event of the account was refused after the last one that was accepted;
--   and for half the window nothing has kept events from us: a pause without ticks, an open breaker, a failed probe,
--   a refused event. After such a time we wait for as long again, because the platform repeats what it could not report
--   after ever longer waits.
-- Otherwise the message gets another window, up to its time to live. Calls need no event: the dispatcher polls the
-- platform about them. Each message is examined once per window, and p_limit of them per tick.
--
-- again: how many were queued again; failed: how many were not. moves: what move_campaign_counters is to move.
-- requeued: those for stop_requeued; planned: the senders whose turns change. silent_accounts: [{company_id, waba_id,
-- messages, refused}, …], accounts whose messages wait because no event of theirs can arrive.
create function outbound.decide_unconfirmed(
  p_limit int, p_window interval, p_leases_from timestamptz,
  out again int, out failed int, out moves jsonb, out requeued_companies uuid[], out requeued uuid[],
  out planned_companies uuid[], out planned_senders uuid[], out silent_accounts jsonb
)
-- Without statistics a bitmap scan would read and sort all that is due instead of the p_limit longest due.
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_unread boolean;
  -- The last time without ticks: how long it was, and when it ended.
  v_missed_ticks interval;
  v_awake_since timestamptz;
begin
  select make_interval(secs => s.value::float8), s.updated_at into v_missed_ticks, v_awake_since
  from outbound.settings as s where s.name = 'missed_ticks';

  -- Events of the platform that have not been applied for so long may be about any message.
  v_unread := exists (
    select from outbound.platform_events as e
    where e.applied_at is null and e.apply_at < now() - p_window / 2 and e.apply_at = e.received_at
  );

  with due as (
    select n.company_id, n.id, n.campaign_id, n.sender_id, n.voice, n.attempt, n.fence, n.claimed_at,
      s.waba_id, signal.refused_at > signal.event_at as refused,
      n.expires_at > now() and (
        v_unread
        or coalesce(greatest(p.blocked_until, p.reached_at) > now() - p_window / 2, false)
        or coalesce(
          now() - v_awake_since < greatest(p_window / 2, least(v_missed_ticks, v_awake_since - n.claimed_at)), false)
      ) as early,
      n.expires_at > now() and not n.voice and (
        signal.reachable_at <= n.claimed_at
        -- Failed probes say nothing if none came back for a day: some dispatchers cannot reach OUTBOUND_PUBLIC_URL at
        -- all.
        or w.returned_at > now() - interval '1 day' and w.failed_at > least(signal.reachable_at, now() - p_window / 2)
        or now() - w.recovered_at < w.recovered_at - greatest(w.failing_since, n.claimed_at)
        or signal.refused_at > least(signal.event_at, now() - p_window / 2)
        or now() - a.accepted_at < a.accepted_at - greatest(a.refused_since, n.claimed_at)
      ) as unproven,
      -- A call whose outcome is unknown is never repeated: the person may have been called already.
      c.on_unknown = 'resend' and not n.voice and n.attempt < outbound.max_attempts() and n.expires_at > now()
        and g.cancelled_at is null as again
    from outbound.queue as n
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
    where n.status = 'unconfirmed' and n.lease_until >= p_leases_from and n.lease_until <= now()
    order by n.lease_until limit p_limit for update of n skip locked
  ),
  extended as (
    update outbound.queue as n set lease_until = least(now() + p_window, n.expires_at)
    from due where n.company_id = due.company_id and n.id = due.id and (due.early or due.unproven)
  ),
  settled as (
    select * from due where not due.early and due.unproven is not true
  ),
  requeued as (
    update outbound.queue as n
    set status = 'queued', lease_until = null, run_at = now(), error_code = null, error_reason = null
    from settled as s where s.again and n.company_id = s.company_id and n.id = s.id
  ),
  failed as (
    update outbound.notification_facts as n
    set status = 'failed', attempt = s.attempt, fence = s.fence, claimed_at = s.claimed_at, failed_at = now(),
      error_code = 'outcome_unknown',
      error_reason = case
        when s.voice then 'The platform never said whether it made the call; it was not made again'
        else 'The platform never said whether it took the message; it was not sent again'
      end
    from settled as s where s.again is not true and n.company_id = s.company_id and n.id = s.id
  ),
  gone as (
    delete from outbound.queue as n using settled as s
    where s.again is not true and n.company_id = s.company_id and n.id = s.id
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
  into again, failed, moves, requeued_companies, requeued, planned_companies, planned_senders, silent_accounts
  from settled as s;
end
$$;
revoke execute on function outbound.decide_unconfirmed from public;
