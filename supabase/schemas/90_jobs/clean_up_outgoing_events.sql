-- Deletes the events that companies received, with their deliveries and the figures of these, 30 days after they were
-- written. A step of clean_up.
create function outbound.clean_up_outgoing_events(p_limit int)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_events int;
begin
  -- Deliveries before their events, failed ones too: the foreign key's cascade would wait for a locked one. Lateral,
  -- with a limit of one row: no plan can read all deliveries for it.
  delete from outbound.webhook_deliveries as d where d.ctid = any (array(
    select w.ctid from (
      select o.company_id, o.id from outbound.outgoing_events as o where o.created_at < now() - interval '30 days'
      order by o.created_at limit p_limit
    ) as old
    cross join lateral (
      select d.ctid from outbound.webhook_deliveries as d
      where d.company_id = old.company_id and d.event_id = old.id for update skip locked
    ) as w));
  delete from outbound.outgoing_events as e where e.ctid = any (array(
    select o.ctid from outbound.outgoing_events as o
    where o.created_at < now() - interval '30 days' and (
      select d.event_id from outbound.webhook_deliveries as d
      where d.company_id = o.company_id and d.event_id = o.id limit 1
    ) is null
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_events = row_count;
  delete from outbound.webhook_history as h where h.ctid = any (array(
    select o.ctid from outbound.webhook_history as o where o.hour < now() - interval '30 days'
    order by o.hour limit p_limit for update skip locked));

  return jsonb_build_object('outgoing_events', v_events);
end
$$;
revoke execute on function outbound.clean_up_outgoing_events from public;
