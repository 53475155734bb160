-- Records that a visitor asks for a person: adds a message of the system with this text, reports it, and notifies the
-- member who has the conversation, or all. No machine replies from then on. Returns requested, repeated (nothing
-- changes), closed, or null when there is no such conversation.
create function outbound.request_person(p_company_id uuid, p_conversation_id uuid, p_text text)
returns text
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_conversation outbound.conversations;
begin
  select * into v_conversation from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id
  for no key update;
  if not found then
    return null;
  elsif v_conversation.handoff_requested_at is not null then
    return 'repeated';
  elsif v_conversation.status <> 'open' then
    return 'closed';
  end if;
  perform outbound.add_message(
    p_company_id, p_conversation_id, 'system', p_text, null, '{"notice": "person_requested"}');
  perform outbound.set_machine_author(p_company_id, p_conversation_id, v_conversation.last_sequence + 1);
  update outbound.conversations as c
  set handoff_requested_at = now(), assistant = 'silent', last_author = 'visitor', operator_typing_until = null
  where c.company_id = p_company_id and c.id = p_conversation_id;
  perform outbound.write_event(p_company_id, 'conversation.handoff_requested', now(),
    json_build_object(
      'company_id', p_company_id, 'conversation_id', p_conversation_id, 'widget_id', v_conversation.widget_id,
      'user_id', v_conversation.user_id, 'requested_at', outbound.iso_time(now())));
  perform outbound.notify_members(p_company_id, 'chat', p_conversation_id, v_conversation.assigned_to);
  return 'requested';
end
$$;
revoke execute on function outbound.request_person from public;
