-- Grants a role what the processes of the service need, and nothing else: it reads and writes rows and calls functions,
-- and can neither change nor drop anything. The owner of the tables calls it after each migration, as `migrate
-- --grant-to` does. A policy of its own lets the role see the rows, because only a superuser can give BYPASSRLS.
create function outbound.grant_service(p_role text)
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  v_table name;
begin
  execute format('grant usage on schema outbound, supabase_migrations to %I', p_role);
  execute format('grant select on supabase_migrations.schema_migrations to %I', p_role);
  execute format('grant select, insert, update, delete on all tables in schema outbound to %I', p_role);
  execute format('grant usage on all sequences in schema outbound to %I', p_role);
  execute format('grant execute on all functions in schema outbound to %I', p_role);
  for v_table in
    select c.relname from pg_catalog.pg_class as c
    where c.relnamespace = 'outbound'::regnamespace and c.relkind = 'r' and not exists (
      select from pg_catalog.pg_policy as p where p.polrelid = c.oid and p.polname = p_role
    )
    order by c.relname
  loop
    execute format('create policy %I on outbound.%I to %I using (true)', p_role, v_table, p_role);
  end loop;
end
$$;
revoke execute on function outbound.grant_service from public;
