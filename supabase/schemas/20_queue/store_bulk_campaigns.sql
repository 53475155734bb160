-- Stores the campaigns of a batch for which more than one message is expected, or whose messages have times of their own,
-- as what they are (bulk_campaigns), and gives the latter messages their times. accept_notifications describes requests
-- and notifications; p_companies has an element for each request, at its ord, p_stored the requests that were stored.
create function outbound.store_bulk_campaigns(
  p_requests json, p_notifications json, p_companies uuid[], p_stored int[]
)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.bulk_campaigns as b (company_id, campaign_id, timing)
  select p_companies[r.ord], r.id, r.timing
  from json_to_recordset(p_requests) as r(
    ord int, id uuid, size int, is_addition boolean, more boolean, timing jsonb
  )
  where r.ord = any (p_stored) and r.is_addition is not true and (r.size > 1 or r.more or r.timing is not null)
  on conflict on constraint bulk_campaigns_pkey do nothing;
  if strpos(p_requests::text, '"timing"') > 0 then
    perform outbound.store_own_times(p_notifications, p_companies, p_stored);
  end if;
end
$$;
revoke execute on function outbound.store_bulk_campaigns from public;

-- Gives the notifications of a batch that were put in the queue the times that are their own (run_at), and their time
-- to live from there on. accept_notifications describes notifications; p_companies has an element for each request, at
-- its ord, p_stored the requests that were stored. Called only if a request has timing.
create function outbound.store_own_times(p_notifications json, p_companies uuid[], p_stored int[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per message.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  update outbound.queue as q
  set run_at = case when own.is_held then q.run_at else own.due_at end,
    held_run_at = case when own.is_held then own.due_at end, is_scheduled = own.due_at > now(),
    expires_at = q.expires_at + (own.due_at - own.base)
  from (
    select w.company_id, w.id, w.held_run_at is not null as is_held, coalesce(w.held_run_at, w.run_at) as base,
      greatest(n.run_at, coalesce(w.held_run_at, w.run_at)) as due_at
    from json_to_recordset(p_notifications) as n(ord int, id uuid, run_at timestamptz)
    join outbound.queue as w on w.company_id = p_companies[n.ord] and w.id = n.id
    where n.ord = any (p_stored) and n.run_at is not null
  ) as own
  where q.company_id = own.company_id and q.id = own.id;
end
$$;
revoke execute on function outbound.store_own_times from public;
