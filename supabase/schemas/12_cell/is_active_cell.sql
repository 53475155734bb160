-- Whether this database is the one that works: its row of cell is active and names this very database. Claims, ticks,
-- housekeeping and the jobs of pg_cron do nothing elsewhere. Takes some 10 µs, so a batch asks once. A physical clone is
-- the same database by all that a database can know of itself; docs/operations.md says how to fence it.
create function outbound.is_active_cell()
returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return exists (
    select from outbound.cell as c
    where c.state = 'active'
      and c.system_identifier = (select s.system_identifier from pg_catalog.pg_control_system() as s)
      and c.database_oid = (select d.oid from pg_catalog.pg_database as d where d.datname = current_database())
  );
end
$$;
revoke execute on function outbound.is_active_cell from public;
