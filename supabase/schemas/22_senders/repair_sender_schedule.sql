-- Returns every sender that has something waiting. Jumps from one to the next in the index instead of reading the
-- whole queue.
create function outbound.senders_with_work()
returns table (company_id uuid, sender_id uuid)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  with recursive busy as (
    (
      select n.company_id, n.sender_id from outbound.queue as n
      where n.status = 'queued' order by n.sender_id limit 1
    )
    union all
    select following.company_id, following.sender_id
    from busy cross join lateral (
      select n.company_id, n.sender_id from outbound.queue as n
      where n.status = 'queued' and n.sender_id > busy.sender_id
      order by n.sender_id limit 1
    ) as following
  )
  select busy.company_id, busy.sender_id from busy;
end
$$;
revoke execute on function outbound.senders_with_work from public;

-- Plans the turns that come later than something that waits, or begin to read after it. A safety net for work that
-- reached the queue in another way, such as an operator's statement. Leaves all other turns alone, because requests
-- wait for a turn that is being planned. Returns how many senders would have been claimed too late.
create function outbound.repair_sender_schedule()
returns int
language sql security invoker set search_path = ''
-- A batch: one look-up per sender that has work.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
  select outbound.schedule_senders(array_agg(w.company_id), array_agg(w.sender_id), false)
  from outbound.senders_with_work() as w
  cross join lateral (
    select u.* from outbound.sender_schedule as u
    where u.company_id = w.company_id and u.sender_id = w.sender_id limit 1
  ) as t
  where exists (
    select from (values (0::smallint), (1::smallint), (2::smallint)) as level(priority)
    cross join lateral (
      select n.run_at, n.id from outbound.queue as n
      where n.sender_id = t.sender_id and n.priority = level.priority and n.status = 'queued'
      order by n.run_at, n.id limit 1
    ) as first
    where (first.run_at < t.due_at and t.due_at > now())
      or (first.run_at, first.id) < (t.queue_cursor[level.priority + 1], t.queue_cursor_id[level.priority + 1])
  )
$$;
revoke execute on function outbound.repair_sender_schedule from public;
