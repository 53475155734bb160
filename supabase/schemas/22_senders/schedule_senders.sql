-- Sets the turns of the given senders, who may be named more than once, to what their state and their queue say now.
-- Call it after all other locks.
-- p_wait false: only turns that can be locked at once. A turn that is locked elsewhere is being brought forward, and
-- may stay.
-- p_not_before: where a sender was ready when this transaction began, its turn comes at this time at the earliest,
-- because what it has due could not be sent. A sender that only waits for its rate is not delayed.
-- A turn is set to no time that is past (due_from): one that is due is not moved back in time.
-- p_from_first: reads the queue from queue_cursor on. Only for a transaction that has put nothing in the queue; all
-- others read everything that waits, and so set queue_cursor right whatever it was.
-- Returns how many turns it brought forward, or had their work before queue_cursor.
create function outbound.schedule_senders(
  p_companies uuid[], p_senders uuid[], p_wait boolean, p_not_before timestamptz default '-infinity',
  p_from_first boolean default false
)
returns int
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per sender.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_companies uuid[];
  v_senders uuid[];
  v_forward int;
  v_now constant timestamptz := clock_timestamp();
  v_no_id constant uuid := '00000000-0000-0000-0000-000000000000'::uuid;
  -- Messages that are being accepted now are due a little before they can be seen here. They may lower queue_cursor,
  -- but all of them would have to if it were as late as the last claim.
  v_latest constant timestamptz := v_now - interval '200 ms';
begin
  if p_wait then
    select array_agg(t.company_id), array_agg(t.sender_id) into v_companies, v_senders
    from (
      select distinct g.company_id, g.sender_id from unnest(p_companies, p_senders) as g(company_id, sender_id)
      order by g.sender_id
    ) as given
    cross join lateral (
      select w.company_id, w.sender_id from outbound.sender_schedule as w
      where w.company_id = given.company_id and w.sender_id = given.sender_id for no key update
    ) as t;
  else
    select array_agg(t.company_id), array_agg(t.sender_id) into v_companies, v_senders
    from unnest(p_companies, p_senders) as given(company_id, sender_id)
    cross join lateral (
      select w.company_id, w.sender_id from outbound.sender_schedule as w
      where w.company_id = given.company_id and w.sender_id = given.sender_id for no key update skip locked
    ) as t;
  end if;

  -- A separate statement, so that it sees what the transactions that had the turns locked before put in the queue.
  with planned as (
    select t.company_id, t.sender_id, t.due_at as was_due_at, r.ready_at,
      greatest(
        r.ready_at, case when r.ready_at <= now() then p_not_before end, coalesce(q.run_at, 'infinity'),
        least(t.due_at, v_now)
      ) as due_at,
      q.queue_cursor, q.queue_cursor_id, q.was_before
    from unnest(v_companies, v_senders) as locked(company_id, sender_id)
    cross join lateral (
      select w.* from outbound.sender_schedule as w
      where w.company_id = locked.company_id and w.sender_id = locked.sender_id limit 1
    ) as t
    cross join lateral (
      select outbound.sender_ready_at(p, s) as ready_at from outbound.senders as s
      join outbound.sender_rate_state as p on p.company_id = s.company_id and p.sender_id = s.id
      where s.company_id = t.company_id and s.id = t.sender_id limit 1
    ) as r
    cross join lateral (
      select min(first.run_at) as run_at,
        array_agg(coalesce(least(first.run_at, v_latest), v_latest) order by level.priority) as queue_cursor,
        array_agg(case when first.run_at < v_latest then first.id else v_no_id end order by level.priority)
          as queue_cursor_id,
        bool_or(coalesce(
          (first.run_at, first.id) < (t.queue_cursor[level.priority + 1], t.queue_cursor_id[level.priority + 1]), false
        )) as was_before
      from (values (0::smallint), (1::smallint), (2::smallint)) as level(priority)
      left join lateral (
        select n.run_at, n.id from outbound.queue as n
        where n.sender_id = t.sender_id and n.priority = level.priority and n.status = 'queued'
          and (n.run_at, n.id) >= (
            case when p_from_first then t.queue_cursor[level.priority + 1] else '-infinity' end,
            case when p_from_first then t.queue_cursor_id[level.priority + 1] else v_no_id end
          )
        order by n.run_at, n.id limit 1
      ) as first on true
    ) as q
  ),
  -- A queue_cursor that only moved on is not worth a write of its own.
  moved as (
    update outbound.sender_schedule as t
    set ready_at = planned.ready_at, due_at = planned.due_at, queue_cursor = planned.queue_cursor,
      queue_cursor_id = planned.queue_cursor_id
    from planned
    where t.company_id = planned.company_id and t.sender_id = planned.sender_id
      and ((t.ready_at, t.due_at) is distinct from (planned.ready_at, planned.due_at) or planned.was_before)
    returning planned.was_due_at > planned.due_at or planned.was_before as forward
  )
  select count(*) filter (where m.forward) into v_forward from moved as m;
  return v_forward;
end
$$;
revoke execute on function outbound.schedule_senders from public;
