-- Records that an agent owes the visitor a reply to message p_sequence, and shows that an author named p_name is
-- typing. p_before: the conversation before the message. A reply is due a second after the last message, five
-- seconds after the first one at the latest, so that messages in quick succession get one. While it is claimed, or waits
-- for the platform, a message changes only what it is for.
create function outbound.owe_agent_reply(p_before outbound.conversations, p_sequence int, p_name text)
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.agent_replies as a
    (company_id, conversation_id, from_sequence, to_sequence, member_wanted, run_at)
  values (
    p_before.company_id, p_before.id, p_sequence, p_sequence, coalesce(p_before.last_author = 'visitor', false),
    now() + interval '1 second'
  )
  on conflict on constraint agent_replies_pkey do update
    set to_sequence = excluded.to_sequence,
      run_at = case when a.worker is not null then a.run_at
        else greatest(a.run_at, least(excluded.run_at, a.owed_at + interval '5 seconds')) end;
  update outbound.conversations as c
  set operator_typing_until = now() + interval '1 minute', operator_typing_name = p_name
  where c.company_id = p_before.company_id and c.id = p_before.id;
$$;
revoke execute on function outbound.owe_agent_reply from public;
