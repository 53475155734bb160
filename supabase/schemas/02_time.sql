-- Returns a time as all our responses and events write it: 2030-01-31T18:00:00.123Z.
create function outbound.iso_time(p_at timestamptz)
returns text
language sql stable security invoker set search_path = ''
return to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
revoke execute on function outbound.iso_time from public;

-- Returns the whole seconds from now to p_at, at least 1.
create function outbound.seconds_until(p_at timestamptz)
returns int
language sql stable security invoker set search_path = ''
return greatest(1, ceil(extract(epoch from p_at - now())))::int;
revoke execute on function outbound.seconds_until from public;

-- Returns whether a window of p_window that began at p_start is over. A window that begins more than a minute from now
-- is over too: the clock was set back, and no caller should wait until it has caught up.
create function outbound.is_window_over(p_start timestamptz, p_window interval)
returns boolean
language sql stable security invoker set search_path = ''
as $$ select p_start <= now() - p_window or p_start > now() + interval '1 minute' $$;
revoke execute on function outbound.is_window_over from public;
