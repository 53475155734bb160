-- Deletes the files that visitors sent in chats that were deleted.
create function outbound.delete_files_of_chats()
returns trigger
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per conversation.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  delete from outbound.media_files as f
  using old_rows as c
  where f.company_id = c.company_id and f.conversation_id = c.id;
  return null;
end
$$;
revoke execute on function outbound.delete_files_of_chats from public;
