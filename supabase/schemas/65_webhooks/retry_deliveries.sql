-- Adds the next attempts of deliveries that failed. A step of finish_deliveries.
create function outbound.retry_deliveries(p_done jsonb)
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per delivery.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_failed constant jsonb := (
    select jsonb_agg(f) from jsonb_array_elements(p_done) as f
    where f ->> 'outcome' = 'failed' and f ->> 'retry_in_s' is not null and not (f ->> 'gone')::boolean
  );
begin
  if v_failed is null then
    return;
  end if;
  -- Attempts are numbered over all endpoints of an event: none of another endpoint is numbered meanwhile.
  perform outbound.lock_event_numbers(
    array_agg(f.company_id order by f.company_id, f.event_id), array_agg(f.event_id order by f.company_id, f.event_id))
  from jsonb_to_recordset(v_failed) as f(company_id uuid, event_id text);

  insert into outbound.webhook_deliveries
    (company_id, endpoint_id, event_id, attempt, attempt_since_replay, run_at, deferred)
  select f.company_id, f.endpoint_id, f.event_id,
    latest.attempt + row_number() over (partition by f.company_id, f.event_id order by f.attempt),
    f.attempt_since_replay + 1, clock_timestamp() + make_interval(secs => f.retry_in_s), true
  from jsonb_to_recordset(v_failed) as f(
    company_id uuid, endpoint_id uuid, event_id text, attempt int, attempt_since_replay int, retry_in_s float8
  )
  cross join lateral (
    select from outbound.endpoints as e
    where e.company_id = f.company_id and e.id = f.endpoint_id and e.is_active limit 1
  ) as w
  cross join lateral (
    select d.attempt from outbound.webhook_deliveries as d
    where d.company_id = f.company_id and d.event_id = f.event_id order by d.attempt desc limit 1
  ) as latest
  on conflict on constraint webhook_deliveries_pkey do nothing;
end
$$;
revoke execute on function outbound.retry_deliveries from public;

-- Keeps others from numbering attempts of these events until the transaction ends, where a company has several endpoints:
-- with one, an event has one attempt at a time, and the number after it.
create function outbound.lock_event_numbers(p_companies uuid[], p_events text[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per event.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  perform from unnest(p_companies, p_events) as g(company_id, event_id)
  join outbound.outgoing_events as o on o.company_id = g.company_id and o.id = g.event_id
  where exists (select from outbound.webhook_endpoints as e where e.company_id = g.company_id)
  order by o.company_id, o.id for no key update of o;
end
$$;
revoke execute on function outbound.lock_event_numbers from public;
