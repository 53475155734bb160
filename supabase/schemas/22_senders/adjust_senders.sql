-- Records what the platform's responses say about senders. Any number of rows per sender; change is one of:
--   reached: the platform responded; the breaker closes.
--   unreachable: it did not. After breaker_threshold() times in a row the breaker opens. From then on claims let one
--     message through after 1, 2, 4 … 60 s, and messages that were being sent when it opened do not extend that.
--   slow_down: it is sent to faster than it accepts; halves the rate.
--   stop (reason, locked): nothing more leaves the sender until an operator resumes it. locked: the platform has
--     locked the account, so new requests for it are refused.
-- Where rows of one sender disagree, it was reached: slow_down and stop are responses too.
create function outbound.adjust_senders(p_changes jsonb)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  perform from (
    select distinct c.company_id, c.sender_id
    from jsonb_to_recordset(p_changes) as c(company_id uuid, sender_id uuid, change text) where c.change = 'stop'
    order by c.sender_id
  ) as stopped
  cross join lateral (
    select from outbound.senders as s where s.company_id = stopped.company_id and s.id = stopped.sender_id
    for no key update
  ) as locked;

  with change as (
    select c.company_id, c.sender_id, bool_or(c.change in ('reached', 'slow_down', 'stop')) as reached,
      count(*) filter (where c.change = 'unreachable')::int as unreachable,
      bool_or(c.change = 'slow_down') as slow_down
    from jsonb_to_recordset(p_changes) as c(company_id uuid, sender_id uuid, change text)
    group by c.company_id, c.sender_id
  ),
  locked as (
    select p.company_id, p.sender_id from outbound.sender_rate_state as p
    join change on change.company_id = p.company_id and change.sender_id = p.sender_id
    order by p.sender_id for no key update of p
  )
  update outbound.sender_rate_state as p
  set failures = case when change.reached then 0
      else greatest(p.failures, least(outbound.breaker_threshold(), p.failures + change.unreachable)) end,
    blocked_until = case when change.reached then null
      when p.failures < outbound.breaker_threshold() and p.failures + change.unreachable >= outbound.breaker_threshold()
        then clock_timestamp() + interval '1 second'
      else p.blocked_until end,
    unreachable_since = case when change.reached then null
      when change.unreachable > 0 then coalesce(p.unreachable_since, clock_timestamp())
      else p.unreachable_since end,
    reached_at = case when change.reached and p.failures >= outbound.breaker_threshold()
      then clock_timestamp() else p.reached_at end,
    throttle = case when change.slow_down and coalesce(p.throttled_at < now() - interval '1 second', true)
      then greatest(outbound.current_throttle(p) / 2, 0.02) else p.throttle end,
    throttled_at = case when change.slow_down and coalesce(p.throttled_at < now() - interval '1 second', true)
      then now() else p.throttled_at end,
    tokens = case when change.slow_down then 0 else p.tokens end,
    refilled_at = case when change.slow_down then clock_timestamp() else p.refilled_at end
  from change join locked on locked.company_id = change.company_id and locked.sender_id = change.sender_id
  where p.company_id = change.company_id and p.sender_id = change.sender_id;

  perform outbound.schedule_senders(array_agg(c.company_id), array_agg(c.sender_id), true, p_from_first => true)
  from jsonb_to_recordset(p_changes) as c(company_id uuid, sender_id uuid);

  update outbound.senders as s
  set status = 'stopped', stopped_reason = c.reason, stopped_code = c.code, stopped_at = now(), locked = c.locked,
    stopped_by_account = false, stopped_until = null
  from (
    select distinct on (r.company_id, r.sender_id) r.company_id, r.sender_id, r.reason, r.code,
      coalesce(r.locked, false) as locked
    from jsonb_to_recordset(p_changes) as r(
      company_id uuid, sender_id uuid, change text, reason text, code text, locked boolean
    )
    where r.change = 'stop'
    order by r.company_id, r.sender_id, coalesce(r.locked, false) desc
  ) as c
  where s.company_id = c.company_id and s.id = c.sender_id
    and (s.status = 'active' or (c.locked and not s.locked));
end
$$;
revoke execute on function outbound.adjust_senders from public;
