-- Writes campaign.completed for campaigns that have just become complete.
create function outbound.write_campaign_events(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  -- The format of outbound.iso_time, because calling it costs 2 to 3 µs per time.
  c_iso constant text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
begin
  with written as (
    insert into outbound.outgoing_events (company_id, type, payload)
    select g.company_id, 'campaign.completed', json_build_object(
      'type', 'campaign.completed',
      'timestamp', to_char(g.completed_at at time zone 'UTC', c_iso),
      'data', json_strip_nulls(json_build_object(
        'company_id', g.company_id, 'campaign_id', g.id, 'campaign_name', g.name, 'channel', g.channel,
        'notification_type', g.notification_type, 'status', outbound.campaign_status(g),
        'total', g.total, 'sent', g.sent, 'delivered', g.delivered, 'read', g.read, 'failed', g.failed,
        'cancelled', g.cancelled, 'skipped', g.skipped, 'replied', g.replied, 'rejected', g.rejected,
        'created_at', to_char(g.created_at at time zone 'UTC', c_iso),
        'scheduled_time', to_char(g.scheduled_time at time zone 'UTC', c_iso),
        'started_at', to_char(g.started_at at time zone 'UTC', c_iso),
        'completed_at', to_char(g.completed_at at time zone 'UTC', c_iso)
      ))
    )
    from unnest(p_companies, p_ids) as done(company_id, id)
    join outbound.campaigns as g on g.company_id = done.company_id and g.id = done.id
    join outbound.webhooks as w on w.company_id = g.company_id and w.is_active
    where w.event_types is null or 'campaign.completed' = any (w.event_types)
    returning company_id, id
  )
  insert into outbound.webhook_deliveries (company_id, event_id) select written.company_id, written.id from written;
end
$$;
revoke execute on function outbound.write_campaign_events from public;
