-- Records how notifications went that p_worker claimed, each an object:
--   company_id, user_id, subscription_id, id, outcome (sent; failed: never to be sent; retry, in retry_in_s; gone: the
--     browser has ended the subscription), retry_in_s.
-- One whose retry would come too late ends.
create function outbound.finish_push_notices(p_worker text, p_results jsonb)
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per notification.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  with locked as (
    select n.company_id, n.user_id, n.subscription_id, n.id, r.outcome, n.expires_at,
      clock_timestamp() + make_interval(secs => coalesce(r.retry_in_s, 0)) as due_at
    from jsonb_to_recordset(p_results) as r(
      company_id uuid, user_id uuid, subscription_id uuid, id uuid, outcome text, retry_in_s float8
    )
    join outbound.push_notices as n
      on n.company_id = r.company_id and n.user_id = r.user_id and n.subscription_id = r.subscription_id and n.id = r.id
    where n.worker = p_worker
    order by n.company_id, n.user_id, n.subscription_id, n.id for update of n
  ),
  ended as (
    delete from outbound.push_notices as n using locked as l
    where n.company_id = l.company_id and n.user_id = l.user_id and n.subscription_id = l.subscription_id
      and n.id = l.id and (l.outcome <> 'retry' or l.due_at > l.expires_at)
  )
  update outbound.push_notices as n set worker = null, run_at = l.due_at from locked as l
  where n.company_id = l.company_id and n.user_id = l.user_id and n.subscription_id = l.subscription_id
    and n.id = l.id and l.outcome = 'retry' and l.due_at <= l.expires_at;

  delete from outbound.push_subscriptions as s
  using (
    select o.company_id, o.user_id, o.id
    from jsonb_to_recordset(p_results) as r(company_id uuid, user_id uuid, subscription_id uuid, outcome text)
    join outbound.push_subscriptions as o
      on o.company_id = r.company_id and o.user_id = r.user_id and o.id = r.subscription_id
    where r.outcome = 'gone'
    -- A message that adds a notification for it holds others of its company: the next push removes it.
    for update of o skip locked
  ) as gone
  where s.company_id = gone.company_id and s.user_id = gone.user_id and s.id = gone.id;
end
$$;
revoke execute on function outbound.finish_push_notices from public;
