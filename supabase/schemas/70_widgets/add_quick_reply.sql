-- Adds a visitor's message, as add_message does, and right after it the automatic reply p_reply, in the name of p_sender
-- ({name, is_machine}). A repeated message adds neither.
create function outbound.add_quick_reply(
  p_company_id uuid, p_conversation_id uuid, p_text text, p_client_message_id uuid, p_reply text, p_sender jsonb
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_posted record;
begin
  select * into v_posted from outbound.add_message(
    p_company_id, p_conversation_id, 'visitor', p_text, p_client_message_id, '{}');
  if not found then
    return;
  end if;
  if v_posted.outcome = 'posted' then
    perform outbound.add_message(
      p_company_id, p_conversation_id, 'operator', p_reply, null, jsonb_build_object('sender', p_sender));
  end if;
  return query select v_posted.outcome, v_posted.message, v_posted.cap, v_posted.quota, v_posted.used;
end
$$;
revoke execute on function outbound.add_quick_reply from public;
