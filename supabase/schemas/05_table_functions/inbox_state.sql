-- Returns what a conversation waits for: unanswered, answered or closed.
create function outbound.inbox_state(p_status text, p_is_theirs boolean)
returns text
language sql immutable security invoker set search_path = ''
return case when p_status = 'closed' then 'closed' when p_is_theirs then 'unanswered' else 'answered' end;
revoke execute on function outbound.inbox_state from public;
