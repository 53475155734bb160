-- Marks a row with the transaction that writes it, so that an index finds what changed (read_changes).
--
-- `changed_xid is not null`, in these indexes, is always true, and keeps other queries' plans from them.
--
-- A mark that is at most 1,000 transactions old stays: nearly all updates of a busy row leave its index alone (HOT).
create function outbound.mark_change()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  v_now constant bigint := pg_current_xact_id()::text::bigint;
begin
  -- A mark beyond this transaction was restored from another database.
  if new.changed_xid not between v_now - 1000 and v_now then
    new.changed_xid := v_now;
  end if;
  return new;
end
$$;
revoke execute on function outbound.mark_change from public;
