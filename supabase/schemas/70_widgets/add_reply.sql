-- Adds a message of an operator, as add_message does, with who wrote it and a row in the audit.
create function outbound.add_reply(
  p_company_id uuid, p_conversation_id uuid, p_text text, p_client_message_id uuid, p_content jsonb, p_actor text,
  p_request_id text
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_posted record;
begin
  select * into v_posted
  from outbound.add_message(p_company_id, p_conversation_id, 'operator', p_text, p_client_message_id, p_content);
  if not found then
    return;
  end if;
  if v_posted.outcome = 'posted' then
    update outbound.conversation_messages as m set actor = p_actor
    where m.company_id = p_company_id and m.conversation_id = p_conversation_id
      and m.sequence = (v_posted.message ->> 'sequence')::int;
    perform outbound.write_audit(p_company_id, p_actor, 'conversation.replied', p_conversation_id::text, null,
      jsonb_build_object('message_id', v_posted.message ->> 'id'), p_request_id);
  end if;
  return query select v_posted.outcome, v_posted.message, v_posted.cap, v_posted.quota, v_posted.used;
end
$$;
revoke execute on function outbound.add_reply from public;
