-- Locks a conversation for a new message. outcome: repeated (with the message that has p_client_message_id already),
-- closed, or null where the message may be added. No row when there is no such conversation.
create function outbound.open_for_message(p_company_id uuid, p_conversation_id uuid, p_client_message_id uuid)
returns table (conversation outbound.conversations, outcome text, message jsonb)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_conversation outbound.conversations;
  v_message outbound.conversation_messages;
begin
  select * into v_conversation from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id
  for no key update;
  if not found then
    return;
  end if;
  select * into v_message from outbound.conversation_messages as m
  where m.company_id = p_company_id and m.conversation_id = p_conversation_id
    and m.client_message_id = p_client_message_id;
  if found then
    return query select v_conversation, 'repeated', outbound.describe_message(v_message);
  else
    return query select v_conversation, case when v_conversation.status <> 'open' then 'closed' end, null::jsonb;
  end if;
end
$$;
revoke execute on function outbound.open_for_message from public;
