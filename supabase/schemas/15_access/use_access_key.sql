-- Returns what a presented key may do, and counts one request against its rate.
-- outcome: ok, unauthorized (no key passes: find_key), rate_limited.
-- p_cost 0 checks without counting. reset_s: seconds until the window ends.
create function outbound.use_access_key(p_key_hash text, p_cost int default 1)
returns table (
  outcome text, company_id uuid, api_key_id uuid, permissions text[], api_access boolean,
  rate_limit int, remaining int, reset_s int
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_key record;
  v_usage outbound.usage;
begin
  select k.company_id, k.id, k.permissions, k.rate_limit, k.last_used_at, c.api_access into v_key
  from outbound.find_key(p_key_hash) as k
  cross join lateral (select y.api_access from outbound.companies as y where y.id = k.company_id limit 1) as c;
  if not found then
    return query select 'unauthorized', null::uuid, null::uuid, null::text[], null::boolean, 0, 0, 0;
    return;
  end if;
  -- Lock the key first, then the usage row, in the same order as accept_notifications.
  if v_key.last_used_at is null or v_key.last_used_at < now() - interval '1 minute' then
    update outbound.api_keys as k set last_used_at = now()
    where k.company_id = v_key.company_id and k.id = v_key.id;
  end if;
  v_usage := outbound.open_usage(v_key.company_id, v_key.id);
  if p_cost > 0 and v_usage.requests + p_cost <= v_key.rate_limit then
    update outbound.usage as u set requests = u.requests + p_cost, day_requests = u.day_requests + p_cost
    where u.company_id = v_key.company_id and u.api_key_id = v_key.id and u.day = v_usage.day;
    v_usage.requests := v_usage.requests + p_cost;
    outcome := 'ok';
  else
    outcome := case when p_cost = 0 then 'ok' else 'rate_limited' end;
  end if;
  return query select outcome, v_key.company_id, v_key.id, v_key.permissions, v_key.api_access,
    v_key.rate_limit, greatest(v_key.rate_limit - v_usage.requests, 0),
    outbound.seconds_until(v_usage.window_start + interval '1 minute');
end
$$;
revoke execute on function outbound.use_access_key from public;
