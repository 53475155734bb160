-- Makes this database the one that works. Keeps the cell's number.
create function outbound.activate_cell()
returns void
language sql volatile security invoker set search_path = ''
as $$
  insert into outbound.cell as c (state, system_identifier, database_oid)
  select 'active', s.system_identifier, d.oid from pg_catalog.pg_control_system() as s
  cross join pg_catalog.pg_database as d where d.datname = current_database()
  on conflict on constraint cell_pkey do update
    set state = excluded.state, system_identifier = excluded.system_identifier,
      database_oid = excluded.database_oid, activated_at = now()
$$;
revoke execute on function outbound.activate_cell from public;

-- A new database works.
select outbound.activate_cell();
