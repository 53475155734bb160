-- Records that the calls among the notifications that p_worker has just leased are about to be made.
create function outbound.open_calls(p_worker text, p_companies uuid[], p_ids uuid[])
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.calls as k (company_id, notification_id, started_at, check_at)
  select n.company_id, n.id, n.claimed_at, n.claimed_at
  from unnest(p_companies, p_ids) as opened(company_id, id)
  cross join lateral (
    select w.company_id, w.id, w.claimed_at from outbound.queue as w
    where w.company_id = opened.company_id and w.id = opened.id and w.voice
      and w.status = 'sending' and w.worker = p_worker
  ) as n
  order by n.id
  on conflict on constraint calls_pkey do update
    set started_at = excluded.started_at, check_at = excluded.check_at, checks = 0
$$;
revoke execute on function outbound.open_calls from public;
