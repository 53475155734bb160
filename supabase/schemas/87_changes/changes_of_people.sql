-- Returns the conversations, messages, handoffs and failed deliveries of a company that transactions from p_since on
-- wrote, as read_changes describes. Of each kind at most p_limit.
create function outbound.changes_of_people(p_company_id uuid, p_since xid, p_from timestamptz, p_limit int)
returns table (kind text, written_ago int, data json)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
begin
  return query
  select 'conversation', age(c.xmin), json_build_object(
    'conversation_id', c.id, 'kind', 'chat', 'state', c.state, 'assigned_to', c.assigned_to,
    'messages', c.last_sequence, 'last_message_at', outbound.iso_time(c.last_message_at),
    'contact_typing_until', outbound.iso_time(c.visitor_typing_until))
  from outbound.conversations as c
  where c.company_id = p_company_id and c.last_sequence > 0 and c.changed_at > p_from
    and age(c.xmin) <= age(p_since)
  order by c.changed_at desc limit p_limit;

  return query
  select 'conversation', age(t.xmin), json_build_object(
    'conversation_id', t.id, 'kind', 'whatsapp', 'state', t.state, 'assigned_to', t.assigned_to,
    'last_message_at', outbound.iso_time(t.last_message_at),
    'window_closes_at', outbound.iso_time(t.last_inbound_at + interval '24 hours'))
  from outbound.contact_threads as t
  where t.company_id = p_company_id and t.changed_at > p_from and age(t.xmin) <= age(p_since)
  order by t.changed_at desc limit p_limit;

  return query
  select 'message', age(m.xmin), json_build_object(
    'message_id', m.id, 'sender_id', m.sender_id, 'direction', m.direction, 'number', m.number,
    'user_id', m.user_id, 'kind', m.kind, 'text', left(m.text, 200), 'status', m.status,
    'campaign_id', m.campaign_id, 'at', outbound.iso_time(m.at))
  from outbound.contact_messages as m
  where m.company_id = p_company_id and m.created_at > p_from and age(m.xmin) <= age(p_since)
  order by m.created_at desc limit p_limit;

  return query
  select 'handoff', age(h.xmin), json_build_object(
    'handoff_id', h.id, 'status', h.status, 'reason', h.reason, 'created_at', outbound.iso_time(h.created_at),
    'expires_at', outbound.iso_time(h.expires_at))
  from outbound.handoffs as h
  -- None lasts longer.
  where h.company_id = p_company_id and h.created_at > p_from - interval '255 minutes'
    and age(h.xmin) <= age(p_since)
  order by h.created_at desc limit p_limit;

  return query
  select 'delivery', age(d.xmin), json_build_object(
    'event_id', d.event_id, 'type', e.type, 'attempt', d.attempt, 'status', d.status,
    'response_status', d.response_status, 'error', d.error, 'finished_at', outbound.iso_time(d.finished_at))
  from outbound.webhook_deliveries as d
  join outbound.outgoing_events as e on e.company_id = d.company_id and e.id = d.event_id
  where d.company_id = p_company_id and d.status = 'failed' and d.finished_at > p_from
    and age(d.xmin) <= age(p_since)
  order by d.finished_at desc limit p_limit;
end
$$;
revoke execute on function outbound.changes_of_people from public;
