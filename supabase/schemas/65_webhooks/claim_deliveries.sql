-- Returns the companies with a pending delivery, p_limit of them at most. Jumps from one to the next in the index.
create function outbound.companies_with_deliveries(p_limit int default null)
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
  select busy.company_id from busy limit p_limit
$$;
revoke execute on function outbound.companies_with_deliveries from public;

-- Leases up to p_limit due deliveries to p_worker for p_lease; those of a dead worker are due again when its lease
-- ends. Companies take turns, so that an endpoint that does not respond delays no other company. An endpoint gets 16
-- requests at a time; a failing one (three failures in a row) gets 1, and all failing endpoints together
-- p_max_failing.
create function outbound.claim_deliveries(p_worker text, p_limit int, p_max_failing int, p_lease interval)
returns table (
  company_id uuid, event_id text, attempt int, attempt_since_replay int, payload text, url text,
  secret_sealed text, old_secret_sealed text, is_failing boolean,
  -- That of the campaign which the event is about.
  trace text
)
language plpgsql security invoker set search_path = ''
as $$
begin
  -- One claim at a time: the next one counts what this one took, in a statement that begins after it.
  perform pg_advisory_xact_lock(hashtextextended('outbound.claim_deliveries', 0));
  return query
  with endpoint as materialized (
    select w.company_id, w.url, w.secret_sealed,
      case when w.old_secret_until > now() then w.old_secret_sealed end as old_secret_sealed,
      w.failures >= 3 as is_failing,
      greatest(0, case when w.failures >= 3 then 1 else 16 end - claimed_before.deliveries) as free
    from outbound.companies_with_deliveries() as busy
    join outbound.webhooks as w on w.company_id = busy.company_id and w.is_active
    cross join lateral (
      select count(*)::int as deliveries from outbound.webhook_deliveries as d
      where d.company_id = w.company_id and d.status = 'pending' and d.worker is not null and d.run_at > now()
    ) as claimed_before
  ),
  candidate as (
    select e.company_id, due.event_id, due.attempt, due.run_at, e.is_failing,
      row_number() over (partition by e.company_id order by due.run_at, due.event_id) as turn
    from endpoint as e
    cross join lateral (
      select d.event_id, d.attempt, d.run_at from outbound.webhook_deliveries as d
      where d.company_id = e.company_id and d.status = 'pending' and d.run_at <= now()
      order by d.run_at, d.event_id limit e.free
    ) as due
  ),
  ranked as (
    select c.*, row_number() over (partition by c.is_failing order by c.turn, c.run_at) as place from candidate as c
  ),
  chosen as (
    select r.company_id, r.event_id, r.attempt from ranked as r
    where not r.is_failing or r.place <= p_max_failing
    order by r.is_failing, r.turn, r.run_at limit p_limit
  ),
  locked as (
    select d.company_id, d.event_id, d.attempt from chosen
    join outbound.webhook_deliveries as d
      on d.company_id = chosen.company_id and d.event_id = chosen.event_id and d.attempt = chosen.attempt
    where d.status = 'pending' and d.run_at <= now()
    for update of d skip locked
  ),
  claimed as (
    update outbound.webhook_deliveries as d set worker = p_worker, run_at = clock_timestamp() + p_lease
    from locked
    where d.company_id = locked.company_id and d.event_id = locked.event_id and d.attempt = locked.attempt
    returning d.company_id, d.event_id, d.attempt, d.attempt_since_replay
  )
  select c.company_id, c.event_id, c.attempt, c.attempt_since_replay, o.payload::text, e.url, e.secret_sealed,
    e.old_secret_sealed, e.is_failing, (
      select g.trace from outbound.campaigns as g
      where g.company_id = c.company_id and g.id = (o.payload #>> '{data,campaign_id}')::uuid
    )
  from claimed as c
  join endpoint as e on e.company_id = c.company_id
  join outbound.outgoing_events as o on o.company_id = c.company_id and o.id = c.event_id;
end
$$;
revoke execute on function outbound.claim_deliveries from public;
