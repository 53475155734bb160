-- Writes one event of a company, if its webhook wants it. p_data: null fields are left out. In PL/pgSQL, because a list
-- of opt-outs calls it a thousand times.
create function outbound.write_event(p_company_id uuid, p_type text, p_at timestamptz, p_data json)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  with written as (
    insert into outbound.outgoing_events (company_id, type, payload)
    select w.company_id, p_type, json_build_object(
      'type', p_type, 'timestamp', outbound.iso_time(p_at), 'data', json_strip_nulls(p_data))
    from outbound.webhooks as w
    where w.company_id = p_company_id and w.is_active and (w.event_types is null or p_type = any (w.event_types))
    returning company_id, id
  )
  insert into outbound.webhook_deliveries (company_id, event_id) select written.company_id, written.id from written;
end
$$;
revoke execute on function outbound.write_event from public;
