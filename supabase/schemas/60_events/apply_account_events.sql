-- Applies up to p_limit stored events about accounts to their senders, and ends restrictions whose time is over. By
-- the platform's times: an event from before the last known change of its kind, or from before an operator resumed the
-- sender, changes nothing.
--   disabled: locks the sender, whatever it was stopped for.
--   restricted: stops an active sender, until the restriction ends or is lifted. Lifts no lock.
--   active: releases a sender that an event of the account or a lock has stopped, not
--     one that was stopped for anything else, such as its token. The platform's times are whole seconds: one of the
--     second of the lock holds, as in stop_template.
-- Of several events the last one counts, but a restriction does not hide that the account was disabled just before.
-- Returns how many events were applied; 0 also when another transaction applies them.
create function outbound.apply_account_events(p_limit int default 1000)
returns int
language plpgsql security invoker set search_path = ''
-- By indexes, also when the tables were empty when statistics were last taken.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_events bigint[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('outbound.account_events', 0)) then
    return 0;
  end if;
  v_events := array(
    select e.id from outbound.account_events as e
    where e.applied_at is null order by e.occurred_at, e.id limit p_limit
  );
  if cardinality(v_events) = 0 and not exists (select from outbound.senders as s where s.stopped_until <= now()) then
    return 0;
  end if;

  -- Lock all senders at once, in their order: the update locks their turns, and no sender may be locked after those.
  perform from (
    select named.company_id, named.id from (
      select s.company_id, s.id from outbound.account_events as e
      join outbound.senders as s on s.waba_id = e.waba_id and (e.number is null or e.number = s.number)
      where e.id = any (v_events)
      union
      select s.company_id, s.id from outbound.senders as s where s.stopped_until <= now()
    ) as named
    order by named.id
  ) as named
  cross join lateral (
    select from outbound.senders as s where s.company_id = named.company_id and s.id = named.id for no key update
  ) as locked;

  with event as materialized (
    select s.company_id, s.id as sender_id, e.id, e.status, e.reason, e.until, e.messaging_limit, e.quality, e.notice,
      e.occurred_at, e.status is not null and e.occurred_at >= s.account_status_at as says_status,
      e.messaging_limit is not null and e.occurred_at >= s.messaging_limit_at as says_limit,
      e.quality is not null and e.occurred_at >= s.quality_at as says_quality,
      e.notice is not null and e.occurred_at >= s.platform_notice_at as says_notice,
      e.status = 'active' and e.occurred_at >= s.account_status_at
        and (s.stopped_by_account or date_trunc('second', s.stopped_at) <= e.occurred_at) as lifts
    from outbound.account_events as e
    join outbound.senders as s on s.waba_id = e.waba_id and (e.number is null or e.number = s.number)
    where e.id = any (v_events)
  ),
  verdict as (
    select distinct on (e.company_id, e.sender_id) e.company_id, e.sender_id, e.status, e.reason, e.until, e.occurred_at
    from event as e
    where e.says_status and (e.status <> 'restricted' or coalesce(e.until > now(), true)) and not exists (
      select from event as l
      where l.company_id = e.company_id and l.sender_id = e.sender_id and l.says_status and l.status = 'active'
        and (l.occurred_at, l.id) > (e.occurred_at, e.id)
    )
    order by e.company_id, e.sender_id, e.status = 'disabled' desc, e.occurred_at desc, e.id desc
  ),
  reported as (
    select e.company_id, e.sender_id, bool_or(e.lifts) as lifted,
      max(e.occurred_at) filter (where e.says_status) as status_at,
      (array_agg(e.messaging_limit order by e.occurred_at desc, e.id desc) filter (where e.says_limit))[1]
        as messaging_limit,
      max(e.occurred_at) filter (where e.says_limit) as messaging_limit_at,
      (array_agg(e.quality order by e.occurred_at desc, e.id desc) filter (where e.says_quality))[1] as quality,
      max(e.occurred_at) filter (where e.says_quality) as quality_at,
      (array_agg(e.notice order by e.occurred_at desc, e.id desc) filter (where e.says_notice))[1] as notice,
      max(e.occurred_at) filter (where e.says_notice) as notice_at
    from event as e group by e.company_id, e.sender_id
  ),
  change as (
    select s.company_id, s.id, v.reason, v.until, reported.status_at, reported.messaging_limit, reported.messaging_limit_at,
      reported.quality, reported.quality_at, reported.notice, reported.notice_at,
      case
        when v.status = 'disabled' then 'lock'
        when v.status = 'restricted' and (s.status = 'active' or released.is_free) then 'stop'
        when v.status = 'restricted' and s.stopped_by_account and not s.locked then 'stop'
        when released.is_free or s.stopped_until <= now() then 'release'
        else 'none'
      end as does
    from outbound.senders as s
    left join reported on reported.company_id = s.company_id and reported.sender_id = s.id
    left join verdict as v on v.company_id = s.company_id and v.sender_id = s.id
    cross join lateral (
      select coalesce(reported.lifted, false) and (s.stopped_by_account or s.locked) as is_free
    ) as released
    where reported.sender_id is not null or s.stopped_until <= now()
  )
  update outbound.senders as s
  set status = case c.does when 'none' then s.status when 'release' then 'active' else 'stopped' end,
    stopped_reason = case c.does when 'none' then s.stopped_reason when 'release' then null else c.reason end,
    stopped_code = case c.does when 'none' then s.stopped_code end,
    stopped_at = case c.does when 'none' then s.stopped_at when 'release' then null else now() end,
    locked = case c.does when 'none' then s.locked else c.does = 'lock' end,
    stopped_by_account = case c.does when 'none' then s.stopped_by_account else c.does in ('lock', 'stop') end,
    stopped_until = case c.does when 'none' then s.stopped_until when 'stop' then c.until end,
    account_status_at = coalesce(c.status_at, s.account_status_at),
    messaging_limit = coalesce(c.messaging_limit, s.messaging_limit),
    messaging_limit_at = coalesce(c.messaging_limit_at, s.messaging_limit_at),
    quality = coalesce(c.quality, s.quality),
    quality_at = coalesce(c.quality_at, s.quality_at),
    platform_notice = coalesce(c.notice, s.platform_notice),
    platform_notice_at = coalesce(c.notice_at, s.platform_notice_at)
  from change as c
  where s.company_id = c.company_id and s.id = c.id;

  update outbound.account_events as e set applied_at = now() where e.id = any (v_events);
  return cardinality(v_events);
end
$$;
revoke execute on function outbound.apply_account_events from public;
