-- Puts notifications back into the queue, or lets them wait for the platform's report, after attempts that neither sent
-- them nor failed for good: [{company_id, id, was (the state), outcome, error_code, reason, retry_in_s}, …], as
-- finish_notifications describes them. The caller has locked them. Returns how many rows changed, what
-- move_campaign_counters is to move, and what follow_up_results is to follow up. A step of finish_notifications.
create function outbound.requeue_notifications(
  p_results jsonb, p_window interval, out changed int, out moves jsonb, out settled jsonb
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per result.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  with requeued as (
    update outbound.queue as q
    set status = case r.outcome when 'unknown' then 'unconfirmed' else 'queued' end, worker = null,
      attempt = q.attempt - (r.outcome in ('not_sent', 'released', 'postponed'))::int,
      lease_until = case when r.outcome = 'unknown' then clock_timestamp() + p_window end,
      run_at = case when r.outcome in ('retry', 'not_sent', 'postponed')
        then clock_timestamp() + make_interval(secs => coalesce(r.retry_in_s, 0)) else q.run_at end,
      expires_at = case when r.outcome = 'postponed'
        then q.expires_at + make_interval(secs => r.retry_in_s) else q.expires_at end,
      error_code = r.error_code, error_reason = r.reason
    from jsonb_to_recordset(p_results) as r(
      company_id uuid, id uuid, was text, outcome text, error_code text, reason text, retry_in_s float8
    )
    where q.company_id = r.company_id and q.id = r.id
    returning q.company_id, q.id, q.campaign_id, q.sender_id, q.voice, r.was, q.status, q.run_at
  )
  select count(*), coalesce((
      select jsonb_agg(to_jsonb(move)) from (
        select q.company_id, q.campaign_id, sum((q.status = 'queued')::int - (q.was = 'queued')::int) as pending,
          sum((q.status = 'unconfirmed')::int - (q.was <> 'queued')::int) as processing
        from requeued as q group by q.company_id, q.campaign_id
      ) as move
    ), '[]'),
    coalesce(jsonb_agg(to_jsonb(r) order by r.id) filter (where r.status = 'queued'), '[]')
  into changed, moves, settled
  from requeued as r;
end
$$;
revoke execute on function outbound.requeue_notifications from public;
