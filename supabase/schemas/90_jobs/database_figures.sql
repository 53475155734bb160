-- Returns the figures of the database: whether it works, since when no tick ran, and what keeps vacuum from removing
-- rows. Part of operating_figures, which says what each is.
create function outbound.database_figures()
returns jsonb
language sql volatile security invoker set search_path = ''
as $$
  with snapshot as materialized (
    select a.xact_start as since, age(a.backend_xmin) as xmin_age from pg_catalog.pg_stat_activity as a
    where a.backend_xmin is not null and a.pid <> pg_catalog.pg_backend_pid()
    union all
    select x.prepared, age(x.transaction) from pg_catalog.pg_prepared_xacts as x
    union all
    select null, greatest(age(s.xmin), age(s.catalog_xmin)) from pg_catalog.pg_replication_slots as s
    where s.xmin is not null or s.catalog_xmin is not null
  )
  select jsonb_build_object(
    'cell_active', case when outbound.is_active_cell() then 1 else 0 end,
    'tick_s', (
      select jsonb_object_agg(substr(s.name, 11), extract(epoch from now() - s.updated_at))
      from outbound.settings as s where s.name in ('last_tick:dispatcher', 'last_tick:pg_cron')
    ),
    'snapshot_s', greatest((select extract(epoch from now() - min(snapshot.since)) from snapshot), 0),
    'xmin_age', coalesce((select max(snapshot.xmin_age) from snapshot), 0)
  )
$$;
revoke execute on function outbound.database_figures from public;
