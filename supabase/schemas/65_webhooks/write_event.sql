-- Writes one event of a company, if one of its webhooks wants it, with a delivery for each that does. p_data: null fields
-- are left out, and those of a test company get `test`; its channel and sender_id are what filters compare. In PL/pgSQL,
-- because a list of opt-outs calls it a thousand times.
create function outbound.write_event(p_company_id uuid, p_type text, p_at timestamptz, p_data json)
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  -- The events that name a sender or an account of one channel only.
  v_channel constant text := coalesce(
    p_data ->> 'channel',
    case when p_type in ('message.received', 'message.failed', 'template.status_changed') then 'whatsapp' end);
begin
  with wanted as materialized (
    select array_agg(e.id) as endpoints, bool_or(e.is_test) as is_test from outbound.endpoints as e
    where e.company_id = p_company_id and e.is_active and (e.event_types is null or p_type = any (e.event_types))
      and (e.channels is null or v_channel = any (e.channels || '{any}'))
      and (e.sender_ids is null or (p_data ->> 'sender_id')::uuid = any (e.sender_ids))
  ),
  written as (
    insert into outbound.outgoing_events (company_id, type, payload)
    select p_company_id, p_type, json_build_object(
      'type', p_type, 'timestamp', outbound.iso_time(p_at), 'data', json_strip_nulls(
        case when wanted.is_test then (p_data::jsonb || '{"test": true}')::json else p_data end))
    from wanted where wanted.endpoints is not null
    returning company_id, id
  )
  insert into outbound.webhook_deliveries (company_id, event_id, endpoint_id, attempt)
  select written.company_id, written.id, e.id, e.position
  from written cross join wanted cross join unnest(wanted.endpoints) with ordinality as e(id, position);
end
$$;
revoke execute on function outbound.write_event from public;
