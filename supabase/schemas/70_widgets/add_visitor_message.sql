-- Adds a visitor's message, as add_message does, and in the same transaction a machine's reply. p_reply: null for none,
-- else {text, content, fits}; fits is false when the machine has nothing to say about the question. The reply is left
-- out where a person takes care of the conversation, for a repeated message, and where the visitor's storage is used up;
-- one that does not fit also where the conversation waits for a person already. {is_owed, name} stands for a reply that an
-- agent with this name will give (owe_agent_reply).
-- A conversation that waits for a person goes on waiting, whatever a machine replies.
create function outbound.add_visitor_message(
  p_company_id uuid, p_conversation_id uuid, p_text text, p_client_message_id uuid, p_content jsonb, p_reply jsonb
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_before outbound.conversations;
  v_is_owed constant boolean := coalesce((p_reply ->> 'is_owed')::boolean, false);
  v_may_reply boolean;
  v_fits boolean;
  v_assistant text;
  v_posted record;
  v_reply record;
begin
  select * into v_before from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id
  for no key update;
  v_fits := v_is_owed or (p_reply ->> 'fits')::boolean;
  v_may_reply := p_reply is not null and v_before.assistant <> 'silent' and v_before.assigned_to is null
    and (v_fits or v_before.last_author is distinct from 'visitor');
  v_assistant := case when v_before.assistant = 'silent' then 'silent' when v_may_reply and v_fits then 'replying'
    else 'idle' end;
  -- Before the message is reported: it decides who is notified.
  perform outbound.set_assistant(p_company_id, p_conversation_id, v_assistant);
  select * into v_posted from outbound.add_message(
    p_company_id, p_conversation_id, 'visitor', p_text, p_client_message_id, p_content);
  if v_posted.outcome is distinct from 'posted' then
    perform outbound.set_assistant(p_company_id, p_conversation_id, v_before.assistant);
  elsif v_may_reply and v_is_owed then
    perform outbound.owe_agent_reply(
      v_before, (v_posted.message ->> 'sequence')::int, p_reply ->> 'name');
  elsif v_may_reply then
    select * into v_reply from outbound.add_message(
      p_company_id, p_conversation_id, 'operator', p_reply ->> 'text', null, p_reply -> 'content');
    perform outbound.set_machine_author(
      p_company_id, p_conversation_id, (v_reply.message ->> 'sequence')::int);
    if v_fits and v_reply.outcome <> 'posted' then
      perform outbound.set_assistant(p_company_id, p_conversation_id, 'idle');
      perform outbound.notify_members(p_company_id, 'chat', p_conversation_id, null);
    end if;
    if not v_fits or v_before.last_author = 'visitor' then
      update outbound.conversations as c set last_author = 'visitor'
      where c.company_id = p_company_id and c.id = p_conversation_id;
    end if;
  end if;
  return query select v_posted.outcome, v_posted.message, v_posted.cap, v_posted.quota, v_posted.used
    where v_posted.outcome is not null;
end
$$;
revoke execute on function outbound.add_visitor_message from public;

-- Sets who replies to a conversation's visitor, if that changes.
create function outbound.set_assistant(p_company_id uuid, p_conversation_id uuid, p_assistant text)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.conversations as c set assistant = p_assistant
  where c.company_id = p_company_id and c.id = p_conversation_id and c.assistant <> p_assistant
$$;
revoke execute on function outbound.set_assistant from public;

-- Records that the service wrote a message itself.
create function outbound.set_machine_author(p_company_id uuid, p_conversation_id uuid, p_sequence int)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.conversation_messages as m set actor = 'assistant'
  where m.company_id = p_company_id and m.conversation_id = p_conversation_id and m.sequence = p_sequence
$$;
revoke execute on function outbound.set_machine_author from public;
