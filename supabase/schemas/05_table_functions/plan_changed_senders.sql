-- Plans the turns of senders whose state or rate changed, and has claims look at the replies of those that are active
-- again. A statement trigger, so that the rows of several senders are locked in their order.
create function outbound.plan_changed_senders()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  -- Whatever their time is: a claim that looks at them at this moment still sees them stopped.
  update outbound.reply_schedule as s set due_at = now()
  from (
    select w.company_id, w.sender_id
    from (
      select n.company_id, n.id from new_rows as n join old_rows as o on o.company_id = n.company_id and o.id = n.id
      where n.status = 'active' and o.status <> 'active' order by n.company_id, n.id
    ) as again
    cross join lateral (
      select r.company_id, r.sender_id from outbound.reply_schedule as r
      where r.company_id = again.company_id and r.sender_id = again.id for no key update
    ) as w
  ) as again
  where s.company_id = again.company_id and s.sender_id = again.sender_id;

  perform outbound.schedule_senders(array_agg(changed.company_id), array_agg(changed.id), true)
  from (
    select n.company_id, n.id, n.status, n.over_budget, n.rate_per_second, n.concurrency from new_rows as n
    except
    select o.company_id, o.id, o.status, o.over_budget, o.rate_per_second, o.concurrency from old_rows as o
  ) as changed;
  return null;
end
$$;
revoke execute on function outbound.plan_changed_senders from public;
