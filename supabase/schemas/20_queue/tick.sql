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

-- Records that a tick runs, which GET /health reads, and how long no tick had run before it.
create function outbound.mark_tick(p_by text)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.settings as s (name, value)
  select 'missed_ticks', to_jsonb(extract(epoch from now() - max(t.updated_at)))
  from outbound.settings as t where t.name like 'last\_tick:%'
  having max(t.updated_at) < now() - interval '90 seconds'
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now();

  insert into outbound.settings as s (name, value) values ('last_tick:' || p_by, to_jsonb(now()))
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now()
    where s.updated_at < now() - interval '1 second';
end
$$;
revoke execute on function outbound.mark_tick from public;

-- Keeps the times by which claims and ticks find what is due; once per minute it repairs what should not have gone
-- wrong. Returns how many turns of senders it repaired. The last step of tick.
create function outbound.keep_schedules()
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_repaired_turns int := 0;
  v_from_first boolean;
begin
  insert into outbound.settings as s (name, value) values ('last_turn_repair', to_jsonb(now()))
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now()
    where outbound.is_window_over(s.updated_at, interval '1 minute');
  v_from_first := found;
  if v_from_first then
    v_repaired_turns := outbound.repair_sender_schedule();
    perform outbound.repair_webhook_schedule();
    perform outbound.repair_reply_schedule();
  end if;
  perform outbound.move_leases_from(case when v_from_first then '-infinity' else outbound.leases_from() end);
  perform outbound.move_due_from(v_from_first);
  return v_repaired_turns;
end
$$;
revoke execute on function outbound.keep_schedules from public;

-- Does one step of what time alone brings about, or returns {busy} while another caller does one, {standby} in a database
-- that is not the one that works:
--   rescue: what a dead worker left (rescued), hand-overs that were not taken, and replies that were not read;
--   settle: what the platform said nothing of (resent, failed_unknown), and silent_accounts, [{company_id, waba_id,
--     messages, refused}, …]: accounts whose messages wait because no event of theirs can arrive;
--   expire: what is too late (expired);
--   close: campaigns that are over, deliveries that a dead worker left, and warnings of keys that end soon;
--   schedules: the times by which claims and ticks find what is due (repaired_turns).
-- Each figure counts notifications. Dispatchers and pg_cron do each step in a transaction of its own, so that locks are
-- held for one step and a step that fails undoes no other. Notifications that come due need none of it: claims read
-- their due times.
create function outbound.tick_step(
  p_step text,
  p_limit int default 10000,
  p_window interval default '120 seconds',
  p_by text default 'dispatcher'
)
returns jsonb
language plpgsql security invoker set search_path = ''
as $$
declare
  v_unconfirmed record;
  v_late record;
  v_did jsonb := '{}'::jsonb;
begin
  if not outbound.is_active_cell() then
    return jsonb_build_object('standby', true);
  end if;
  if not pg_try_advisory_xact_lock(hashtextextended('outbound.tick', 0)) then
    return jsonb_build_object('busy', true);
  end if;

  case p_step
    when 'rescue' then
      perform outbound.mark_tick(p_by);
      perform outbound.expire_handoffs(p_limit);
      perform outbound.follow_up_conversations(p_limit);
      v_did := jsonb_build_object('rescued', outbound.rescue_lost_leases(p_limit, p_window, outbound.leases_from()));

    when 'settle' then
      v_unconfirmed := outbound.decide_unconfirmed(p_limit, p_window, outbound.leases_from());
      if v_unconfirmed.moves is not null then
        perform outbound.move_campaign_counters(v_unconfirmed.moves);
      end if;
      if v_unconfirmed.requeued is not null then
        perform outbound.stop_requeued(v_unconfirmed.requeued_companies, v_unconfirmed.requeued);
      end if;
      if v_unconfirmed.planned_senders is not null then
        perform outbound.schedule_senders(v_unconfirmed.planned_companies, v_unconfirmed.planned_senders, true);
      end if;
      v_did := jsonb_strip_nulls(jsonb_build_object('resent', v_unconfirmed.again,
        'failed_unknown', v_unconfirmed.failed, 'silent_accounts', v_unconfirmed.silent_accounts));

    when 'expire' then
      v_late := outbound.expire_notifications(p_limit);
      if v_late.moves is not null then
        perform outbound.move_campaign_counters(v_late.moves);
      end if;
      v_did := jsonb_build_object('expired', v_late.expired);

    when 'close' then
      perform outbound.report_expiring_keys(100);
      perform outbound.close_campaigns(p_limit);
      perform outbound.schedule_lost_deliveries(outbound.leases_from());

    when 'schedules' then
      v_did := jsonb_build_object('repaired_turns', outbound.keep_schedules());
  end case;
  return v_did;
end
$$;
revoke execute on function outbound.tick_step from public;

-- For processes of the release before, which call it every second: does one of the steps of tick_step, now this one, now
-- that one. All in one transaction would lock campaigns twice.
create function outbound.tick(
  p_limit int default 10000,
  p_window interval default '120 seconds',
  p_by text default 'dispatcher'
)
returns jsonb
language plpgsql security invoker set search_path = ''
as $$
begin
  if outbound.is_active_cell() then
    perform outbound.mark_tick(p_by);
  end if;
  return outbound.tick_step(
    (array['rescue', 'settle', 'expire', 'close', 'schedules'])[1 + floor(random() * 5)::int], p_limit, p_window, p_by);
end
$$;
revoke execute on function outbound.tick from public;
