-- Deletes the notes of conversations that were deleted, of either kind.
create function outbound.delete_notes()
returns trigger
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per conversation.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  delete from outbound.conversation_notes as n
  using old_rows as c
  where n.company_id = c.company_id and n.conversation_id = c.id;
  return null;
end
$$;
revoke execute on function outbound.delete_notes from public;
