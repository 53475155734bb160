-- Returns the figures of the queue: what waits, what is leased, the calls that go on, and the leases that ran out. Part
-- of operating_figures, which says what each is.
create function outbound.queue_figures(p_max int, p_max_senders int)
returns jsonb
language sql volatile security invoker set search_path = ''
-- A batch: one look-up per sender whose turn comes.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
  with turn as materialized (
    select t.sender_id, t.queue_cursor from outbound.sender_schedule as t
    where t.due_at >= outbound.due_from('senders') and t.due_at < now() + interval '1 minute'
    order by t.due_at limit p_max_senders
  ),
  due as (
    select count(*) as due from (
      select from turn
      cross join generate_series(0, 2) as level(priority)
      cross join lateral (
        select from outbound.queue as n
        where n.sender_id = turn.sender_id and n.priority = level.priority and n.status = 'queued'
          and n.run_at >= turn.queue_cursor[level.priority + 1] and n.run_at <= now()
      ) as waiting
      limit p_max
    ) as found
  ),
  oldest_due as (
    select extract(epoch from now() - min(head.run_at)) as oldest_due_s from turn
    cross join generate_series(0, 2) as level(priority)
    cross join lateral (
      select n.run_at from outbound.queue as n
      where n.sender_id = turn.sender_id and n.priority = level.priority and n.status = 'queued'
        and n.run_at >= turn.queue_cursor[level.priority + 1] and n.run_at <= now()
      order by n.sender_id, n.priority, n.run_at, n.id limit 1
    ) as head
  ),
  leased as (
    select count(*) filter (where l.status = 'sending') as sending,
      count(*) filter (where l.status = 'unconfirmed') as unconfirmed
    from (
      select n.status from outbound.queue as n
      where n.status in ('sending', 'unconfirmed')
        and n.lease_until >= outbound.leases_from() limit p_max
    ) as l
  )
  select jsonb_build_object(
    'due', due.due,
    'oldest_due_s', coalesce(oldest_due.oldest_due_s, 0),
    'scheduled', (
      select count(*) from (
        select from outbound.queue as n
        where n.status = 'queued' and n.is_scheduled and n.run_at > now() and n.run_at < 'infinity' limit p_max
      ) as found
    ),
    'held', (
      select count(*) from (
        select from outbound.queue as n
        where n.status = 'queued' and n.held_run_at is not null limit p_max
      ) as found
    ),
    'sending', leased.sending,
    'unconfirmed', leased.unconfirmed,
    'calls_active', (
      select count(*) from (
        select from outbound.ongoing_calls as k limit p_max
      ) as found
    ),
    'calls_overdue', (
      select count(*) filter (where c.started_at < now() - interval '1 hour') from (
        select o.started_at from outbound.calls as o where o.check_at is not null order by o.check_at limit p_max
      ) as c
    ),
    'leases_lost', (
      select count(*) from (
        select from outbound.delivery_attempts as a
        where a.worker = 'lost' and a.finished_at > now() - interval '5 minutes' limit p_max
      ) as found
    )
  )
  from due cross join oldest_due cross join leased
$$;
revoke execute on function outbound.queue_figures from public;
