-- Brings the turns of senders forward for work that is due at p_times, to no time that is past (due_from), and has
-- claims read from there on; a sender may be named more than once. Call it in the transaction that puts the work in the
-- queue, after all other locks.
create function outbound.advance_senders(p_companies uuid[], p_senders uuid[], p_times timestamptz[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  with locked as materialized (
    select t.company_id, t.sender_id, t.ready_at, t.due_at, t.queue_cursor, work.due_at as run_at,
      greatest(t.ready_at, work.due_at, clock_timestamp()) as wanted_at
    from (
      select w.company_id, w.sender_id, min(w.due_at) as due_at
      from unnest(p_companies, p_senders, p_times) as w(company_id, sender_id, due_at)
      group by w.company_id, w.sender_id order by w.sender_id
    ) as work
    cross join lateral (
      select w.* from outbound.sender_schedule as w
      where w.company_id = work.company_id and w.sender_id = work.sender_id for no key update
    ) as t
  )
  -- Sets all columns, because constraints are checked on the row as this statement saw it first, which may be older
  -- than the one that it locked.
  update outbound.sender_schedule as t
  set ready_at = locked.ready_at, due_at = least(locked.due_at, locked.wanted_at),
    queue_cursor = array[
      least(locked.queue_cursor[1], locked.run_at),
      least(locked.queue_cursor[2], locked.run_at),
      least(locked.queue_cursor[3], locked.run_at)
    ],
    queue_cursor_id = default
  from locked
  where t.company_id = locked.company_id and t.sender_id = locked.sender_id
    and (locked.due_at > locked.wanted_at or locked.run_at <= any (locked.queue_cursor));
end
$$;
revoke execute on function outbound.advance_senders from public;
