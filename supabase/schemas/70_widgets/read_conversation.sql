-- Moves how far one side (visitor, operator) has read a conversation on to p_sequence: never back, and not beyond the
-- last message. Returns whether it moved; nothing is written where it did not.
create function outbound.read_conversation(
  p_company_id uuid, p_conversation_id uuid, p_reader text, p_sequence int
)
returns boolean
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  update outbound.conversations as c
  set visitor_read = case when p_reader = 'visitor' then least(p_sequence, c.last_sequence) else c.visitor_read end,
    operator_read = case when p_reader = 'operator' then least(p_sequence, c.last_sequence) else c.operator_read end,
    follow_up_at = case when p_reader = 'visitor' and p_sequence >= c.last_sequence then null else c.follow_up_at end
  where c.company_id = p_company_id and c.id = p_conversation_id
    and least(p_sequence, c.last_sequence) > case when p_reader = 'visitor' then c.visitor_read else c.operator_read end;
  return found;
end
$$;
revoke execute on function outbound.read_conversation from public;
