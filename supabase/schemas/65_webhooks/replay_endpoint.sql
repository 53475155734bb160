-- Delivers events to an endpoint again, from the first attempt on: one (p_event_id), or those written since p_since whose
-- delivery failed. Deliveries that wait for a later attempt go now. Returns how many.
create function outbound.replay_endpoint(
  p_company_id uuid, p_endpoint_id uuid, p_event_id text, p_since timestamptz
)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_hurried int;
  v_again int;
  v_events text[];
begin
  update outbound.webhook_deliveries as d set run_at = now(), deferred = false
  from outbound.outgoing_events as e
  where d.company_id = p_company_id and d.endpoint_id = p_endpoint_id and d.status = 'pending' and d.worker is null
    and e.company_id = d.company_id and e.id = d.event_id
    and (e.id = p_event_id or (p_event_id is null and d.attempt_since_replay > 1 and e.created_at >= p_since));
  get diagnostics v_hurried = row_count;

  v_events := array(
    select e.id from outbound.outgoing_events as e
    cross join lateral (
      select d.status from outbound.webhook_deliveries as d
      where d.company_id = e.company_id and d.event_id = e.id and d.endpoint_id = p_endpoint_id
      order by d.attempt desc limit 1
    ) as latest
    where e.company_id = p_company_id and latest.status <> 'pending'
      and (e.id = p_event_id or (p_event_id is null and latest.status = 'failed' and e.created_at >= p_since))
    order by e.id
  );
  perform outbound.lock_event_numbers(array_fill(p_company_id, array[cardinality(v_events)]), v_events);
  insert into outbound.webhook_deliveries (company_id, endpoint_id, event_id, attempt)
  select p_company_id, p_endpoint_id, again.id, latest.attempt + 1
  from unnest(v_events) as again(id)
  cross join lateral (
    select d.attempt from outbound.webhook_deliveries as d
    where d.company_id = p_company_id and d.event_id = again.id order by d.attempt desc limit 1
  ) as latest
  -- Another replay of it was first.
  where not exists (
    select from outbound.webhook_deliveries as d
    where d.company_id = p_company_id and d.event_id = again.id and d.endpoint_id = p_endpoint_id
      and d.status = 'pending'
  )
  on conflict on constraint webhook_deliveries_pkey do nothing;
  get diagnostics v_again = row_count;
  return v_hurried + v_again;
end
$$;
revoke execute on function outbound.replay_endpoint from public;
