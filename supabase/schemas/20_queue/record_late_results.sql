-- Records the results of attempts whose notifications have left the queue, which finish_notifications describes: that
-- the message was sent counts where the notification has failed as unknown or expired, was cancelled or was skipped
-- since. Results of notifications that are in the queue are left alone. Returns how many rows changed state, what
-- move_campaign_counters is to move, and what follow_up_results is to follow up. A step of finish_notifications.
create function outbound.record_late_results(
  p_worker text, p_results jsonb, out changed int, out moves jsonb, out settled jsonb
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per result.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_attempts jsonb;
begin
  with locked as materialized (
    select n.company_id, n.id, n.status, n.error_code as was_error_code,
      r.attempt, r.fence, r.started_at, r.outcome, r.http_status, r.error_code, r.reason, r.held_for_quality,
      case when num_nonnulls(n.number, n.user_id) > 0 then r.platform_message_id end as platform_message_id
    from jsonb_to_recordset(p_results) as r(
      company_id uuid, id uuid, attempt smallint, fence int, started_at timestamptz, outcome text, http_status int,
      error_code text, reason text, platform_message_id text, held_for_quality boolean
    )
    join outbound.notification_facts as n on n.company_id = r.company_id and n.id = r.id
    where n.status is not null
    order by n.id for update of n
  ),
  finished as (
    update outbound.notification_facts as n
    set status = 'sent', sent_at = clock_timestamp(), held_for_quality = r.held_for_quality, failed_at = null,
      skipped_at = null, error_code = null, error_reason = null,
      platform_message_id = coalesce(r.platform_message_id, n.platform_message_id)
    from locked as r
    where n.company_id = r.company_id and n.id = r.id and r.outcome = 'sent'
      and (r.status in ('cancelled', 'skipped')
        or r.status = 'failed' and r.was_error_code in ('outcome_unknown', 'expired'))
      -- It failed after it was sent.
      and (n.fence = r.fence or not exists (
        select from outbound.delivery_attempts as a
        where a.company_id = r.company_id and a.notification_id = r.id and a.fence = r.fence
          and a.error_code is not null
      ))
    returning n.company_id, n.id, n.campaign_id, n.sender_id, n.voice, n.status, n.platform_message_id, r.status as was
  )
  select count(*), coalesce(jsonb_agg(jsonb_build_object(
      'company_id', f.company_id, 'campaign_id', f.campaign_id, 'sent', 1, 'failed', - (f.was = 'failed')::int,
      'cancelled', - (f.was = 'cancelled')::int, 'skipped', - (f.was = 'skipped')::int
    )), '[]'), coalesce(jsonb_agg(to_jsonb(f)) filter (where f.voice), '[]'),
    (select jsonb_agg(to_jsonb(l)) from locked as l where l.outcome not in ('released', 'postponed', 'skipped'))
  into changed, moves, settled, v_attempts
  from finished as f;
  if v_attempts is not null then
    perform outbound.record_attempts(p_worker, v_attempts);
  end if;
end
$$;
revoke execute on function outbound.record_late_results from public;
