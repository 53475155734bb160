-- Ends a conversation: it can be read, but not written in any more. Returns its status before; null when there is
-- none.
create function outbound.close_conversation(p_company_id uuid, p_conversation_id uuid)
returns text
language plpgsql security invoker set search_path = ''
as $$
declare
  v_status text;
begin
  select c.status into v_status from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id
  for no key update;
  update outbound.conversations as c
  set status = 'closed', closed_at = now(), visitor_typing_until = null, operator_typing_until = null
  where c.company_id = p_company_id and c.id = p_conversation_id and c.status = 'open';
  return v_status;
end
$$;
revoke execute on function outbound.close_conversation from public;
