-- Records the outcomes of tries by p_worker, each an object:
--   company_id, id, fence, attempt, started_at, http_status, error_code, reason, and outcome:
--   sent (platform_message_id, held_for_quality), failed (error_code, reason),
--   retry (retry_in_s: refused for now), not_sent (retry_in_s: it never left, so the try does not count),
--   unknown (the platform may have accepted it: wait p_window for its event), released (handed back untried),
--   postponed (error_code, retry_in_s: untried too, its time has not come; its time to live grows by as much),
--   skipped (error_code: untried too, a rule about the recipient keeps it from leaving).
-- The try is always recorded, if its notification still exists: a first one that sends it in its own row, any other in
-- delivery_attempts. If only the lease ran out, the outcome counts as if it had come in time. That a message was sent
-- counts also for an earlier try, and when the row has failed as unknown or expired, was queued again, was cancelled
-- or was skipped since: what was accepted must not be sent twice. While another try is under way the row keeps its
-- state.
-- The platform's message id contains the number: if the recipient was erased meanwhile, it is not stored.
-- Returns how many rows changed state.
create function outbound.finish_notifications(p_worker text, p_results jsonb, p_window interval)
returns int
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per result. A plan is kept for the life of the connection, and may have been made for an
-- empty queue.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_moves jsonb;
  v_changed int;
  v_companies uuid[];
  v_requeued uuid[];
  v_senders uuid[];
  v_times timestamptz[];
  v_called text[];
  v_refusing_companies uuid[];
  v_refused uuid[];
  v_refusals text[];
  v_calling_companies uuid[];
  v_callers uuid[];
begin
  with locked as materialized (
    select n.company_id, n.id, n.status, num_nonnulls(n.number, n.user_id) = 0 as is_erased,
      n.fence = r.fence as is_last_try, n.worker, n.error_code as was_error_code,
      r.attempt, r.fence, r.started_at, r.outcome, r.http_status, r.error_code, r.reason, r.retry_in_s,
      r.platform_message_id, r.held_for_quality
    from jsonb_to_recordset(p_results) as r(
      company_id uuid, id uuid, attempt smallint, fence int, started_at timestamptz, outcome text, http_status int,
      error_code text, reason text, retry_in_s float8, platform_message_id text, held_for_quality boolean
    )
    join outbound.notifications as n on n.company_id = r.company_id and n.id = r.id
    order by n.id for update of n
  ),
  attempted as (
    insert into outbound.delivery_attempts as a (
      company_id, notification_id, attempt, fence, worker, started_at, outcome, http_status, error_code, reason,
      platform_message_id
    )
    select n.company_id, n.id, n.attempt, n.fence, p_worker, n.started_at, n.outcome, n.http_status, n.error_code,
      n.reason, case when not n.is_erased then n.platform_message_id end
    from locked as n
    where n.outcome not in ('released', 'postponed', 'skipped')
      and not (n.outcome = 'sent' and n.fence = 1 and n.is_last_try and n.status = 'sending' and n.worker = p_worker)
    on conflict on constraint delivery_attempts_pkey do update
      set worker = excluded.worker, outcome = excluded.outcome, http_status = excluded.http_status,
        error_code = excluded.error_code, reason = excluded.reason, finished_at = now(),
        platform_message_id = coalesce(excluded.platform_message_id, a.platform_message_id)
  ),
  applicable as (
    select r.company_id, r.id, r.status as was, r.is_erased, r.error_code, r.reason, r.retry_in_s, r.held_for_quality,
      case when earlier.platform_message_id is null then r.outcome else 'sent' end as outcome,
      coalesce(earlier.platform_message_id, r.platform_message_id) as platform_message_id
    from locked as r
    -- The outcome of an earlier try may have been recorded while this one was under way.
    left join lateral (
      select a.platform_message_id from outbound.delivery_attempts as a
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
      -- Queued with a code: the platform itself has reported that this try could not be delivered.
      when 'queued' then r.outcome = 'sent' and (r.was_error_code is null or not r.is_last_try)
      when 'failed' then r.outcome = 'sent' and r.was_error_code in ('outcome_unknown', 'expired')
      when 'cancelled' then r.outcome = 'sent'
      when 'skipped' then r.outcome = 'sent'
      else false end
  ),
  finished as (
    update outbound.notifications as n
    set status = case applicable.outcome
        when 'sent' then 'sent' when 'failed' then 'failed' when 'unknown' then 'unconfirmed'
        when 'skipped' then 'skipped' else 'queued' end,
      worker = null,
      attempt = n.attempt - case when applicable.outcome in ('not_sent', 'released', 'postponed', 'skipped')
        then 1 else 0 end,
      lease_until = case when applicable.outcome = 'unknown' then clock_timestamp() + p_window end,
      run_at = case when applicable.outcome in ('retry', 'not_sent', 'postponed')
        then clock_timestamp() + make_interval(secs => coalesce(applicable.retry_in_s, 0)) else n.run_at end,
      expires_at = case when applicable.outcome = 'postponed'
        then n.expires_at + make_interval(secs => applicable.retry_in_s) else n.expires_at end,
      platform_message_id = case when not applicable.is_erased
        then coalesce(applicable.platform_message_id, n.platform_message_id) end,
      sent_at = case when applicable.outcome = 'sent' then clock_timestamp() end,
      held_for_quality = case when applicable.outcome = 'sent' then applicable.held_for_quality end,
      failed_at = case when applicable.outcome = 'failed' then clock_timestamp() end,
      skipped_at = case when applicable.outcome = 'skipped' then clock_timestamp() end,
      error_code = case when applicable.outcome = 'sent' then null else applicable.error_code end,
      error_reason = case applicable.outcome when 'sent' then null
        when 'skipped' then outbound.skip_reason(applicable.error_code) else applicable.reason end
    from applicable
    where n.company_id = applicable.company_id and n.id = applicable.id
    returning n.company_id, n.id, n.campaign_id, n.sender_id, n.status, n.run_at, n.voice, applicable.was,
      applicable.outcome,
      case when n.voice and n.status = 'sent'
        then coalesce(applicable.platform_message_id, n.platform_message_id) end as called,
      case when n.status = 'failed' and n.error_code in ('131049', '131050') then n.error_code end as refusal
  )
  select
    (select count(*) from finished),
    -- Summed up before it becomes JSON, because making JSON costs more than summing.
    (
      select jsonb_agg(to_jsonb(move)) from (
        select f.company_id, f.campaign_id,
          sum((f.outcome = 'unknown')::int - (f.was in ('sending', 'unconfirmed'))::int) as processing,
          sum((f.outcome = 'sent')::int) as sent,
          sum((f.outcome = 'failed')::int - (f.was = 'failed')::int) as failed,
          sum(- (f.was = 'cancelled')::int) as cancelled,
          sum((f.status = 'skipped')::int - (f.was = 'skipped')::int) as skipped,
          sum((f.status = 'queued')::int - (f.was = 'queued')::int) as pending
        from finished as f group by f.company_id, f.campaign_id
      ) as move
    ),
    (select array_agg(f.company_id order by f.id) from finished as f where f.status = 'queued'),
    (select array_agg(f.id order by f.id) from finished as f where f.status = 'queued'),
    (select array_agg(f.sender_id order by f.id) from finished as f where f.status = 'queued'),
    (select array_agg(f.run_at order by f.id) from finished as f where f.status = 'queued'),
    (select array_agg(f.called) from finished as f where f.called is not null),
    (select array_agg(f.company_id order by f.id) from finished as f where f.refusal is not null),
    (select array_agg(f.id order by f.id) from finished as f where f.refusal is not null),
    (select array_agg(f.refusal order by f.id) from finished as f where f.refusal is not null),
    (select array_agg(f.company_id) from finished as f where f.voice and f.status in ('queued', 'failed')),
    (select array_agg(f.sender_id) from finished as f where f.voice and f.status in ('queued', 'failed'))
  into v_changed, v_moves, v_companies, v_requeued, v_senders, v_times, v_called, v_refusing_companies, v_refused,
    v_refusals, v_calling_companies, v_callers;

  if v_moves is not null then
    perform outbound.move_campaign_counters(v_moves);
  end if;
  if v_requeued is not null then
    perform outbound.stop_requeued(v_companies, v_requeued);
  end if;
  if v_called is not null then
    perform outbound.retry_events_of_calls(v_called);
  end if;
  if v_refused is not null then
    perform outbound.record_marketing_refusals(
      v_refusing_companies, v_refused, v_refusals, array_fill(now(), array[cardinality(v_refused)]));
  end if;
  -- In one statement, because a transaction locks all its turns at once. A call that is over frees its line.
  if v_callers is not null then
    perform outbound.schedule_senders(v_calling_companies || v_companies, v_callers || v_senders, true);
  elsif v_requeued is not null then
    perform outbound.advance_senders(v_companies, v_senders, v_times);
  end if;
  return v_changed;
end
$$;
revoke execute on function outbound.finish_notifications from public;
