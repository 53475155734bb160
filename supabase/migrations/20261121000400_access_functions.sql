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

-- Counts a try to log in against each subject (an e-mail, an address; hashed)
-- before the password is looked at, so that tries made at once cannot slip by.
-- wait_s: seconds to wait, or 0 when the try may go on; reached: the limit that is in the way.
create function outbound.count_login_attempt(
  p_subjects text[], p_limits int[], p_window interval, out wait_s int, out reached int
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_row record;
  v_limit int;
begin
  wait_s := 0;
  for v_row in
    insert into outbound.login_attempts as a (subject, window_start, attempts)
    select subject, now(), 1 from unnest(p_subjects) as subject order by subject
    on conflict (subject) do update set
      attempts = case when outbound.is_window_over(a.window_start, p_window) then 1 else a.attempts + 1 end,
      window_start = case when outbound.is_window_over(a.window_start, p_window) then now() else a.window_start end
    returning a.subject, a.attempts, outbound.seconds_until(a.window_start + p_window) as ends_s
  loop
    v_limit := p_limits[array_position(p_subjects, v_row.subject)];
    if v_row.attempts > v_limit and v_row.ends_s > wait_s then
      wait_s := v_row.ends_s;
      reached := v_limit;
    end if;
  end loop;
end
$$;
revoke execute on function outbound.count_login_attempt from public;

-- Takes back a try that was no attack: it succeeded (p_afresh: the first subject, the e-mail, then starts from
-- nothing), or nobody was there to judge it.
create function outbound.forgive_login_attempt(p_subjects text[], p_afresh boolean)
returns void
language sql security invoker set search_path = ''
as $$
  with held as (
    select a.subject from outbound.login_attempts as a
    where a.subject = any (p_subjects) order by a.subject for no key update
  )
  update outbound.login_attempts as a
  set attempts = case when p_afresh and a.subject = p_subjects[1] then 0 else greatest(a.attempts - 1, 0) end
  from held where a.subject = held.subject
$$;
revoke execute on function outbound.forgive_login_attempt from public;
