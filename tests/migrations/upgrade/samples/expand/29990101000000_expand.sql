set local lock_timeout = '2s';

-- A column, with a default that Postgres keeps beside the table.
alter table outbound.notification_facts add column sample text default 'none' not null;

-- A table.
create table outbound.samples (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  constraint samples_pkey primary key (company_id, id)
);
alter table outbound.samples enable row level security;

-- Every function of the queues, replaced with the same arguments and the same result.
do $$
declare
  v_definition text;
begin
  for v_definition in
    select pg_get_functiondef(p.oid) from pg_proc as p
    where p.pronamespace = 'outbound'::regnamespace and p.proname ~ '^(accept|claim|finish|store|apply)_'
  loop
    execute replace(v_definition, 'AS $function$', 'AS $function$ /* replaced */ ');
  end loop;
end;
$$;

-- A function with another signature, under a name of its own, beside the one that the last release calls.
do $$
begin
  execute (
    select replace(pg_get_functiondef(p.oid), 'outbound.finish_deliveries(', 'outbound.finish_deliveries_2(p_sample integer, ')
    from pg_proc as p where p.oid = 'outbound.finish_deliveries'::regproc
  );
end;
$$;
revoke execute on function outbound.finish_deliveries_2 from public;
