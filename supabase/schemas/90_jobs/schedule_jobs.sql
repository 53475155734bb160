-- Schedules the jobs of pg_cron, or brings them up to date and ends those of earlier versions; returns false where
-- pg_cron does not exist, or its schema may not be used. The jobs run as their caller, and only the caller and superusers
-- see them. With pg_cron the queue keeps moving while no process of ours runs; without it, the
-- dispatchers do all of this. One job takes all steps, because each run of a job starts a backend. Each step, or each
-- round of a step that has many, is a transaction of its own: a lock is held for one step only, and a step that fails
-- undoes and stops no other; the job then fails at its end, with the reasons. pg_cron knows seconds from 1.5 on; before
-- that a minute is the shortest interval.
create function outbound.schedule_jobs()
returns boolean
language plpgsql security invoker set search_path = ''
as $$
declare
  v_version int[];
  v_often text;
  v_job record;
  v_names text[] := array[]::text[];
  v_old bigint;
begin
  select string_to_array(split_part(e.extversion, '-', 1), '.')::int[] into v_version
  from pg_catalog.pg_extension as e where e.extname = 'pg_cron';
  if not found or not has_schema_privilege('cron', 'usage') then
    return false;
  end if;
  v_often := case when v_version >= array[1, 5] then '5 seconds' else '* * * * *' end;
  for v_job in
    select job.* from (values
      ('outbound-steps', v_often, $job$
do $do$
declare
  v_step text;
  v_more text;
  v_failed text[] := array[]::text[];
begin
  if not outbound.is_active_cell() then
    return;
  end if;
  foreach v_step in array array['tick_step(''rescue'', p_by => ''pg_cron'')', 'tick_step(''settle'')',
    'tick_step(''expire'')', 'tick_step(''close'')', 'tick_step(''schedules'')', 'apply_platform_events(10000)',
    'apply_account_events()', 'apply_template_events()', 'settle_templates()', 'fold_history()', 'check_budgets()',
    'invoke_dispatch()']
  loop
    loop
      v_more := null;
      begin
        execute 'select outbound.' || v_step into v_more;
      exception when others then
        v_failed := v_failed || format('%s: %s', v_step, sqlerrm);
      end;
      commit;
      exit when v_step not in ('settle_templates()', 'fold_history()') or not coalesce(v_more::boolean, false);
    end loop;
  end loop;
  if v_failed <> array[]::text[] then
    raise exception '%', array_to_string(v_failed, '; ');
  end if;
end
$do$
$job$),
      ('outbound-clean-up', '* * * * *', $job$
do $do$
declare
  v_until constant timestamptz := clock_timestamp() + interval '20 seconds';
begin
  while (outbound.clean_up() ->> 'more')::boolean and clock_timestamp() < v_until loop
    commit;
  end loop;
end
$do$
$job$),
      -- Ours only: jobs of other projects write their history there too.
      ('outbound-forget-runs', '27 3 * * *', $job$
delete from cron.job_run_details as r using cron.job as j
where j.jobid = r.jobid and j.jobname like 'outbound-%' and r.end_time < now() - interval '2 days'
$job$)
    ) as job(name, schedule, command)
  loop
    execute format('select %I.schedule($1, $2, $3)', 'cron')
      using v_job.name, v_job.schedule, btrim(v_job.command, E'\n');
    v_names := v_names || v_job.name;
  end loop;
  for v_old in execute format(
    'select j.jobid from %I.job as j where j.jobname like $1 and j.jobname <> all ($2) '
    'and j.database = current_database() and j.username = current_user', 'cron'
  ) using 'outbound-%', v_names
  loop
    execute format('delete from %I.job_run_details as r where r.jobid = $1', 'cron') using v_old;
    execute format('select %I.unschedule($1)', 'cron') using v_old;
  end loop;
  return true;
end
$$;
revoke execute on function outbound.schedule_jobs from public;

-- pg_cron can be created only in the one database that its setting names, and only by a superuser. Where that is not
-- us, call `select outbound.schedule_jobs()` once it exists and its schema may be used.
do $$
begin
  if exists (select 1 from pg_catalog.pg_available_extensions where name = 'pg_cron') then
    begin
      create extension if not exists pg_cron;
    exception when others then
      raise notice 'pg_cron could not be set up here: %', sqlerrm;
    end;
  end if;
  perform outbound.schedule_jobs();
end
$$;
