-- Stores a request to talk to a person, and reports it to the company's webhook and to its members' devices.
create function outbound.request_handoff(
  p_company_id uuid, p_id uuid, p_widget_id uuid, p_session_id uuid, p_conversation_id text, p_reason text,
  p_contact jsonb, p_room text
)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.handoffs (company_id, id, widget_id, session_id, conversation_id, reason, contact, room)
  values (p_company_id, p_id, p_widget_id, p_session_id, p_conversation_id, p_reason, p_contact, p_room);
  perform outbound.write_event(p_company_id, 'handoff.requested', now(), json_build_object(
    'company_id', p_company_id, 'handoff_id', p_id, 'widget_id', p_widget_id,
    'conversation_id', p_conversation_id, 'reason', p_reason, 'contact', p_contact, 'room', p_room,
    'created_at', outbound.iso_time(now())));
  perform outbound.notify_members(p_company_id, 'handoff', p_id, null);
end
$$;
revoke execute on function outbound.request_handoff from public;
