-- Delivers events again, from the first attempt on: one (p_event_id), or those written since p_since whose delivery failed.
-- Deliveries that wait for a later attempt go now. Returns how many.
create function outbound.replay_events(p_company_id uuid, p_event_id text, p_since timestamptz)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_hurried int;
  v_again int;
begin
  update outbound.webhook_deliveries as d set run_at = now(), deferred = false
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
