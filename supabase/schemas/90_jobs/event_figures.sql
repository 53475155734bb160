-- Returns the figures of events: those of the platforms, those for companies, and our own webhook. Part of
-- operating_figures, which says what each is.
create function outbound.event_figures(p_max int, p_max_companies int)
returns jsonb
language sql volatile security invoker set search_path = ''
-- A batch: one look-up per endpoint with deliveries.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
  select jsonb_build_object(
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
    'foreign_events', coalesce((
      select f.events from outbound.foreign_events as f
      where f.day = (now() at time zone 'UTC')::date and f.reason = 'unknown_sender'
    ), 0),
    'webhook_failing_s', coalesce((
      select extract(epoch from now() - coalesce(p.failing_since, p.failed_at))
      from outbound.webhook_probe as p where p.only_row and p.failed_at > p.returned_at
    ), 0),
    'deliveries_pending', (
      select count(*) from (
        select from outbound.webhook_deliveries as d where d.status = 'pending' limit p_max
      ) as found
    ),
    'oldest_delivery_s', coalesce(extract(epoch from now() - (
      select min(head.run_at) from outbound.companies_with_deliveries(p_max_companies) as pending
      join outbound.endpoints as w on w.company_id = pending.company_id and w.is_active
      cross join lateral (
        select d.run_at from outbound.webhook_deliveries as d
        where d.company_id = pending.company_id and d.endpoint_id = w.id and d.status = 'pending' and d.run_at <= now()
        order by d.run_at limit 1
      ) as head
    )), 0)
  )
$$;
revoke execute on function outbound.event_figures from public;
