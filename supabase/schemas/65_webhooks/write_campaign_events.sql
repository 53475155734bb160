-- Writes campaign.completed for campaigns that have just become complete.
create function outbound.write_campaign_events(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  -- The format of outbound.iso_time, because calling it costs 2 to 3 µs per time.
  c_iso constant text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
begin
  with wanted as materialized (
    select g.company_id, 'evt_' || replace(gen_random_uuid()::text, '-', '') as id, w.endpoints, json_build_object(
      'type', 'campaign.completed',
      'timestamp', to_char(g.completed_at at time zone 'UTC', c_iso),
      'data', json_strip_nulls(json_build_object(
        'company_id', g.company_id, 'test', w.is_test, 'campaign_id', g.id, 'campaign_name', g.name, 'channel', g.channel,
        'notification_type', g.notification_type, 'status', outbound.campaign_status(g),
        'total', g.total, 'sent', g.sent, 'delivered', g.delivered, 'read', g.read, 'failed', g.failed,
        'cancelled', g.cancelled, 'skipped', g.skipped, 'replied', g.replied, 'rejected', g.rejected,
        'created_at', to_char(g.created_at at time zone 'UTC', c_iso),
        'scheduled_time', to_char(g.scheduled_time at time zone 'UTC', c_iso),
        'started_at', to_char(g.started_at at time zone 'UTC', c_iso),
        'completed_at', to_char(g.completed_at at time zone 'UTC', c_iso)
      ))
    ) as payload
    from unnest(p_companies, p_ids) as done(company_id, id)
    join outbound.campaigns as g on g.company_id = done.company_id and g.id = done.id
    cross join lateral (
      select array_agg(e.id) as endpoints, bool_or(e.is_test) as is_test from outbound.endpoints as e
      where e.company_id = g.company_id and e.is_active
        and (e.event_types is null or 'campaign.completed' = any (e.event_types))
        and (e.channels is null or g.channel = any (e.channels))
        and (e.sender_ids is null or g.sender_id = any (e.sender_ids))
    ) as w
    where w.endpoints is not null
  ),
  written as (
    insert into outbound.outgoing_events (company_id, id, type, payload)
    select w.company_id, w.id, 'campaign.completed', w.payload from wanted as w
  )
  insert into outbound.webhook_deliveries (company_id, event_id, endpoint_id, attempt)
  select w.company_id, w.id, e.id, e.position
  from wanted as w cross join unnest(w.endpoints) with ordinality as e(id, position);
end
$$;
revoke execute on function outbound.write_campaign_events from public;
