-- Records the outcomes of attempts to send replies, each an object: company_id, id, fence, error_code, reason, and
-- outcome:
--   sent (platform_message_id), failed, retry (retry_in_s: refused for now; failed after max_attempts()),
--   not_sent (retry_in_s: it never left, so the attempt does not count), released (handed back untried),
--   unknown (the platform may have it: wait p_window for its receipt).
-- If only the lease ran out meanwhile, the outcome counts as if it had come in time; that a reply was sent counts also
-- after it failed as unknown. Recording twice changes nothing.
-- Returns how many rows changed state.
create function outbound.finish_replies(p_results jsonb, p_window interval)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_changed int;
  v_companies uuid[];
  v_failed uuid[];
  v_waiting_companies uuid[];
  v_senders uuid[];
  v_times timestamptz[];
begin
  with locked as materialized (
    select m.company_id, m.id, r.platform_message_id, r.error_code, r.reason, r.retry_in_s,
      case when r.outcome = 'retry' and m.attempt >= outbound.max_attempts() then 'failed' else r.outcome end as outcome
    from jsonb_to_recordset(p_results) as r(
      company_id uuid, id uuid, fence int, outcome text, platform_message_id text, error_code text, reason text,
      retry_in_s float8
    )
    join outbound.contact_messages as m on m.company_id = r.company_id and m.id = r.id
    where m.fence = r.fence and (
      m.status = 'sending'
      or m.status = 'unconfirmed' and r.outcome <> 'unknown'
      or m.status = 'failed' and m.error_code = 'outcome_unknown' and r.outcome = 'sent'
    )
    order by m.company_id, m.id for update of m
  ),
  finished as (
    update outbound.contact_messages as m
    set status = case locked.outcome
        when 'sent' then 'sent' when 'failed' then 'failed' when 'unknown' then 'unconfirmed' else 'queued' end,
      attempt = m.attempt - case when locked.outcome in ('not_sent', 'released') then 1 else 0 end,
      worker = null,
      lease_until = case when locked.outcome = 'unknown' then clock_timestamp() + p_window end,
      run_at = case when locked.outcome in ('retry', 'not_sent')
        then clock_timestamp() + make_interval(secs => coalesce(locked.retry_in_s, 0)) else m.run_at end,
      platform_message_id = coalesce(locked.platform_message_id, m.platform_message_id),
      error_code = case when locked.outcome <> 'sent' then locked.error_code end,
      error_reason = case when locked.outcome <> 'sent' then locked.reason end
    from locked where m.company_id = locked.company_id and m.id = locked.id
    returning m.company_id, m.id, m.sender_id, m.run_at, m.status
  )
  select count(*), array_agg(f.company_id) filter (where f.status = 'failed'),
    array_agg(f.id) filter (where f.status = 'failed'),
    array_agg(f.company_id) filter (where f.status = 'queued'),
    array_agg(f.sender_id) filter (where f.status = 'queued'), array_agg(f.run_at) filter (where f.status = 'queued')
  into v_changed, v_companies, v_failed, v_waiting_companies, v_senders, v_times from finished as f;
  perform outbound.report_failed_messages(v_companies, v_failed);
  if v_senders is not null then
    perform outbound.schedule_replies(v_waiting_companies, v_senders, v_times);
  end if;
  return v_changed;
end
$$;
revoke execute on function outbound.finish_replies from public;
