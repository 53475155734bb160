set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.webhook_endpoints drop constraint webhook_endpoints_types_check;

alter table outbound.webhook_endpoints add constraint webhook_endpoints_types_check CHECK (((cardinality(event_types) > 0) AND (event_types <@ ARRAY['notification.sent'::text, 'notification.delivered'::text, 'notification.read'::text, 'notification.failed'::text, 'notification.skipped'::text, 'campaign.completed'::text, 'template.status_changed'::text, 'sender.status_changed'::text, 'sender.updated'::text, 'flow.triggered'::text, 'message.received'::text, 'message.failed'::text, 'contact.opted_out'::text, 'contact.opted_in'::text, 'conversation.started'::text, 'conversation.message'::text, 'handoff.requested'::text, 'handoff.ended'::text, 'key.expiring'::text])));

-- Writes key.expiring for keys that end soon, for up to p_limit of those that are due, the oldest first, and plans their
-- next warning. Returns how many.
create or replace function outbound.report_expiring_keys(p_limit int)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_key record;
  v_count int := 0;
begin
  for v_key in
    select k.company_id, k.id, k.name, k.expires_at from outbound.api_keys as k
    where k.warn_at <= now() order by k.warn_at limit p_limit for no key update skip locked
  loop
    update outbound.api_keys as k set warn_at = outbound.next_key_warning(v_key.expires_at)
    where k.company_id = v_key.company_id and k.id = v_key.id;
    if v_key.expires_at > now() then
      v_count := v_count + 1;
      perform outbound.write_event(v_key.company_id, 'key.expiring', now(), json_build_object(
        'company_id', v_key.company_id, 'key_id', v_key.id, 'name', v_key.name,
        'expires_at', outbound.iso_time(v_key.expires_at)
      ));
    end if;
  end loop;
  return v_count;
end
$$;

revoke execute on function outbound.report_expiring_keys from public;

-- Does one step of what time alone brings about, or returns {busy} while another caller does one, {standby} in a database
-- that is not the one that works:
--   rescue: what a dead worker left (rescued), and hand-overs that were not taken;
--   settle: what the platform said nothing of (resent, failed_unknown), and silent_accounts, [{company_id, waba_id,
--     messages, refused}, …]: accounts whose messages wait because no event of theirs can arrive;
--   expire: what is too late (expired);
--   close: campaigns that are over, deliveries that a dead worker left, and warnings of keys that end soon;
--   schedules: the times by which claims and ticks find what is due (repaired_turns).
-- Each figure counts notifications. Dispatchers and pg_cron do each step in a transaction of its own, so that locks are
-- held for one step and a step that fails undoes no other. Notifications that come due need none of it: claims read
-- their due times.
create or replace function outbound.tick_step(
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

reset check_function_bodies;
