-- Returns why nothing leaves a sender, since when, until when, and a text of the platform about it; nulls while
-- something does. The first of:
--   sender_stopped, sender_locked: by the platform; wait_detail is its reason
--   budget_reached: the company's budget for the month is used up; the next month releases it, or a higher limit
--   no_dispatcher: something is due, and no dispatcher takes it. pg_cron alone starts one within the 90 seconds
--   platform_unreachable: the platform does not respond
--   lines_busy: as many calls are going on as it has lines
--   rate_limited: the platform refuses its rate, and it sends more slowly. This alone keeps nothing from leaving.
-- Reads one row of each table, and no more calls than the sender has lines.
create function outbound.sender_wait(
  p_company_id uuid, p_sender_id uuid,
  out wait_reason text, out wait_since timestamptz, out wait_until timestamptz, out wait_detail text
)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_sender record;
  v_dispatcher_at timestamptz;
  v_pg_cron_at timestamptz;
  v_calls int;
  v_last_call_at timestamptz;
begin
  select s.channel, s.status, s.locked, s.stopped_reason, s.stopped_at, s.stopped_until, s.concurrency, s.created_at,
    s.over_budget,
    p.blocked_until, p.throttled_at, t.due_at, outbound.outage_since(p) as outage_since,
    outbound.current_throttle(p) as throttle
  into v_sender
  from outbound.senders as s
  join outbound.sender_rate_state as p on p.company_id = s.company_id and p.sender_id = s.id
  join outbound.sender_schedule as t on t.company_id = s.company_id and t.sender_id = s.id
  where s.company_id = p_company_id and s.id = p_sender_id;
  if v_sender.status = 'stopped' then
    wait_reason := case when v_sender.locked then 'sender_locked' else 'sender_stopped' end;
    wait_since := coalesce(v_sender.stopped_at, v_sender.created_at);
    wait_until := v_sender.stopped_until;
    wait_detail := v_sender.stopped_reason;
    return;
  end if;
  if v_sender.over_budget then
    wait_reason := 'budget_reached';
    wait_since := coalesce((
      select b.reached_at from outbound.budgets as b where b.company_id = p_company_id
    ), now());
    wait_until := date_trunc('month', now(), 'UTC') + interval '1 month';
    return;
  end if;

  if v_sender.due_at < now() - interval '5 seconds' then
    select max(s.updated_at) filter (where s.name = 'last_tick:dispatcher'),
      max(s.updated_at) filter (where s.name = 'last_tick:pg_cron')
    into v_dispatcher_at, v_pg_cron_at
    from outbound.settings as s where s.name in ('last_tick:dispatcher', 'last_tick:pg_cron');
    if coalesce(v_dispatcher_at < now() - interval '90 seconds', true) and (
      v_sender.due_at < now() - interval '90 seconds' or coalesce(v_pg_cron_at < now() - interval '90 seconds', true)
    ) then
      wait_reason := 'no_dispatcher';
      wait_since := coalesce(v_dispatcher_at, v_sender.due_at);
      return;
    end if;
  end if;

  if v_sender.outage_since is not null then
    wait_reason := 'platform_unreachable';
    wait_since := v_sender.outage_since;
    wait_until := v_sender.blocked_until;
    return;
  end if;
  if v_sender.channel = 'voice' then
    select count(*), max(k.claimed_at) into v_calls, v_last_call_at from outbound.ongoing_calls as k
    where k.sender_id = p_sender_id;
    if v_calls >= greatest(1, floor(v_sender.concurrency * v_sender.throttle)) then
      wait_reason := 'lines_busy';
      wait_since := v_last_call_at;
      return;
    end if;
  end if;
  if v_sender.throttle < 1 then
    wait_reason := 'rate_limited';
    wait_since := v_sender.throttled_at;
    -- It doubles with every 30 seconds without a refusal (current_throttle).
    wait_until := now() + interval '30 seconds' * ceil(ln(1 / v_sender.throttle) / ln(2.0))
      - make_interval(secs => mod(extract(epoch from now() - v_sender.throttled_at), 30)::float8);
  end if;
end
$$;
revoke execute on function outbound.sender_wait from public;
