-- Delivering outgoing events: fairly between companies, so that an endpoint that does not answer holds up nobody
-- else's, and never the same try by two workers at once.

-- Every company with a delivery that is not done, found by jumping from one to the next in the index.
create function outbound.companies_with_deliveries()
returns table (company_id uuid)
language sql stable security invoker set search_path = ''
as $$
  with recursive busy as (
    (
      select d.company_id from outbound.webhook_deliveries as d
      where d.status = 'pending' order by d.company_id limit 1
    )
    union all
    select following.company_id
    from busy cross join lateral (
      select d.company_id from outbound.webhook_deliveries as d
      where d.status = 'pending' and d.company_id > busy.company_id
      order by d.company_id limit 1
    ) as following
  )
  select busy.company_id from busy
$$;
revoke execute on function outbound.companies_with_deliveries from public;

-- Leases up to p_limit deliveries that are due to p_worker for p_lease; what a dead worker held is due again when its
-- lease ends. Companies take turns. An endpoint gets 16 requests at a time, one in trouble (three failures in a row) 1,
-- and of those p_troubled together.
create function outbound.claim_deliveries(p_worker text, p_limit int, p_troubled int, p_lease interval)
returns table (
  company_id uuid, event_id text, attempt int, try int, payload text, url text,
  secret_sealed text, old_secret_sealed text, troubled boolean
)
language plpgsql security invoker set search_path = ''
as $$
begin
  return query
  with endpoint as materialized (
    select w.company_id, w.url, w.secret_sealed,
      case when w.old_secret_until > now() then w.old_secret_sealed end as old_secret_sealed,
      w.failures >= 3 as troubled,
      greatest(0, case when w.failures >= 3 then 1 else 16 end - held.deliveries) as free
    from outbound.companies_with_deliveries() as busy
    join outbound.webhooks as w on w.company_id = busy.company_id and w.is_active
    cross join lateral (
      select count(*)::int as deliveries from outbound.webhook_deliveries as d
      where d.company_id = w.company_id and d.status = 'pending' and d.worker is not null and d.run_at > now()
    ) as held
  ),
  candidate as (
    select e.company_id, due.event_id, due.attempt, due.run_at, e.troubled,
      row_number() over (partition by e.company_id order by due.run_at, due.event_id) as turn
    from endpoint as e
    cross join lateral (
      select d.event_id, d.attempt, d.run_at from outbound.webhook_deliveries as d
      where d.company_id = e.company_id and d.status = 'pending' and d.run_at <= now()
      order by d.run_at, d.event_id limit e.free
    ) as due
  ),
  ranked as (
    select c.*, row_number() over (partition by c.troubled order by c.turn, c.run_at) as place from candidate as c
  ),
  chosen as (
    select r.company_id, r.event_id, r.attempt from ranked as r
    where not r.troubled or r.place <= p_troubled
    order by r.troubled, r.turn, r.run_at limit p_limit
  ),
  held as (
    select d.company_id, d.event_id, d.attempt from chosen
    join outbound.webhook_deliveries as d
      on d.company_id = chosen.company_id and d.event_id = chosen.event_id and d.attempt = chosen.attempt
    where d.status = 'pending' and d.run_at <= now()
    for update of d skip locked
  ),
  claimed as (
    update outbound.webhook_deliveries as d set worker = p_worker, run_at = clock_timestamp() + p_lease
    from held
    where d.company_id = held.company_id and d.event_id = held.event_id and d.attempt = held.attempt
    returning d.company_id, d.event_id, d.attempt, d.try
  )
  select c.company_id, c.event_id, c.attempt, c.try, o.payload::text, e.url, e.secret_sealed, e.old_secret_sealed,
    e.troubled
  from claimed as c
  join endpoint as e on e.company_id = c.company_id
  join outbound.outgoing_events as o on o.company_id = c.company_id and o.id = c.event_id;
end
$$;
revoke execute on function outbound.claim_deliveries from public;

-- Switches a company's webhook off. What waits is given up; `webhook replay --failed` brings it back. A delivery that
-- somebody has locked is just being finished.
create function outbound.stop_webhook(p_company_id uuid, p_reason text)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  with waiting as (
    select d.event_id, d.attempt from outbound.webhook_deliveries as d
    where d.company_id = p_company_id and d.status = 'pending' and (d.worker is null or d.run_at <= now())
    for update skip locked
  )
  update outbound.webhook_deliveries as d
  set status = 'failed', worker = null, finished_at = now(), error = coalesce(p_reason, 'The webhook was switched off')
  from waiting
  where d.company_id = p_company_id and d.event_id = waiting.event_id and d.attempt = waiting.attempt;
  update outbound.webhooks as w set is_active = false, stopped_reason = p_reason, updated_at = now()
  where w.company_id = p_company_id;
end
$$;
revoke execute on function outbound.stop_webhook from public;

-- Records how tries by p_worker went, each an object:
--   company_id, event_id, attempt, outcome (succeeded or failed), response_status, response_body, error, duration_ms,
--   retry_in_s (null: that was the last try), gone (the endpoint wants no more events: the webhook stops).
-- One that this worker no longer holds changes nothing. Returns how many were written down.
create function outbound.finish_deliveries(p_worker text, p_results jsonb)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_done jsonb;
begin
  with held as (
    select d.company_id, d.event_id, d.attempt, d.try, r.outcome, r.response_status, r.response_body, r.error,
      r.duration_ms, r.retry_in_s, coalesce(r.gone, false) as gone
    from jsonb_to_recordset(p_results) as r(
      company_id uuid, event_id text, attempt int, outcome text, response_status int, response_body text,
      error text, duration_ms int, retry_in_s float8, gone boolean
    )
    join outbound.webhook_deliveries as d
      on d.company_id = r.company_id and d.event_id = r.event_id and d.attempt = r.attempt
    where d.status = 'pending' and d.worker = p_worker
    order by d.company_id, d.event_id for update of d
  ),
  finished as (
    update outbound.webhook_deliveries as d
    set status = held.outcome, worker = null, finished_at = clock_timestamp(),
      response_status = held.response_status, response_body = held.response_body, error = held.error,
      duration_ms = held.duration_ms
    from held
    where d.company_id = held.company_id and d.event_id = held.event_id and d.attempt = held.attempt
    returning held.*
  ),
  again as (
    insert into outbound.webhook_deliveries (company_id, event_id, attempt, try, run_at)
    select f.company_id, f.event_id, f.attempt + 1, f.try + 1, clock_timestamp() + make_interval(secs => f.retry_in_s)
    from finished as f
    join outbound.webhooks as w on w.company_id = f.company_id and w.is_active
    where f.outcome = 'failed' and f.retry_in_s is not null and not f.gone
    on conflict on constraint webhook_deliveries_pkey do nothing
  )
  select jsonb_agg(jsonb_build_object('company_id', f.company_id, 'outcome', f.outcome, 'gone', f.gone))
  into v_done from finished as f;
  if v_done is null then
    return 0;
  end if;

  with told as (
    select f.company_id, bool_or(f.outcome = 'succeeded') as answers, count(*)::int as tries
    from jsonb_to_recordset(v_done) as f(company_id uuid, outcome text) group by f.company_id
  ),
  locked as (
    select w.company_id, told.answers, told.tries from outbound.webhooks as w
    join told on told.company_id = w.company_id
    where not told.answers or w.failures > 0
    order by w.company_id for no key update of w
  )
  update outbound.webhooks as w set failures = case when locked.answers then 0 else w.failures + locked.tries end
  from locked where w.company_id = locked.company_id;

  perform outbound.stop_webhook(gone.company_id, 'The endpoint answered 410: it wants no more events')
  from (
    select distinct f.company_id from jsonb_to_recordset(v_done) as f(company_id uuid, gone boolean)
    where f.gone order by f.company_id
  ) as gone;
  return jsonb_array_length(v_done);
end
$$;
revoke execute on function outbound.finish_deliveries from public;

-- Delivers events again, from the first try on: one (p_event_id), or those whose delivery failed since p_since.
-- What waits for a later try goes now. Returns how many that is.
create function outbound.replay_events(p_company_id uuid, p_event_id text, p_since timestamptz)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_hurried int;
  v_again int;
begin
  update outbound.webhook_deliveries as d set run_at = now()
  from outbound.outgoing_events as e
  where d.company_id = p_company_id and d.status = 'pending' and d.worker is null
    and e.company_id = d.company_id and e.id = d.event_id
    and (e.id = p_event_id or (p_event_id is null and d.attempt > 1 and e.created_at >= p_since));
  get diagnostics v_hurried = row_count;

  insert into outbound.webhook_deliveries (company_id, event_id, attempt)
  select e.company_id, e.id, latest.attempt + 1
  from outbound.outgoing_events as e
  cross join lateral (
    select d.attempt, d.status from outbound.webhook_deliveries as d
    where d.company_id = e.company_id and d.event_id = e.id order by d.attempt desc limit 1
  ) as latest
  where e.company_id = p_company_id and latest.status <> 'pending'
    and (e.id = p_event_id or (p_event_id is null and latest.status = 'failed' and e.created_at >= p_since))
  on conflict on constraint webhook_deliveries_pkey do nothing;
  get diagnostics v_again = row_count;
  return v_hurried + v_again;
end
$$;
revoke execute on function outbound.replay_events from public;
