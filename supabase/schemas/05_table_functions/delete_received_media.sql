-- Deletes the files of people's messages that were deleted, and has none of them fetched.
create function outbound.delete_received_media()
returns trigger
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per message.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  delete from outbound.media_files as f
  using old_rows as m
  where f.company_id = m.company_id and f.message_id = m.id and m.direction = 'in';
  delete from outbound.received_media as r
  using old_rows as m
  where r.company_id = m.company_id and r.message_id = m.id and m.direction = 'in';
  return null;
end
$$;
revoke execute on function outbound.delete_received_media from public;
