-- Locks and returns today's usage row of a key, with its rate window set to the running minute. The window also moves
-- back after the clock was set back; otherwise the key would be refused until the clock has caught up. A window that
-- is one minute ahead stays, because a transaction that began just before the minute may come here after one that
-- began in it.
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
