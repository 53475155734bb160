-- Returns the figures that show whether the service works, for GET /metrics. Every count ends at p_max: "at least so
-- many" is enough for an alert, and the cost does not grow with history, with companies or with what waits. What is due
-- is read from the p_max_senders senders whose turns come first, the same rows that claims begin with.
--   due, oldest_due_s: may leave now, from senders whose turn comes within a minute (none that is stopped)
--   scheduled, held, sending, unconfirmed: notifications in that state; held ones are in no other count
--   senders: {active, stopped, locked}, senders_low: rated RED, senders_warned: warned by the
--     platform within 7 days
--   campaigns_held: campaigns whose template keeps them from being sent
--   events_unapplied, oldest_event_s: reports of the platforms that wait to be applied
--   deliveries_pending, oldest_delivery_s: events that wait for companies' endpoints
--   calls_active, calls_overdue: calls going on; those without an end an hour after they began
--   leases_lost: leases that ran out within five minutes
--   foreign_events: events of today that name no sender of ours
--   webhook_failing_s: how long our own webhook cannot be reached
--   tick_s: since the last tick, per who made it; not there while there was none
--   snapshot_s, xmin_age: of the oldest snapshot that keeps vacuum from removing rows, prepared transactions and
--     replication slots included; snapshots of other roles only with pg_read_all_stats
create function outbound.operating_figures(p_max int default 10000, p_max_senders int default 500)
returns jsonb
language sql volatile security invoker set search_path = ''
-- A batch: one look-up per sender whose turn comes.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
  with turn as materialized (
    select t.sender_id, t.queue_cursor from outbound.sender_schedule as t
    where t.due_at < now() + interval '1 minute' order by t.due_at limit p_max_senders
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
  ),
  pending as materialized (
    select w.company_id from outbound.companies_with_deliveries(p_max_senders) as w
  ),
  snapshot as materialized (
    select a.xact_start as since, age(a.backend_xmin) as xmin_age from pg_catalog.pg_stat_activity as a
    where a.backend_xmin is not null and a.pid <> pg_catalog.pg_backend_pid()
    union all
    select x.prepared, age(x.transaction) from pg_catalog.pg_prepared_xacts as x
    union all
    select null, greatest(age(s.xmin), age(s.catalog_xmin)) from pg_catalog.pg_replication_slots as s
    where s.xmin is not null or s.catalog_xmin is not null
  )
  select jsonb_strip_nulls(jsonb_build_object(
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
    'senders', (
      select jsonb_object_agg(state.name, (
        select count(*) from (
          select from outbound.senders as s
          where s.status = state.status and s.locked = state.locked limit p_max
        ) as found
      ))
      from (values ('active', 'active', false), ('stopped', 'stopped', false), ('locked', 'stopped', true))
        as state(name, status, locked)
    ),
    'senders_low', (
      select count(*) from (select from outbound.senders as s where s.quality = 'RED' limit p_max) as found
    ),
    'senders_warned', (
      select count(*) from (
        select from outbound.senders as s where s.platform_notice_at > now() - interval '7 days' limit p_max
      ) as found
    ),
    'campaigns_held', (
      select count(*) from (
        select from outbound.campaigns as g
        where g.held_reason is not null limit p_max
      ) as found
    ),
    'events_unapplied', (
      select count(*) from (
        select from outbound.platform_events as e where e.applied_at is null and e.apply_at <= now() limit p_max
      ) as found
    ) + (
      select count(*) from (select from outbound.template_events as e where e.applied_at is null limit p_max) as found
    ) + (
      select count(*) from (select from outbound.account_events as e where e.applied_at is null limit p_max) as found
    ),
    'oldest_event_s', coalesce(extract(epoch from now() - (
      select e.apply_at from outbound.platform_events as e
      where e.applied_at is null and e.apply_at <= now() order by e.apply_at, e.id limit 1
    )), 0),
    'deliveries_pending', (
      select count(*) from (
        select from outbound.webhook_deliveries as d where d.status = 'pending' limit p_max
      ) as found
    ),
    'oldest_delivery_s', coalesce(extract(epoch from now() - (
      select min(head.run_at) from pending
      join outbound.webhooks as w on w.company_id = pending.company_id and w.is_active
      cross join lateral (
        select d.run_at from outbound.webhook_deliveries as d
        where d.company_id = pending.company_id and d.status = 'pending' and d.run_at <= now()
        order by d.company_id, d.run_at limit 1
      ) as head
    )), 0),
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
    ),
    'foreign_events', coalesce((
      select f.events from outbound.foreign_events as f
      where f.day = (now() at time zone 'UTC')::date and f.reason = 'unknown_sender'
    ), 0),
    'webhook_failing_s', coalesce((
      select extract(epoch from now() - coalesce(p.failing_since, p.failed_at))
      from outbound.webhook_probe as p where p.only_row and p.failed_at > p.returned_at
    ), 0),
    'tick_s', (
      select jsonb_object_agg(substr(s.name, 11), extract(epoch from now() - s.updated_at))
      from outbound.settings as s where s.name in ('last_tick:dispatcher', 'last_tick:pg_cron')
    ),
    'snapshot_s', greatest((select extract(epoch from now() - min(snapshot.since)) from snapshot), 0),
    'xmin_age', coalesce((select max(snapshot.xmin_age) from snapshot), 0)
  ))
  from due cross join oldest_due cross join leased
$$;
revoke execute on function outbound.operating_figures from public;
