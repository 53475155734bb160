-- Returns the conversations, messages, handoffs and failed deliveries of a company that changed, as read_changes
-- describes.
create function outbound.changes_of_people(p_company_id uuid, p_since bigint, p_latest bigint, p_max int)
returns table (source oid, kind text, mark bigint, written bigint, data json)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  select c.tableoid, 'conversation', c.changed_xid, p_latest - age(c.xmin),
    case when p_latest - age(c.xmin) >= p_since then json_build_object(
      'conversation_id', c.id, 'kind', 'chat', 'state', c.state, 'assigned_to', c.assigned_to,
      'messages', c.last_sequence, 'last_message_at', outbound.iso_time(c.last_message_at),
      'contact_typing_until', outbound.iso_time(c.visitor_typing_until)) end
  from outbound.conversations as c
  where c.company_id = p_company_id and c.last_sequence > 0
    and c.changed_xid between p_since - 1000 and p_latest
  order by c.changed_xid desc limit p_max;

  return query
  select t.tableoid, 'conversation', t.changed_xid, p_latest - age(t.xmin),
    case when p_latest - age(t.xmin) >= p_since then json_build_object(
      'conversation_id', t.id, 'kind', 'whatsapp', 'state', t.state, 'assigned_to', t.assigned_to,
      'last_message_at', outbound.iso_time(t.last_message_at),
      'window_closes_at', outbound.iso_time(t.last_inbound_at + interval '24 hours')) end
  from outbound.contact_threads as t
  where t.company_id = p_company_id and t.changed_xid between p_since - 1000 and p_latest
  order by t.changed_xid desc limit p_max;

  return query
  select m.tableoid, 'message', m.changed_xid, p_latest - age(m.xmin),
    case when p_latest - age(m.xmin) >= p_since then json_build_object(
      'message_id', m.id, 'sender_id', m.sender_id, 'direction', m.direction, 'number', m.number,
      'user_id', m.user_id, 'kind', m.kind, 'text', left(m.text, 200), 'status', m.status,
      'campaign_id', m.campaign_id, 'at', outbound.iso_time(m.at)) end
  from outbound.contact_messages as m
  where m.company_id = p_company_id and m.changed_xid between p_since - 1000 and p_latest
  order by m.changed_xid desc limit p_max;

  return query
  select h.tableoid, 'handoff', h.changed_xid, p_latest - age(h.xmin),
    case when p_latest - age(h.xmin) >= p_since then json_build_object(
      'handoff_id', h.id, 'status', h.status, 'reason', h.reason, 'created_at', outbound.iso_time(h.created_at),
      'expires_at', outbound.iso_time(h.expires_at)) end
  from outbound.handoffs as h
  where h.company_id = p_company_id and h.changed_xid between p_since - 1000 and p_latest
  order by h.changed_xid desc limit p_max;

  return query
  select d.tableoid, 'delivery', d.changed_xid, p_latest - age(d.xmin),
    case when p_latest - age(d.xmin) >= p_since then json_build_object(
      'event_id', d.event_id, 'type', e.type, 'attempt', d.attempt, 'status', d.status,
      'response_status', d.response_status, 'error', d.error, 'finished_at', outbound.iso_time(d.finished_at)) end
  from outbound.webhook_deliveries as d
  join outbound.outgoing_events as e on e.company_id = d.company_id and e.id = d.event_id
  where d.company_id = p_company_id and d.status = 'failed'
    and d.changed_xid between p_since - 1000 and p_latest
  order by d.changed_xid desc limit p_max;
end
$$;
revoke execute on function outbound.changes_of_people from public;
