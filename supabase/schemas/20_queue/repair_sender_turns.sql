-- Returns every sender that has something waiting. Jumps from one to the next in the index instead of reading the
-- whole queue.
create function outbound.senders_with_work()
returns table (company_id uuid, sender_id uuid)
language plpgsql stable security invoker set search_path = '' set enable_seqscan = off
as $$
begin
  return query
  with recursive busy as (
    (
      select n.company_id, n.sender_id from outbound.notifications as n
      where n.queue_status in ('scheduled', 'queued') order by n.sender_id limit 1
    )
    union all
    select following.company_id, following.sender_id
    from busy cross join lateral (
      select n.company_id, n.sender_id from outbound.notifications as n
      where n.queue_status in ('scheduled', 'queued') and n.sender_id > busy.sender_id
      order by n.sender_id limit 1
    ) as following
  )
  select busy.company_id, busy.sender_id from busy;
end
$$;
revoke execute on function outbound.senders_with_work from public;

-- Plans the turn of every sender that has anything waiting. A safety net for work that reached the queue in another
-- way, such as an operator's statement. Returns how many senders would have been claimed too late.
create function outbound.repair_sender_turns()
returns int
language sql security invoker set search_path = ''
as $$
  select outbound.plan_sender_turns(array_agg(w.company_id), array_agg(w.sender_id), false)
  from outbound.senders_with_work() as w
$$;
revoke execute on function outbound.repair_sender_turns from public;
