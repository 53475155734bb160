-- Ties a session to the conversation it began. From then on the session has no other, and no other session has this
-- one. Returns bound (also when it was bound before), other, taken, or null when there is no such session.
create function outbound.bind_conversation(p_company_id uuid, p_id uuid, p_conversation_id text)
returns text
language plpgsql security invoker set search_path = ''
as $$
declare
  v_bound text;
begin
  select s.conversation_id into v_bound from outbound.voice_sessions as s
  where s.company_id = p_company_id and s.id = p_id
  for no key update;
  if not found then
    return null;
  end if;
  if v_bound is not null then
    return case when v_bound = p_conversation_id then 'bound' else 'other' end;
  end if;
  update outbound.voice_sessions as s
  set conversation_id = p_conversation_id,
    check_at = case when s.duration_s is null then now() + interval '2 minutes' end
  where s.company_id = p_company_id and s.id = p_id;
  return 'bound';
exception
  when unique_violation then
    return 'taken';
end
$$;
revoke execute on function outbound.bind_conversation from public;
