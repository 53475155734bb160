-- What the hot calls are made of, without being parsed and planned anew at each of them.
--
-- A query in SQL is planned at every call, in PL/pgSQL once a connection. A function with a search_path of its own, as
-- all of ours have, never becomes part of the statement that uses it: a call costs 2 to 3 µs. Where a function is used for
-- each row of a batch, the statement says its expression instead (write_notification_events, accept_notifications).

create or replace function outbound.seconds_until(p_at timestamptz)
returns int
language sql stable security invoker set search_path = ''
return greatest(1, ceil(extract(epoch from p_at - now())))::int;

create or replace function outbound.iso_time(p_at timestamptz)
returns text
language sql stable security invoker set search_path = ''
return to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

create or replace function outbound.current_throttle(p_pace outbound.sender_pace)
returns double precision
language sql stable security invoker set search_path = ''
return case when p_pace.throttled_at is null then 1 else
  least(1, p_pace.throttle * power(2, least(20, floor(extract(epoch from now() - p_pace.throttled_at) / 30))))
end;

-- Volatile, as the clock it reads is.
create or replace function outbound.available_tokens(p_pace outbound.sender_pace, p_rate int)
returns double precision
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  v_rate double precision := case when p_pace.throttled_at is null then p_rate
    else p_rate * outbound.current_throttle(p_pace) end;
begin
  return least(
    greatest(1, v_rate / 20),
    p_pace.tokens + greatest(0, extract(epoch from clock_timestamp() - p_pace.refilled_at)) * v_rate
  );
end
$$;

create or replace function outbound.senders_with_work()
returns table (company_id uuid, sender_id uuid)
language plpgsql stable security invoker set search_path = '' set enable_seqscan = off
as $$
begin
  return query
  with recursive busy as (
    (
      select n.company_id, n.sender_id from outbound.notifications as n
      where n.status in ('scheduled', 'queued') order by n.sender_id limit 1
    )
    union all
    select following.company_id, following.sender_id
    from busy cross join lateral (
      select n.company_id, n.sender_id from outbound.notifications as n
      where n.status in ('scheduled', 'queued') and n.sender_id > busy.sender_id
      order by n.sender_id limit 1
    ) as following
  )
  select busy.company_id, busy.sender_id from busy;
end
$$;

create or replace function outbound.next_due()
returns timestamptz
language plpgsql stable security invoker set search_path = '' set enable_seqscan = off
as $$
begin
  return least(
    (select min(t.due_at) from outbound.sender_turns as t),
    (select min(n.lease_until) from outbound.notifications as n where n.status in ('sending', 'unconfirmed'))
  );
end
$$;

create or replace function outbound.move_campaign_counters(p_moves jsonb)
returns void
language plpgsql security invoker set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
begin
  with moved as (
    select m.company_id, m.campaign_id,
      coalesce(sum(m.pending), 0)::int as pending, coalesce(sum(m.processing), 0)::int as processing,
      coalesce(sum(m.sent), 0)::int as sent, coalesce(sum(m.delivered), 0)::int as delivered,
      coalesce(sum(m.read), 0)::int as read, coalesce(sum(m.failed), 0)::int as failed,
      coalesce(sum(m.cancelled), 0)::int as cancelled
    from jsonb_to_recordset(p_moves) as m(
      company_id uuid, campaign_id uuid, pending int, processing int, sent int, delivered int, read int,
      failed int, cancelled int
    )
    group by m.company_id, m.campaign_id
  ),
  locked as (
    select g.company_id, g.id from outbound.campaigns as g
    join moved on moved.company_id = g.company_id and moved.campaign_id = g.id
    order by g.id for no key update of g
  )
  update outbound.campaigns as g
  set pending = g.pending + moved.pending, processing = g.processing + moved.processing,
    sent = g.sent + moved.sent, delivered = g.delivered + moved.delivered, read = g.read + moved.read,
    failed = g.failed + moved.failed, cancelled = g.cancelled + moved.cancelled,
    completed_at = case
      when g.pending + moved.pending + g.processing + moved.processing = 0 then coalesce(g.completed_at, now())
    end
  from moved join locked on locked.company_id = moved.company_id and locked.id = moved.campaign_id
  where g.company_id = moved.company_id and g.id = moved.campaign_id;
end
$$;

-- One plan, made once a connection, that finds its way by indexes whatever is stored; a plan made for an empty table would
-- read all of it until somebody counts its rows.
alter function outbound.finish_notifications(text, jsonb, interval) set plan_cache_mode = force_generic_plan;
alter function outbound.finish_notifications(text, jsonb, interval) set enable_seqscan = off;
alter function outbound.tick(int, interval, text) set enable_seqscan = off;
