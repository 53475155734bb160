-- Marks the calls of notifications whose state changes.
create function outbound.mark_call()
returns trigger
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  update outbound.calls as k set changed_xid = k.changed_xid
  where k.company_id = old.company_id and k.notification_id = old.id;
  return null;
end
$$;
revoke execute on function outbound.mark_call from public;
