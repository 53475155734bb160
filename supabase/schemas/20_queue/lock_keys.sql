-- Locks the keys of a batch of requests with today's use of each, then the campaigns that requests add to; null for none.
-- Notes that the keys were used. The first step of accept_notifications: what it reads next is then what the transactions
-- that had these locked before have committed.
-- Without switches: those of accept_notifications hold here.
create function outbound.lock_keys(p_key_hashes text[], p_campaigns uuid[])
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  v_keys int;
  v_noted int;
  v_companies uuid[];
begin
  -- In the order of their hashes: one batch per key at a time, and no deadlock between batches.
  select count(outbound.open_usage(k.company_id, k.id)),
    count(*) filter (where k.last_used_at >= now() - interval '1 minute'), array_agg(k.company_id)
  into v_keys, v_noted, v_companies
  from (
    select k.company_id, k.id, k.last_used_at from outbound.api_keys as k
    where k.is_active and k.key_hash = any (p_key_hashes)
    order by k.key_hash for no key update
  ) as k;
  if v_noted < v_keys then
    update outbound.api_keys as k set last_used_at = now()
    where k.is_active and k.key_hash = any (p_key_hashes)
      and coalesce(k.last_used_at < now() - interval '1 minute', true);
  end if;
  -- In the order of their ids.
  if p_campaigns is not null then
    perform from (select c.id from unnest(p_campaigns) as c(id) order by c.id) as named
    cross join lateral (
      select from outbound.campaigns as g where g.company_id = any (v_companies) and g.id = named.id for no key update
    ) as g;
  end if;
end
$$;
revoke execute on function outbound.lock_keys from public;
