-- Returns the campaigns, uploads, senders, templates and calls of a company that transactions from p_since on wrote, as
-- read_changes describes. Of each kind at most p_limit.
create function outbound.changes_of_sending(p_company_id uuid, p_since xid, p_from timestamptz, p_limit int)
returns table (kind text, written_ago int, data json)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
declare
  -- A busy company makes a campaign per message. Of those that moved, so many are looked at.
  c_max_moved constant int := 2000;
begin
  return query
  select 'campaign', age(moved.written), json_build_object(
    'campaign_id', g.id, 'campaign_name', g.name, 'channel', g.channel, 'status', state.status,
    'paused_reason', state.paused_reason, 'total', g.total, 'pending', g.pending, 'processing', g.processing,
    'sent', g.sent, 'delivered', g.delivered, 'read', g.read, 'replied', g.replied, 'failed', g.failed,
    'cancelled', g.cancelled, 'skipped', g.skipped, 'rejected', g.rejected,
    'started_at', outbound.iso_time(g.started_at), 'completed_at', outbound.iso_time(g.completed_at))
  from (
    select o.id, o.xmin as written from outbound.campaigns as o
    -- moved_at is up to a minute early.
    where o.company_id = p_company_id and o.moved_at > p_from - interval '1 minute'
    order by o.moved_at desc limit c_max_moved
  ) as moved
  join outbound.campaigns as g on g.company_id = p_company_id and g.id = moved.id
  cross join lateral outbound.campaign_state(g) as state
  where age(moved.written) <= age(p_since)
  limit p_limit;

  return query
  select 'upload', age(u.xmin), json_build_object(
    'upload_id', u.id, 'campaign_id', u.campaign_id, 'campaign_name', u.plan -> 'fields' ->> 'campaign_name',
    'state', case when u.completed_at is not null then 'completed' when u.batches > 0 then 'partial' else 'new' end,
    'rows', u.rows_read, 'accepted', u.accepted, 'refused', u.refused, 'stopped', u.stopped,
    'changed_at', outbound.iso_time(u.changed_at), 'completed_at', outbound.iso_time(u.completed_at))
  from outbound.campaign_uploads as u
  where u.company_id = p_company_id and u.changed_at > p_from and age(u.xmin) <= age(p_since)
  order by u.changed_at desc limit p_limit;

  return query
  select 'sender', age(s.xmin), json_build_object(
    'sender_id', s.id, 'number', s.number, 'channel', s.channel, 'status', s.status,
    'stopped_reason', s.stopped_reason, 'stopped_until', outbound.iso_time(s.stopped_until),
    'locked', s.stopped_for_good, 'messaging_limit', s.messaging_limit, 'quality', s.quality,
    'platform_notice', s.platform_notice)
  from outbound.senders as s
  where s.company_id = p_company_id and age(s.xmin) <= age(p_since)
  limit p_limit;

  return query
  select 'template', age(t.xmin), json_build_object(
    'template_id', t.id, 'name', t.name, 'language', t.language, 'category', t.category, 'status', t.status,
    'rejected_reason', t.rejected_reason, 'quality', t.quality)
  from outbound.templates as t
  where t.company_id = p_company_id and t.updated_at > p_from and age(t.xmin) <= age(p_since)
  order by t.updated_at desc limit p_limit;

  return query
  select 'call', least(age(n.xmin), age(k.xmin)), json_build_object(
    'notification_id', n.id, 'campaign_id', n.campaign_id, 'number', n.number, 'status', n.status,
    'outcome', k.outcome, 'duration_s', k.duration_s, 'started_at', outbound.iso_time(k.started_at),
    'ended_at', outbound.iso_time(k.ended_at))
  from (
    -- Those that go on: as many as the senders have lines.
    select o.id from outbound.senders as s
    join outbound.notifications as o
      on o.sender_id = s.id and o.voice and o.queue_status in ('sending', 'unconfirmed', 'sent')
    where s.company_id = p_company_id and s.channel = 'voice'
    union
    (
      select o.notification_id from outbound.calls as o
      -- One that was not answered has no end.
      where o.company_id = p_company_id and o.started_at > p_from - interval '5 minutes'
      order by o.started_at desc limit c_max_moved
    )
    union
    (
      select o.notification_id from outbound.calls as o
      where o.company_id = p_company_id and o.ended_at > p_from order by o.ended_at desc limit c_max_moved
    )
  ) as recent
  join outbound.notifications as n on n.company_id = p_company_id and n.id = recent.id
  left join outbound.calls as k on k.company_id = p_company_id and k.notification_id = n.id
  where least(age(n.xmin), age(k.xmin)) <= age(p_since)
  limit p_limit;
end
$$;
revoke execute on function outbound.changes_of_sending from public;
