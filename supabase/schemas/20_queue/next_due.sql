-- Returns when there is something to do next: the earliest turn of a sender, or the end of a lease or a wait. The
-- time at which a line becomes free is not known. Null in a database that is not the one that works.
create function outbound.next_due()
returns timestamptz
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_due_from constant timestamptz := outbound.due_from('senders');
  v_leases_from constant timestamptz := outbound.leases_from();
begin
  if not outbound.is_active_cell() then
    return null;
  end if;
  return least(
    (select t.due_at from outbound.sender_schedule as t where t.due_at >= v_due_from order by t.due_at limit 1),
    (
      select n.lease_until from outbound.queue as n
      where n.status in ('sending', 'unconfirmed') and n.lease_until >= v_leases_from
      order by n.lease_until limit 1
    )
  );
end
$$;
revoke execute on function outbound.next_due from public;
