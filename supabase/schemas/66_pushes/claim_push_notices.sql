-- Leases up to p_limit due notifications to p_worker for p_lease, of a company and of a push service p_limit_each at
-- most, and none of p_except_companies and p_except_services: one that does not respond delays no other. Drops those
-- that are too old.
create function outbound.claim_push_notices(
  p_worker text, p_limit int, p_limit_each int, p_lease interval, p_except_companies uuid[], p_except_services text[]
)
returns table (
  company_id uuid, user_id uuid, subscription_id uuid, id uuid, conversation_id uuid, kind text, attempt int, ttl_s int,
  company_name text, endpoint text, service text, p256dh text, auth text, language text
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per notification.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
begin
  if not outbound.is_active_cell() then
    return;
  end if;
  return query
  with candidate as materialized (
    select n.company_id, n.user_id, n.subscription_id, n.id, n.run_at, s.service
    from outbound.push_notices as n
    cross join lateral (
      select split_part(s.endpoint, '/', 3) as service from outbound.push_subscriptions as s
      where s.company_id = n.company_id and s.user_id = n.user_id and s.id = n.subscription_id limit 1
    ) as s
    where n.run_at <= now() and n.company_id <> all (p_except_companies) and s.service <> all (p_except_services)
    order by n.run_at limit 500
  ),
  ranked as (
    select c.*, row_number() over (partition by c.company_id order by c.run_at) as turn,
      row_number() over (partition by c.service order by c.run_at) as turn_of_service
    from candidate as c
  ),
  chosen as (
    select r.* from ranked as r
    where r.turn <= p_limit_each and r.turn_of_service <= p_limit_each
    order by r.run_at limit p_limit
  ),
  locked as (
    select n.* from chosen as c
    cross join lateral (
      select o.* from outbound.push_notices as o
      where o.company_id = c.company_id and o.user_id = c.user_id and o.subscription_id = c.subscription_id
        and o.id = c.id and o.run_at <= now()
      for update skip locked
    ) as n
  ),
  dropped as (
    delete from outbound.push_notices as n using locked as l
    where n.company_id = l.company_id and n.user_id = l.user_id and n.subscription_id = l.subscription_id
      and n.id = l.id and l.expires_at <= now()
  ),
  claimed as (
    update outbound.push_notices as n
    set worker = p_worker, attempt = n.attempt + 1, run_at = clock_timestamp() + p_lease
    from locked as l
    where n.company_id = l.company_id and n.user_id = l.user_id and n.subscription_id = l.subscription_id
      and n.id = l.id and l.expires_at > now()
    returning n.*
  )
  select c.company_id, c.user_id, c.subscription_id, c.id, c.conversation_id, c.kind, c.attempt,
    ceil(extract(epoch from c.expires_at - now()))::int, y.name, s.endpoint, split_part(s.endpoint, '/', 3),
    s.p256dh, s.auth, s.language
  from claimed as c
  join outbound.companies as y on y.id = c.company_id
  join outbound.push_subscriptions as s
    on s.company_id = c.company_id and s.user_id = c.user_id and s.id = c.subscription_id;
end
$$;
revoke execute on function outbound.claim_push_notices from public;
