-- Deletes the threads whose last message was deleted: it was erased, or all of the thread is old.
create function outbound.end_threads()
returns trigger
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per thread that lost a message.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  delete from outbound.contact_threads as t
  using old_rows as m
  where t.last_message_id = m.id and case when t.company_id = m.company_id then true end;
  return null;
end
$$;
revoke execute on function outbound.end_threads from public;
