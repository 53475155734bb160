-- Leases up to p_limit due deliveries to p_worker for p_lease; those of a dead worker are due again at the first tick
-- after its lease (schedule_lost_deliveries). Companies take turns, and so do the endpoints of each, so
-- that one that does not respond delays no other. A company's endpoints get 16 requests at a time (max_requests_to); a
-- failing one (three failures in a row) gets 1, and the failing ones of a claim together p_max_failing.
--
-- Looks only at endpoints with something due: those with new deliveries, and those whose time in webhook_schedule has
-- come, of failing ones about as many as may get a request. What a failing endpoint cannot take is deferred.
create function outbound.claim_deliveries(p_worker text, p_limit int, p_max_failing int, p_lease interval)
returns table (
  company_id uuid, event_id text, attempt int, attempt_since_replay int, payload text, url text,
  secret_sealed text, old_secret_sealed text, is_failing boolean,
  -- That of the campaign which the event is about.
  trace text
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
#variable_conflict use_column
declare
  v_due_companies uuid[];
  v_due_endpoints uuid[];
  v_companies uuid[];
  v_endpoints uuid[];
  v_events text[];
  v_attempts int[];
  v_since_replay int[];
begin
  if not outbound.is_active_cell() then
    return;
  end if;
  -- One claim at a time, and none beside a finish: each counts what the ones before it took, freed and deferred, in
  -- statements that begin after them.
  perform pg_advisory_xact_lock(hashtextextended('outbound.claim_deliveries', 0));
  select array_agg(d.company_id), array_agg(d.endpoint_id) into v_due_companies, v_due_endpoints
  from outbound.due_endpoints(256, greatest(16, p_max_failing)) as d;

  with endpoint as materialized (
    select e.* from outbound.serve_endpoints(v_due_companies, v_due_endpoints) as e
  ),
  candidate as (
    select e.company_id, due.event_id, due.attempt, due.run_at, e.is_failing,
      row_number() over (partition by e.company_id, e.endpoint_id order by due.run_at, due.event_id) as own_turn
    from endpoint as e
    cross join lateral (
      select d.event_id, d.attempt, d.run_at from outbound.webhook_deliveries as d
      where d.company_id = e.company_id and d.endpoint_id = e.endpoint_id and d.status = 'pending' and d.run_at <= now()
      order by d.run_at, d.event_id limit e.free
    ) as due
  ),
  turned as (
    select c.*, row_number() over (partition by c.company_id, c.is_failing order by c.own_turn, c.run_at) as turn
    from candidate as c
  ),
  ranked as (
    select c.*, row_number() over (partition by c.is_failing order by c.turn, c.run_at) as position from turned as c
  ),
  chosen as (
    select r.company_id, r.event_id, r.attempt from ranked as r
    where not r.is_failing or r.position <= p_max_failing
    order by r.is_failing, r.turn, r.run_at limit p_limit
  ),
  locked as (
    select d.* from chosen
    cross join lateral (
      select d.company_id, d.event_id, d.attempt from outbound.webhook_deliveries as d
      where d.company_id = chosen.company_id and d.event_id = chosen.event_id and d.attempt = chosen.attempt
        and d.status = 'pending' and d.run_at <= now()
      for update skip locked
    ) as d
  ),
  claimed as (
    update outbound.webhook_deliveries as d
    set worker = p_worker, run_at = clock_timestamp() + p_lease, deferred = true
    from locked
    where d.company_id = locked.company_id and d.event_id = locked.event_id and d.attempt = locked.attempt
    returning d.company_id, d.endpoint_id, d.event_id, d.attempt, d.attempt_since_replay
  )
  select array_agg(c.company_id), array_agg(c.endpoint_id), array_agg(c.event_id), array_agg(c.attempt),
    array_agg(c.attempt_since_replay)
  into v_companies, v_endpoints, v_events, v_attempts, v_since_replay from claimed as c;
  perform outbound.defer_endpoints(v_due_companies, v_due_endpoints);

  return query
  select c.company_id, c.event_id, c.attempt, c.since_replay, o.payload::text, w.url, w.secret_sealed,
    case when w.old_secret_until > now() then w.old_secret_sealed end, w.failures >= outbound.endpoint_fails_after(), (
      select g.trace from outbound.campaigns as g
      where g.company_id = c.company_id and g.id = (o.payload #>> '{data,campaign_id}')::uuid
    )
  from unnest(v_companies, v_endpoints, v_events, v_attempts, v_since_replay)
    as c(company_id, endpoint_id, event_id, attempt, since_replay)
  cross join lateral (
    select w.* from outbound.endpoints as w where w.company_id = c.company_id and w.id = c.endpoint_id limit 1
  ) as w
  cross join lateral (
    select o.payload from outbound.outgoing_events as o where o.company_id = c.company_id and o.id = c.event_id limit 1
  ) as o;
end
$$;
revoke execute on function outbound.claim_deliveries from public;
