-- Finishes what finish_first_attempts does not, by the rules of finish_notifications. Returns how many rows changed
-- state, what move_campaign_counters is to move, and what follow_up_results is to follow up. A step of
-- finish_notifications.
create function outbound.finish_other_attempts(
  p_worker text, p_results jsonb, p_window interval, out changed int, out moves jsonb, out settled jsonb
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per result. A plan is kept for the life of the connection, and may have been made for an
-- empty queue.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_locked text[];
  v_late jsonb;
  v_attempts jsonb;
  v_requeue jsonb;
  v_more record;
begin
  with locked as materialized (
    select q.company_id, q.id, q.status, q.fence = r.fence as is_last_try, q.worker, q.error_code as was_error_code,
      r.attempt, r.fence, r.started_at, r.outcome, r.http_status, r.error_code, r.reason, r.retry_in_s,
      r.platform_message_id, r.held_for_quality
    from jsonb_to_recordset(p_results) as r(
      company_id uuid, id uuid, attempt smallint, fence int, started_at timestamptz, outcome text, http_status int,
      error_code text, reason text, retry_in_s float8, platform_message_id text, held_for_quality boolean
    )
    join outbound.queue as q on q.company_id = r.company_id and q.id = r.id
    order by q.id for update of q
  ),
  applicable as materialized (
    select r.company_id, r.id, r.status as was, r.error_code, r.reason, r.retry_in_s, r.held_for_quality,
      r.outcome in ('not_sent', 'released', 'postponed', 'skipped') as is_untried,
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
      else r.outcome = 'sent' and (r.was_error_code is null or not r.is_last_try) end
  ),
  gone as (
    delete from outbound.queue as q using applicable as r
    where r.outcome in ('sent', 'failed', 'skipped') and q.company_id = r.company_id and q.id = r.id
    returning q.company_id, q.id, q.attempt - r.is_untried::int as attempt, q.fence, q.claimed_at,
      r.was, r.outcome, r.platform_message_id, r.held_for_quality, r.error_code, r.reason
  ),
  finished as (
    update outbound.notification_facts as n
    set status = gone.outcome, attempt = gone.attempt, fence = gone.fence, claimed_at = gone.claimed_at,
      platform_message_id = coalesce(gone.platform_message_id, n.platform_message_id),
      sent_at = case when gone.outcome = 'sent' then clock_timestamp() end,
      held_for_quality = case when gone.outcome = 'sent' then gone.held_for_quality end,
      failed_at = case when gone.outcome = 'failed' then clock_timestamp() end,
      skipped_at = case when gone.outcome = 'skipped' then clock_timestamp() end,
      error_code = case when gone.outcome <> 'sent' then gone.error_code end,
      error_reason = case gone.outcome when 'skipped' then outbound.skip_reason(gone.error_code)
        when 'failed' then gone.reason end
    from gone where n.company_id = gone.company_id and n.id = gone.id
    returning n.company_id, n.id, n.campaign_id, n.sender_id, n.voice, gone.was, n.status,
      n.platform_message_id, n.error_code
  )
  select
    (select array_agg(l.id::text) from locked as l), (select count(*) from finished),
    -- Summed up before it becomes JSON, because making JSON costs more than summing.
    coalesce((
      select jsonb_agg(to_jsonb(move)) from (
        select f.company_id, f.campaign_id, - count(*) filter (where f.was = 'queued') as pending,
          - count(*) filter (where f.was <> 'queued') as processing, count(*) filter (where f.status = 'sent') as sent,
          count(*) filter (where f.status = 'failed') as failed, count(*) filter (where f.status = 'skipped') as skipped
        from finished as f group by f.company_id, f.campaign_id
      ) as move
    ), '[]'),
    (
      select jsonb_agg(to_jsonb(l)) from locked as l where l.outcome not in ('released', 'postponed', 'skipped')
        and not (l.outcome = 'sent' and l.fence = 1 and l.is_last_try and l.status = 'sending' and l.worker = p_worker)
    ),
    (select jsonb_agg(to_jsonb(a)) from applicable as a where a.outcome not in ('sent', 'failed', 'skipped')),
    coalesce((select jsonb_agg(to_jsonb(f)) from finished as f where f.voice or f.status = 'failed'), '[]')
  into v_locked, changed, moves, v_attempts, v_requeue, settled;

  if v_requeue is not null then
    v_more := outbound.requeue_notifications(v_requeue, p_window);
    changed := changed + v_more.changed;
    moves := moves || v_more.moves;
    settled := settled || v_more.settled;
  end if;
  v_late := outbound.results_without(p_results, v_locked);
  if v_late is not null then
    v_more := outbound.record_late_results(p_worker, v_late);
    changed := changed + v_more.changed;
    moves := moves || v_more.moves;
    settled := settled || v_more.settled;
  end if;
  if v_attempts is not null then
    perform outbound.record_attempts(p_worker, v_attempts);
  end if;
end
$$;
revoke execute on function outbound.finish_other_attempts from public;
