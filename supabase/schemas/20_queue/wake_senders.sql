-- Brings the turns of senders forward for messages that are due at p_times, as advance_senders does, and has claims read
-- from there on; a sender may be named more than once. Locks a turn even if it does not move: a claim that plans it next
-- then sees the messages. Call it after all other locks.
-- Planned once per connection, and the second statement runs only if a turn moves: accepting calls it each time.
-- Without switches: those of accept_notifications hold here.
create function outbound.wake_senders(p_companies uuid[], p_senders uuid[], p_times timestamptz[])
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  v record;
begin
  select array_agg(t.company_id) as companies, array_agg(t.sender_id) as senders, array_agg(work.due_at) as times,
    bool_or(t.due_at > greatest(t.ready_at, work.due_at) or work.due_at <= any (t.queue_cursor)) as do_move
  into v
  from (
    select w.company_id, w.sender_id, min(w.due_at) as due_at
    from unnest(p_companies, p_senders, p_times) as w(company_id, sender_id, due_at)
    group by w.company_id, w.sender_id order by w.sender_id
  ) as work
  cross join lateral (
    select w.* from outbound.sender_schedule as w
    where w.company_id = work.company_id and w.sender_id = work.sender_id for no key update
  ) as t;
  if v.do_move then
    update outbound.sender_schedule as t
    set due_at = least(t.due_at, greatest(t.ready_at, work.due_at)), queue_cursor_id = default,
      queue_cursor = array[
        least(t.queue_cursor[1], work.due_at), least(t.queue_cursor[2], work.due_at), least(t.queue_cursor[3], work.due_at)
      ]
    from unnest(v.companies, v.senders, v.times) as work(company_id, sender_id, due_at)
    where t.company_id = work.company_id and t.sender_id = work.sender_id
      and (t.due_at > greatest(t.ready_at, work.due_at) or work.due_at <= any (t.queue_cursor));
  end if;
end
$$;
revoke execute on function outbound.wake_senders from public;
