-- Records how attempts by p_worker went, each an object:
--   company_id, event_id, attempt, outcome (succeeded, failed, or released: handed back unsent, due at once),
--     response_status, response_body, error, duration_ms, retry_in_s (null: that was the last attempt), gone (the
--     endpoint wants no more events: the webhook stops).
-- An attempt that another worker has claimed since changes nothing; one that is handed back after the webhook was
-- switched off has failed. Returns how many were recorded.
create function outbound.finish_deliveries(p_worker text, p_results jsonb)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_done jsonb;
begin
  -- No claim runs meanwhile (claim_deliveries), and nothing else of this kind beside what adds companies to
  -- webhook_schedule: that locks those which are there in their order first, and would then wait out of order for one
  -- that another adds.
  if exists (select from jsonb_to_recordset(p_results) as r(outcome text) where r.outcome <> 'succeeded') then
    perform pg_advisory_xact_lock(hashtextextended('outbound.claim_deliveries', 0));
  else
    perform pg_advisory_xact_lock_shared(hashtextextended('outbound.claim_deliveries', 0));
  end if;
  with locked as (
    select d.company_id, d.event_id, d.attempt, d.attempt_since_replay, r.response_status, r.response_body,
      case when r.outcome <> 'released' or w.is_active then r.outcome else 'failed' end as outcome,
      case when r.outcome <> 'released' or w.is_active then r.error else 'The webhook was switched off' end as error,
      r.duration_ms, r.retry_in_s, coalesce(r.gone, false) as gone
    from jsonb_to_recordset(p_results) as r(
      company_id uuid, event_id text, attempt int, outcome text, response_status int, response_body text,
      error text, duration_ms int, retry_in_s float8, gone boolean
    )
    join outbound.webhook_deliveries as d
      on d.company_id = r.company_id and d.event_id = r.event_id and d.attempt = r.attempt
    left join outbound.webhooks as w on w.company_id = d.company_id
    where d.status = 'pending' and d.worker = p_worker
    order by d.company_id, d.event_id for update of d
  ),
  finished as (
    update outbound.webhook_deliveries as d
    set status = case locked.outcome when 'released' then 'pending' else locked.outcome end, worker = null,
      run_at = case locked.outcome when 'released' then clock_timestamp() else d.run_at end,
      finished_at = case when locked.outcome <> 'released' then clock_timestamp() end,
      response_status = locked.response_status, response_body = locked.response_body, error = locked.error,
      duration_ms = locked.duration_ms
    from locked
    where d.company_id = locked.company_id and d.event_id = locked.event_id and d.attempt = locked.attempt
    returning locked.*
  ),
  again as (
    insert into outbound.webhook_deliveries (company_id, event_id, attempt, attempt_since_replay, run_at, deferred)
    select f.company_id, f.event_id, f.attempt + 1, f.attempt_since_replay + 1,
      clock_timestamp() + make_interval(secs => f.retry_in_s), true
    from finished as f
    join outbound.webhooks as w on w.company_id = f.company_id and w.is_active
    where f.outcome = 'failed' and f.retry_in_s is not null and not f.gone
    on conflict on constraint webhook_deliveries_pkey do nothing
  )
  select jsonb_agg(jsonb_build_object(
    'company_id', f.company_id, 'outcome', f.outcome, 'gone', f.gone,
    'due_in_s', case f.outcome when 'released' then 0 else f.retry_in_s end
  ))
  into v_done from finished as f;
  if v_done is null then
    return 0;
  end if;

  with result as (
    select f.company_id, bool_or(f.outcome = 'succeeded') as responded, count(*)::int as attempts
    from jsonb_to_recordset(v_done) as f(company_id uuid, outcome text)
    where f.outcome <> 'released' group by f.company_id
  ),
  locked as (
    select w.company_id, result.responded, result.attempts from outbound.webhooks as w
    join result on result.company_id = w.company_id
    where not result.responded or w.failures > 0
    order by w.company_id for no key update of w
  )
  update outbound.webhooks as w set failures = case when locked.responded then 0 else w.failures + locked.attempts end
  from locked where w.company_id = locked.company_id;

  -- A place at the endpoint is free, so what it could not take before may go now.
  with due as (
    select f.company_id, f.at, w.is_failing
    from (
      select d.company_id, now() + make_interval(secs => min(d.due_in_s)) as at
      from jsonb_to_recordset(v_done) as d(company_id uuid, due_in_s float8)
      group by d.company_id
    ) as f
    cross join lateral (
      select o.failures >= outbound.endpoint_fails_after() as is_failing from outbound.webhooks as o
      where o.company_id = f.company_id limit 1
    ) as w
    order by f.company_id
  ),
  freed as (
    select s.company_id, due.is_failing from due
    cross join lateral (
      select w.company_id from outbound.webhook_schedule as w where w.company_id = due.company_id for no key update
    ) as s
  ),
  hurried as (
    update outbound.webhook_schedule as s
    set is_failing = freed.is_failing, due_at = least(s.due_at, clock_timestamp())
    from freed
    where s.company_id = freed.company_id and (s.due_at > clock_timestamp() or s.is_failing <> freed.is_failing)
  )
  insert into outbound.webhook_schedule as s (company_id, is_failing, due_at)
  select due.company_id, due.is_failing, due.at from due
  where due.at is not null and not exists (select from freed where freed.company_id = due.company_id)
  order by due.company_id
  on conflict on constraint webhook_schedule_pkey do update set due_at = least(s.due_at, excluded.due_at);

  perform outbound.stop_webhook(gone.company_id, 'The endpoint answered 410: it wants no more events')
  from (
    select distinct f.company_id from jsonb_to_recordset(v_done) as f(company_id uuid, gone boolean)
    where f.gone order by f.company_id
  ) as gone;
  return jsonb_array_length(v_done);
end
$$;
revoke execute on function outbound.finish_deliveries from public;
