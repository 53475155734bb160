-- Returns a time before which no lease and no wait ends. An old snapshot keeps an index entry for every lease that
-- ended since, and each tick would step over all of them. Each tick moves this time on. Once per minute it reads from
-- the beginning, and so finds a lease that ended before this time after all, because its transaction took that long.
create function outbound.leases_from()
returns timestamptz
language sql stable security invoker set search_path = ''
return coalesce((
  select (s.value #>> '{}')::timestamptz from outbound.settings as s where s.name = 'leases_from'
), '-infinity');
revoke execute on function outbound.leases_from from public;

-- Moves the time before which no lease ends (leases_from) on, from p_leases_from.
create function outbound.move_leases_from(p_leases_from timestamptz)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  insert into outbound.settings as s (name, value)
  values ('leases_from', to_jsonb(least(now() - interval '10 seconds', (
    select min(n.lease_until) from outbound.queue as n
    where n.status in ('sending', 'unconfirmed') and n.lease_until >= p_leases_from
  ))))
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now();
end
$$;
revoke execute on function outbound.move_leases_from from public;

-- Records that a tick runs, which GET /health reads, and returns the last time without ticks: how long it was, and when
-- it ended.
create function outbound.record_tick(p_by text, out missed_ticks interval, out awake_since timestamptz)
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.settings as s (name, value)
  select 'missed_ticks', to_jsonb(extract(epoch from now() - max(t.updated_at)))
  from outbound.settings as t where t.name like 'last\_tick:%'
  having max(t.updated_at) < now() - interval '90 seconds'
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now();
  select make_interval(secs => s.value::float8), s.updated_at into missed_ticks, awake_since
  from outbound.settings as s where s.name = 'missed_ticks';

  insert into outbound.settings as s (name, value) values ('last_tick:' || p_by, to_jsonb(now()))
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now()
    where s.updated_at < now() - interval '1 second';
end
$$;
revoke execute on function outbound.record_tick from public;

-- Does what time alone brings about: rescues what a dead worker left, settles what the platform said nothing of,
-- expires what is too late. Dispatchers and pg_cron call it every second; one of them at a time does the work, the
-- others return {busy}. Notifications that come due need none of it: claims read their due times.
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
  v_leases_from timestamptz := outbound.leases_from();
  v_awake record;
  v_rescued int;
  v_unconfirmed record;
  v_late record;
  v_moves jsonb;
  v_repaired_turns int := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('outbound.tick', 0)) then
    return jsonb_build_object('busy', true);
  end if;
  v_awake := outbound.record_tick(p_by);

  perform outbound.expire_handoffs(p_limit);

  v_rescued := outbound.rescue_lost_leases(p_limit, p_window, v_leases_from);
  v_unconfirmed := outbound.settle_unconfirmed(
    p_limit, p_window, v_leases_from, v_awake.missed_ticks, v_awake.awake_since);
  v_late := outbound.expire_notifications(p_limit);

  -- Together and last: every transaction locks its campaigns once, in their order.
  v_moves := coalesce(v_unconfirmed.moves, '[]') || coalesce(v_late.moves, '[]');
  if v_moves <> '[]' then
    perform outbound.move_campaign_counters(v_moves);
  end if;
  perform outbound.close_campaigns(p_limit);
  perform outbound.schedule_lost_deliveries(v_leases_from);
  if v_unconfirmed.requeued is not null then
    perform outbound.stop_requeued(v_unconfirmed.requeued_companies, v_unconfirmed.requeued);
  end if;
  if v_unconfirmed.planned_senders is not null then
    perform outbound.schedule_senders(v_unconfirmed.planned_companies, v_unconfirmed.planned_senders, true);
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
  perform outbound.move_leases_from(v_leases_from);
  perform outbound.move_due_from(v_leases_from = '-infinity');

  return jsonb_strip_nulls(jsonb_build_object(
    'rescued', v_rescued, 'resent', v_unconfirmed.again, 'failed_unknown', v_unconfirmed.failed,
    'expired', v_late.expired, 'repaired_turns', v_repaired_turns, 'silent_accounts', v_unconfirmed.silent_accounts
  ));
end
$$;
revoke execute on function outbound.tick from public;
