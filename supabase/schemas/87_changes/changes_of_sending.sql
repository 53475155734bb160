-- Returns the campaigns, uploads, senders, templates and calls of a company that changed, as read_changes describes.
create function outbound.changes_of_sending(p_company_id uuid, p_since bigint, p_latest bigint, p_max int)
returns table (source oid, kind text, mark bigint, written bigint, data json)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  select g.tableoid, 'campaign', g.changed_xid, p_latest - age(g.xmin),
    case when p_latest - age(g.xmin) >= p_since then (
      select json_build_object(
        'campaign_id', g.id, 'campaign_name', g.name, 'channel', g.channel, 'status', state.status,
        'paused_reason', state.paused_reason, 'total', g.total, 'pending', g.pending, 'processing', g.processing,
        'sent', g.sent, 'delivered', g.delivered, 'read', g.read, 'replied', g.replied, 'failed', g.failed,
        'cancelled', g.cancelled, 'skipped', g.skipped, 'rejected', g.rejected,
        'started_at', outbound.iso_time(g.started_at), 'completed_at', outbound.iso_time(g.completed_at))
      from outbound.campaign_state(g) as state
    ) end
  from outbound.campaigns as g
  where g.company_id = p_company_id and g.changed_xid between p_since - 1000 and p_latest
  order by g.changed_xid desc limit p_max;

  return query
  select u.tableoid, 'upload', u.changed_xid, p_latest - age(u.xmin),
    case when p_latest - age(u.xmin) >= p_since then json_build_object(
      'upload_id', u.id, 'campaign_id', u.campaign_id, 'campaign_name', u.plan -> 'fields' ->> 'campaign_name',
      'state', case when u.completed_at is not null then 'completed' when u.batches > 0 then 'partial' else 'new' end,
      'rows', u.rows_read, 'accepted', u.accepted, 'refused', u.refused, 'stopped', u.stopped,
      'changed_at', outbound.iso_time(u.changed_at), 'completed_at', outbound.iso_time(u.completed_at)) end
  from outbound.campaign_uploads as u
  where u.company_id = p_company_id and u.changed_xid between p_since - 1000 and p_latest
  order by u.changed_xid desc limit p_max;

  return query
  select s.tableoid, 'sender', s.changed_xid, p_latest - age(s.xmin),
    case when p_latest - age(s.xmin) >= p_since then json_build_object(
      'sender_id', s.id, 'number', s.number, 'channel', s.channel, 'status', s.status,
      'stopped_reason', s.stopped_reason, 'stopped_code', s.stopped_code, 'stopped_until', outbound.iso_time(s.stopped_until),
      'locked', s.locked, 'messaging_limit', s.messaging_limit, 'quality', s.quality,
      'platform_notice', s.platform_notice) end
  from outbound.senders as s
  where s.company_id = p_company_id and s.changed_xid between p_since - 1000 and p_latest
  order by s.changed_xid desc limit p_max;

  return query
  select t.tableoid, 'template', t.changed_xid, p_latest - age(t.xmin),
    case when p_latest - age(t.xmin) >= p_since then json_build_object(
      'template_id', t.id, 'name', t.name, 'language', t.language, 'category', t.category, 'status', t.status,
      'rejected_reason', t.rejected_reason, 'quality', t.quality) end
  from outbound.templates as t
  where t.company_id = p_company_id and t.changed_xid between p_since - 1000 and p_latest
  order by t.changed_xid desc limit p_max;

  return query
  select k.tableoid, 'call', k.changed_xid, p_latest - age(k.xmin),
    case when p_latest - age(k.xmin) >= p_since then json_build_object(
      'notification_id', n.id, 'campaign_id', n.campaign_id, 'number', n.number, 'status', n.status,
      'outcome', k.outcome, 'duration_s', k.duration_s, 'started_at', outbound.iso_time(k.started_at),
      'ended_at', outbound.iso_time(k.ended_at)) end
  from outbound.calls as k
  join outbound.notifications as n on n.company_id = k.company_id and n.id = k.notification_id
  where k.company_id = p_company_id and k.changed_xid between p_since - 1000 and p_latest
  order by k.changed_xid desc limit p_max;
end
$$;
revoke execute on function outbound.changes_of_sending from public;
