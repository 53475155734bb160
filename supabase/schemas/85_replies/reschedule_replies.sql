-- Says when claims look at the given senders again, by what waits for them now, and not before p_not_before: a sender
-- for which nothing waits leaves the schedule, a stopped one stays in it without a time. A step of claim_replies, which
-- has locked the schedule of these senders.
create function outbound.reschedule_replies(p_companies uuid[], p_senders uuid[], p_not_before timestamptz)
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per sender.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  with next as materialized (
    select w.company_id, w.sender_id, m.run_at, s.is_active, s.is_ready
    from unnest(p_companies, p_senders) as w(company_id, sender_id)
    left join lateral (
      select q.run_at from outbound.contact_messages as q
      where q.company_id = w.company_id and q.sender_id = w.sender_id and q.status = 'queued'
      order by q.run_at limit 1
    ) as m on true
    left join lateral (
      select o.status = 'active' as is_active, outbound.may_reply(o) as is_ready from outbound.senders as o
      where o.company_id = w.company_id and o.id = w.sender_id limit 1
    ) as s on true
  ),
  idle as (
    delete from outbound.reply_schedule as s using next
    where s.company_id = next.company_id and s.sender_id = next.sender_id and next.run_at is null
  )
  update outbound.reply_schedule as s
  set due_at = case when next.is_active then
      greatest(
        next.run_at, now() + case when next.is_ready then interval '0' else interval '3 seconds' end, p_not_before)
    else 'infinity' end
  from next
  where s.company_id = next.company_id and s.sender_id = next.sender_id and next.run_at is not null;
end
$$;
revoke execute on function outbound.reschedule_replies from public;
