-- Records how a claimed reply of an agent went. p_result: {outcome, to_sequence, text, content, wants_person,
-- person_text, retry_in_s}. By its outcome: replied (text, empty for none, and content are the reply to the messages up
-- to to_sequence; with wants_person, the conversation goes to a person after it), retry (due again in retry_in_s), failed
-- (the conversation goes to a person). person_text says to the visitor that a person will reply. Returns what was done:
-- replied, postponed (the visitor has written since, a moment ago: one reply is for all of it), retry, handed_off,
-- dropped (closed, or a person takes care of it), or lost, with no effect: another claim has taken it, or it is recorded.
create function outbound.finish_agent_reply(
  p_company_id uuid, p_conversation_id uuid, p_worker text, p_attempt int, p_result jsonb
)
returns text
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_outcome constant text := p_result ->> 'outcome';
  v_conversation outbound.conversations;
  v_owed outbound.agent_replies;
  v_is_newer boolean;
begin
  select * into v_conversation from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id
  for no key update;
  select * into v_owed from outbound.agent_replies as a
  where a.company_id = p_company_id and a.conversation_id = p_conversation_id
    and a.worker = p_worker and a.attempt = p_attempt
  for update;
  if not found then
    return 'lost';
  end if;
  v_is_newer := v_owed.to_sequence > (p_result ->> 'to_sequence')::int;
  if v_conversation.status <> 'open' or v_conversation.assistant = 'silent' or v_conversation.assigned_to is not null then
    perform outbound.end_agent_reply(p_company_id, p_conversation_id);
    return 'dropped';
  elsif v_outcome = 'retry' then
    perform outbound.put_off_agent_reply(v_owed, make_interval(secs => (p_result ->> 'retry_in_s')::float8));
    return 'retry';
  elsif v_outcome = 'replied' and v_is_newer and v_owed.owed_at > now() - interval '15 seconds' then
    perform outbound.put_off_agent_reply(v_owed, interval '0');
    return 'postponed';
  end if;
  perform outbound.end_agent_reply(p_company_id, p_conversation_id);
  if v_outcome = 'failed' or not outbound.store_agent_reply(v_owed, p_result)
    or (p_result ->> 'wants_person')::boolean
  then
    perform outbound.request_person(p_company_id, p_conversation_id, p_result ->> 'person_text');
    return 'handed_off';
  end if;
  if v_is_newer then
    v_conversation.last_author := case when v_owed.member_wanted then 'visitor' end;
    perform outbound.owe_agent_reply(v_conversation, v_owed.to_sequence, p_result #>> '{content,sender,name}');
    update outbound.agent_replies as a set from_sequence = (p_result ->> 'to_sequence')::int + 1
    where a.company_id = p_company_id and a.conversation_id = p_conversation_id;
  end if;
  return 'replied';
end
$$;
revoke execute on function outbound.finish_agent_reply from public;

-- Makes a reply due again, for any dispatcher.
create function outbound.put_off_agent_reply(p_owed outbound.agent_replies, p_wait interval)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.agent_replies as a set worker = null, run_at = now() + p_wait
  where a.company_id = p_owed.company_id and a.conversation_id = p_owed.conversation_id
$$;
revoke execute on function outbound.put_off_agent_reply from public;

-- Ends the wait for an agent's reply, also for the visitor.
create function outbound.end_agent_reply(p_company_id uuid, p_conversation_id uuid)
returns void
language sql security invoker set search_path = ''
as $$
  delete from outbound.agent_replies as a
  where a.company_id = p_company_id and a.conversation_id = p_conversation_id;
  update outbound.conversations as c set operator_typing_until = null
  where c.company_id = p_company_id and c.id = p_conversation_id;
$$;
revoke execute on function outbound.end_agent_reply from public;

-- Adds an agent's reply to the conversation. Returns false where there is no room for it. Without a text, there is nothing
-- to add.
create function outbound.store_agent_reply(p_owed outbound.agent_replies, p_result jsonb)
returns boolean
language plpgsql security invoker set search_path = ''
as $$
declare
  v_posted record;
begin
  if p_result ->> 'text' = '' then
    return true;
  end if;
  select * into v_posted from outbound.add_message(
    p_owed.company_id, p_owed.conversation_id, 'operator', p_result ->> 'text', null, p_result -> 'content');
  if v_posted.outcome <> 'posted' then
    return false;
  end if;
  perform outbound.set_machine_author(
    p_owed.company_id, p_owed.conversation_id, (v_posted.message ->> 'sequence')::int);
  if p_owed.member_wanted or p_owed.to_sequence > (p_result ->> 'to_sequence')::int then
    update outbound.conversations as c set last_author = 'visitor'
    where c.company_id = p_owed.company_id and c.id = p_owed.conversation_id;
  end if;
  return true;
end
$$;
revoke execute on function outbound.store_agent_reply from public;
