-- Deciding who may call, and how often.

-- What a presented key is good for, with one request counted against its rate.
-- outcome: ok, unauthorized (no such key, or not active), rate_limited.
-- p_cost 0 looks without counting. reset_s: seconds until the window is new.
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
  from outbound.api_keys as k join outbound.companies as c on c.id = k.company_id
  where k.key_hash = p_key_hash and k.is_active;
  if not found then
    return query select 'unauthorized', null::uuid, null::uuid, null::text[], null::boolean, 0, 0, 0;
    return;
  end if;
  -- The key's row first, then the usage row: accept_notifications locks them in this order too.
  if v_key.last_used_at is null or v_key.last_used_at < now() - interval '1 minute' then
    update outbound.api_keys as k set last_used_at = now()
    where k.company_id = v_key.company_id and k.id = v_key.id;
  end if;
  v_usage := outbound.open_usage(v_key.company_id, v_key.id);
  if p_cost > 0 and v_usage.requests + p_cost <= v_key.rate_limit then
    update outbound.usage as u set requests = u.requests + p_cost
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

-- Whole seconds from now to p_at, never less than 1.
create function outbound.seconds_until(p_at timestamptz)
returns int
language sql stable security invoker set search_path = ''
as $$ select greatest(1, ceil(extract(epoch from p_at - now())))::int $$;
revoke execute on function outbound.seconds_until from public;

-- Today's usage row of a key, locked, with its rate window moved to the running minute: on to it, or back to it after
-- the clock was set back, or else the key would be shut out until the clock has caught up. A window that is one minute
-- ahead stays, because a transaction that began just before the minute may come here after one that began in it.
create function outbound.open_usage(p_company_id uuid, p_api_key_id uuid)
returns outbound.usage
language plpgsql security invoker set search_path = ''
as $$
declare
  v_day date := (now() at time zone 'UTC')::date;
  v_window timestamptz := date_trunc('minute', now());
  v_usage outbound.usage;
begin
  select * into v_usage from outbound.usage as u
  where u.company_id = p_company_id and u.api_key_id = p_api_key_id and u.day = v_day
  for no key update;
  if not found then
    insert into outbound.usage as u (company_id, api_key_id, day, window_start)
    values (p_company_id, p_api_key_id, v_day, v_window)
    on conflict on constraint usage_pkey do update set requests = u.requests
    returning * into v_usage;
  end if;
  if v_usage.window_start < v_window or v_usage.window_start > v_window + interval '1 minute' then
    v_usage.window_start := v_window;
    v_usage.requests := 0;
    update outbound.usage as u set window_start = v_window, requests = 0
    where u.company_id = p_company_id and u.api_key_id = p_api_key_id and u.day = v_day;
  end if;
  return v_usage;
end
$$;
revoke execute on function outbound.open_usage from public;

-- Whether a window of p_window that began at p_start is over. One that begins more than a minute from now is: the clock
-- was set back, and nobody is to wait for it to catch up.
create function outbound.is_window_over(p_start timestamptz, p_window interval)
returns boolean
language sql stable security invoker set search_path = ''
as $$ select p_start <= now() - p_window or p_start > now() + interval '1 minute' $$;
revoke execute on function outbound.is_window_over from public;

-- The row of an address, an account or a pair of the two, locked, with its window moved on when it is over.
create function outbound.open_login_window(p_subject text, p_window interval)
returns outbound.login_attempts
language sql security invoker set search_path = ''
as $$
  insert into outbound.login_attempts as a (subject, window_start, attempts)
  values (p_subject, now(), 0)
  on conflict (subject) do update set
    attempts = case when outbound.is_window_over(a.window_start, p_window) then 0 else a.attempts end,
    window_start = case when outbound.is_window_over(a.window_start, p_window) then now() else a.window_start end,
    expires_at = greatest(a.expires_at, now() + interval '1 day')
  returning *
$$;
revoke execute on function outbound.open_login_window from public;

-- Seconds until an account's bucket has a try for a pair that has failed p_failures times; 0 when it has one now. The
-- bucket holds p_burst tries and gains one per p_gap. Its lower half is for pairs with fewer than three failures: a
-- stranger at a few addresses cannot empty it, and a user who comes from elsewhere finds a try left.
create function outbound.login_wait_s(
  p_full_at timestamptz, p_failures int, p_burst int, p_gap interval
)
returns int
language sql stable security invoker set search_path = ''
as $$
  select case when ready.at <= now() then 0 else outbound.seconds_until(ready.at) end
  from (
    select p_full_at - p_gap * (case when p_failures < 3 then p_burst - 1 else p_burst - p_burst / 2 - 1 end) as at
  ) as ready
$$;
revoke execute on function outbound.login_wait_s from public;

-- Counts a try to log in before the password is looked at, so that tries made at once cannot slip by. Only a try that may
-- go on is counted. An unknown address (null) has no limit of its own; all unknown addresses are one in p_pair.
-- wait_s: seconds to wait, or 0 when the try may go on; reached: the limit that is in the way.
-- Rows are locked in the order address, account, pair, here and below.
create function outbound.count_login_attempt(
  p_address text, p_account text, p_pair text, p_per_address int, p_per_pair int, p_window interval,
  p_burst int, p_gap interval, out wait_s int, out reached text
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_address outbound.login_attempts;
  v_account outbound.login_attempts;
  v_pair outbound.login_attempts;
  v_full_at timestamptz;
  v_is_known boolean;
begin
  wait_s := 0;
  -- A user who is known at this address does not wait for others there: an office is one address.
  v_is_known := exists (
    select from outbound.login_attempts as known where known.subject = p_pair and known.known_until >= now()
  );
  if p_address is not null then
    v_address := outbound.open_login_window(p_address, p_window);
    if v_address.attempts >= p_per_address and not v_is_known then
      wait_s := outbound.seconds_until(v_address.window_start + p_window);
      reached := 'address';
      return;
    end if;
  end if;

  v_account := outbound.open_login_window(p_account, p_window);
  v_pair := outbound.open_login_window(p_pair, p_window);
  if v_pair.attempts >= p_per_pair then
    wait_s := outbound.seconds_until(v_pair.window_start + p_window);
    reached := 'pair';
    return;
  end if;

  if not v_is_known then
    v_full_at := greatest(v_account.full_at, now());
    -- Further away than an empty bucket: the clock was set back.
    if v_full_at > now() + p_gap * p_burst + interval '1 minute' then
      v_full_at := now();
    end if;
    wait_s := outbound.login_wait_s(v_full_at, v_pair.attempts, p_burst, p_gap);
    if wait_s > 0 then
      reached := 'account';
      return;
    end if;
    update outbound.login_attempts as a set full_at = v_full_at + p_gap where a.subject = p_account;
  end if;
  update outbound.login_attempts as a set attempts = a.attempts + 1 where a.subject in (p_address, p_pair);
end
$$;
revoke execute on function outbound.count_login_attempt from public;

-- Takes back a try that was no failure: nobody judged the password (p_known_for is null), or it was right. The user is
-- then known at this address for p_known_for, and the pair starts from nothing.
create function outbound.forgive_login_attempt(
  p_address text, p_account text, p_pair text, p_gap interval, p_known_for interval
)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  update outbound.login_attempts as a set attempts = greatest(a.attempts - 1, 0) where a.subject = p_address;
  update outbound.login_attempts as a set full_at = a.full_at - p_gap
  where a.subject = p_account and not exists (
    select from outbound.login_attempts as pair where pair.subject = p_pair and pair.known_until >= now()
  );
  update outbound.login_attempts as a
  set attempts = case when p_known_for is null then greatest(a.attempts - 1, 0) else 0 end,
    known_until = coalesce(now() + p_known_for, a.known_until),
    expires_at = greatest(a.expires_at, now() + p_known_for)
  where a.subject = p_pair;
end
$$;
revoke execute on function outbound.forgive_login_attempt from public;
