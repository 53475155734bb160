-- Counts the failures in a row of endpoints; a success ends them. A step of finish_deliveries, as the next one.
create function outbound.count_failures(p_done jsonb)
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per endpoint.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  with result as (
    select f.company_id, f.endpoint_id, bool_or(f.outcome = 'succeeded') as responded, count(*)::int as attempts
    from jsonb_to_recordset(p_done) as f(company_id uuid, endpoint_id uuid, outcome text)
    where f.outcome <> 'released' group by f.company_id, f.endpoint_id
  ),
  locked as (
    select w.company_id, result.responded, result.attempts from result
    join outbound.webhooks as w on w.company_id = result.company_id
      and result.endpoint_id = '00000000-0000-0000-0000-000000000000'
    where not result.responded or w.failures > 0
    order by w.company_id for no key update of w
  )
  update outbound.webhooks as w set failures = case when locked.responded then 0 else w.failures + locked.attempts end
  from locked where w.company_id = locked.company_id;

  with result as (
    select f.company_id, f.endpoint_id, bool_or(f.outcome = 'succeeded') as responded, count(*)::int as attempts
    from jsonb_to_recordset(p_done) as f(company_id uuid, endpoint_id uuid, outcome text)
    where f.outcome <> 'released' group by f.company_id, f.endpoint_id
  ),
  locked as (
    select w.company_id, w.id, result.responded, result.attempts from result
    join outbound.webhook_endpoints as w on w.company_id = result.company_id and w.id = result.endpoint_id
    where not result.responded or w.failures > 0
    order by w.company_id, w.id for no key update of w
  )
  update outbound.webhook_endpoints as w set failures = case when locked.responded then 0 else w.failures + locked.attempts end
  from locked where w.company_id = locked.company_id and w.id = locked.id;
end
$$;
revoke execute on function outbound.count_failures from public;

-- Has claims look at endpoints when something of theirs is due: a place at them is free, so what they could not take
-- before may go now.
create function outbound.schedule_endpoints(p_done jsonb)
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per endpoint.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  with due as (
    select f.company_id, f.endpoint_id, f.at, w.is_failing
    from (
      select d.company_id, d.endpoint_id, now() + make_interval(
        secs => min(case d.outcome when 'released' then 0 else d.retry_in_s end)) as at
      from jsonb_to_recordset(p_done) as d(company_id uuid, endpoint_id uuid, outcome text, retry_in_s float8)
      group by d.company_id, d.endpoint_id
    ) as f
    cross join lateral (
      select o.failures >= outbound.endpoint_fails_after() as is_failing from outbound.endpoints as o
      where o.company_id = f.company_id and o.id = f.endpoint_id limit 1
    ) as w
    order by f.company_id, f.endpoint_id
  ),
  freed as (
    select s.company_id, s.endpoint_id, due.is_failing from due
    cross join lateral (
      select w.company_id, w.endpoint_id from outbound.webhook_schedule as w
      where w.company_id = due.company_id and w.endpoint_id = due.endpoint_id for no key update
    ) as s
  ),
  hurried as (
    update outbound.webhook_schedule as s
    set is_failing = freed.is_failing, due_at = least(s.due_at, clock_timestamp())
    from freed
    where s.company_id = freed.company_id and s.endpoint_id = freed.endpoint_id
      and (s.due_at > clock_timestamp() or s.is_failing <> freed.is_failing)
  )
  insert into outbound.webhook_schedule as s (company_id, endpoint_id, is_failing, due_at)
  select due.company_id, due.endpoint_id, due.is_failing, due.at from due
  where due.at is not null and not exists (
    select from freed where freed.company_id = due.company_id and freed.endpoint_id = due.endpoint_id
  )
  order by due.company_id, due.endpoint_id
  on conflict on constraint webhook_schedule_pkey do update set due_at = least(s.due_at, excluded.due_at);
end
$$;
revoke execute on function outbound.schedule_endpoints from public;
