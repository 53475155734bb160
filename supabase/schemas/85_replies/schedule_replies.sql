-- Makes claims look at these senders at these times, at none that is past (due_from), unless they look earlier anyway.
-- The last of all locks.
create function outbound.schedule_replies(p_companies uuid[], p_senders uuid[], p_times timestamptz[])
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.reply_schedule as s (company_id, sender_id, due_at)
  select r.company_id, r.sender_id, greatest(min(r.due_at), clock_timestamp())
  from unnest(p_companies, p_senders, p_times) as r(company_id, sender_id, due_at)
  group by r.company_id, r.sender_id order by r.company_id, r.sender_id
  on conflict on constraint reply_schedule_pkey do update set due_at = least(s.due_at, excluded.due_at)
$$;
revoke execute on function outbound.schedule_replies from public;

-- Schedules the senders for which replies wait and that are not scheduled: a safety net for what was queued in another
-- way, such as an operator's statement. Jumps from one sender to the next in the index.
create function outbound.repair_reply_schedule()
returns void
language sql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  with recursive waiting as (
    (
      select m.company_id, m.sender_id from outbound.contact_messages as m
      where m.status = 'queued' order by m.company_id, m.sender_id limit 1
    )
    union all
    select next.company_id, next.sender_id from waiting as w
    cross join lateral (
      select m.company_id, m.sender_id from outbound.contact_messages as m
      where m.status = 'queued' and (m.company_id, m.sender_id) > (w.company_id, w.sender_id)
      order by m.company_id, m.sender_id limit 1
    ) as next
  )
  insert into outbound.reply_schedule (company_id, sender_id, due_at)
  select w.company_id, w.sender_id, now() from waiting as w
  where not exists (
    select from outbound.reply_schedule as s where s.company_id = w.company_id and s.sender_id = w.sender_id
  )
  on conflict on constraint reply_schedule_pkey do nothing
$$;
revoke execute on function outbound.repair_reply_schedule from public;
