-- Records how attempts by p_worker went, each an object:
--   company_id, event_id, attempt, outcome (succeeded, failed, or released: handed back unsent, due at once),
--     request_headers, response_status, response_body, error, duration_ms, retry_in_s (null: that was the last attempt),
--     gone (the endpoint wants no more events: it stops).
-- An attempt that another worker has claimed since changes nothing; one that is handed back after the webhook was
-- switched off has failed. Returns how many were recorded.
create function outbound.finish_deliveries(p_worker text, p_results jsonb)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_done jsonb;
begin
  -- No claim runs meanwhile (claim_deliveries), and nothing else of this kind beside what adds endpoints to
  -- webhook_schedule: that locks those which are there in their order first, and would then wait out of order for one
  -- that another adds.
  if exists (select from jsonb_to_recordset(p_results) as r(outcome text) where r.outcome <> 'succeeded') then
    perform pg_advisory_xact_lock(hashtextextended('outbound.claim_deliveries', 0));
  else
    perform pg_advisory_xact_lock_shared(hashtextextended('outbound.claim_deliveries', 0));
  end if;
  with locked as (
    select d.company_id, d.endpoint_id, d.event_id, d.attempt, d.attempt_since_replay, r.request_headers,
      r.response_status, r.response_body,
      case when r.outcome <> 'released' or w.is_active then r.outcome else 'failed' end as outcome,
      case when r.outcome <> 'released' or w.is_active then r.error else 'The webhook was switched off' end as error,
      r.duration_ms, r.retry_in_s, coalesce(r.gone, false) as gone
    from jsonb_to_recordset(p_results) as r(
      company_id uuid, event_id text, attempt int, outcome text, request_headers json, response_status int,
      response_body text, error text, duration_ms int, retry_in_s float8, gone boolean
    )
    join outbound.webhook_deliveries as d
      on d.company_id = r.company_id and d.event_id = r.event_id and d.attempt = r.attempt
    left join lateral (
      select e.is_active from outbound.endpoints as e where e.company_id = d.company_id and e.id = d.endpoint_id limit 1
    ) as w on true
    where d.status = 'pending' and d.worker = p_worker
    order by d.company_id, d.event_id for update of d
  ),
  finished as (
    update outbound.webhook_deliveries as d
    set status = case locked.outcome when 'released' then 'pending' else locked.outcome end, worker = null,
      run_at = case locked.outcome when 'released' then clock_timestamp() else d.run_at end,
      finished_at = case when locked.outcome <> 'released' then clock_timestamp() end,
      request_headers = locked.request_headers, response_status = locked.response_status, response_body = locked.response_body, error = locked.error,
      duration_ms = locked.duration_ms
    from locked
    where d.company_id = locked.company_id and d.event_id = locked.event_id and d.attempt = locked.attempt
    returning locked.*
  )
  select jsonb_agg(jsonb_build_object(
    'company_id', f.company_id, 'endpoint_id', f.endpoint_id, 'event_id', f.event_id, 'attempt', f.attempt,
    'attempt_since_replay', f.attempt_since_replay, 'outcome', f.outcome, 'gone', f.gone, 'retry_in_s', f.retry_in_s
  ))
  into v_done from finished as f;
  if v_done is null then
    return 0;
  end if;
  perform outbound.retry_deliveries(v_done);
  perform outbound.count_failures(v_done);
  perform outbound.schedule_endpoints(v_done);
  perform outbound.stop_endpoint(gone.company_id, gone.endpoint_id, 'The endpoint answered 410: it wants no more events')
  from (
    select distinct f.company_id, f.endpoint_id
    from jsonb_to_recordset(v_done) as f(company_id uuid, endpoint_id uuid, gone boolean)
    where f.gone order by f.company_id, f.endpoint_id
  ) as gone;

  insert into outbound.webhook_history as h (company_id, endpoint_id, hour, succeeded, failed)
  select f.company_id, f.endpoint_id, date_trunc('hour', now(), 'UTC'),
    count(*) filter (where f.outcome = 'succeeded'), count(*) filter (where f.outcome = 'failed')
  from jsonb_to_recordset(v_done) as f(company_id uuid, endpoint_id uuid, outcome text)
  where f.outcome <> 'released' group by f.company_id, f.endpoint_id order by f.company_id, f.endpoint_id
  on conflict on constraint webhook_history_pkey do update
    set succeeded = h.succeeded + excluded.succeeded, failed = h.failed + excluded.failed;
  return jsonb_array_length(v_done);
end
$$;
revoke execute on function outbound.finish_deliveries from public;
