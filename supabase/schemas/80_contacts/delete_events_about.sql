-- Deletes the outgoing events that name a person, with their deliveries: p_events, and those written since p_since that
-- hold one of the addresses, or ids of chats and handoffs. Returns how many. A step of erase_person.
create function outbound.delete_events_about(
  p_company_id uuid, p_addresses text[], p_events text[], p_since timestamptz
)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_patterns constant text[] := array(select '%"' || a || '"%' from unnest(p_addresses) as a);
  v_events text[];
  v_rows int;
begin
  with named as (
    select e.id from outbound.outgoing_events as e where e.company_id = p_company_id and e.id = any (p_events)
    union
    select e.id from outbound.outgoing_events as e
    where e.company_id = p_company_id and e.created_at >= p_since and e.payload::text like any (v_patterns)
  )
  select array_agg(named.id) into v_events from named;
  delete from outbound.webhook_deliveries as d where d.company_id = p_company_id and d.event_id = any (v_events);
  delete from outbound.outgoing_events as e where e.company_id = p_company_id and e.id = any (v_events);
  get diagnostics v_rows = row_count;
  return v_rows;
end
$$;
revoke execute on function outbound.delete_events_about from public;
