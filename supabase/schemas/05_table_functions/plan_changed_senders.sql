-- Plans the turns of senders whose state or rate changed. A statement trigger, so that the turns of several senders
-- are locked in their order.
create function outbound.plan_changed_senders()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform outbound.schedule_senders(array_agg(changed.company_id), array_agg(changed.id), true)
  from (
    select n.company_id, n.id, n.status, n.rate_per_second, n.concurrency from new_rows as n
    except
    select o.company_id, o.id, o.status, o.rate_per_second, o.concurrency from old_rows as o
  ) as changed;
  return null;
end
$$;
revoke execute on function outbound.plan_changed_senders from public;
