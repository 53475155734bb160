-- The database's own clock. Where pg_cron is there, the queue keeps moving with no process of ours awake: due
-- notifications become claimable, lost ones are rescued, events are applied, and a sleeping `dispatch` function
-- is called when there is something to send. Where it is not, the dispatchers do all of this themselves.

-- Calls the dispatch function when a message or an event waits to be sent, a call or a voice session to be checked, or
-- the webhook to be probed before a message's window ends, if pg_net is there and it is known whom to call: Vault's secrets
-- outbound_dispatch_url and outbound_dispatch_secret, or the settings row dispatch {"url": …, "secret": …}. Returns whether
-- a call was queued. pg_net sends it after the commit.
create function outbound.call_dispatch()
returns boolean
language plpgsql security invoker set search_path = ''
as $$
declare
  v_url text;
  v_secret text;
begin
  if to_regnamespace('net') is null or not (
    exists (select from outbound.sender_turns as t where t.due_at <= now())
    or exists (select 1 from outbound.calls as k where k.check_at <= now() - interval '2 minutes')
    or exists (select 1 from outbound.voice_sessions as v where v.check_at <= now() - interval '2 minutes')
    or exists (
      select 1 from outbound.notifications as n
      where n.status = 'unconfirmed' and not n.voice and n.lease_until <= now() + interval '30 seconds' limit 1
    )
    or exists (
      select 1 from outbound.webhooks as w
      where w.is_active and exists (
        select 1 from outbound.webhook_deliveries as d
        where d.company_id = w.company_id and d.status = 'pending' and d.run_at <= now()
      )
    )
  ) then
    return false;
  end if;
  if to_regclass('vault.decrypted_secrets') is not null then
    execute format('select max(decrypted_secret) filter (where name = $1), '
      'max(decrypted_secret) filter (where name = $2) from %I.decrypted_secrets', 'vault')
      into v_url, v_secret using 'outbound_dispatch_url', 'outbound_dispatch_secret';
  end if;
  if v_url is null then
    select s.value ->> 'url', s.value ->> 'secret' into v_url, v_secret
    from outbound.settings as s where s.name = 'dispatch';
  end if;
  if v_url is null or v_secret is null then
    return false;
  end if;
  execute format('select %I.http_post(url := $1, body := $3, headers := $2, timeout_milliseconds := 5000)', 'net')
    using v_url, jsonb_build_object('Content-Type', 'application/json', 'Authorization', 'Bearer ' || v_secret),
      '{}'::jsonb;
  return true;
end
$$;
revoke execute on function outbound.call_dispatch from public;

-- Schedules the jobs, or brings them up to date and ends those that earlier versions had; false where pg_cron is not
-- there. One job for each step, and each step, or each round of one that has many, in a transaction of its own: a lock is
-- held for one step only, and a step that fails undoes no other. Seconds are known to pg_cron from 1.5 on; before that a
-- minute is the shortest.
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
  if not found then
    return false;
  end if;
  v_often := case when v_version >= array[1, 5] then '5 seconds' else '* * * * *' end;
  for v_job in
    select job.* from (values
      ('outbound-tick', v_often, $job$select outbound.tick(p_by => 'pg_cron')$job$),
      ('outbound-apply-events', v_often, 'select outbound.apply_provider_events(10000)'),
      ('outbound-templates', v_often, $job$
do $do$
begin
  perform outbound.apply_account_events();
  commit;
  perform outbound.apply_template_events();
  commit;
  while outbound.settle_templates() loop
    commit;
  end loop;
end
$do$
$job$),
      ('outbound-call-dispatch', v_often, 'select outbound.call_dispatch()'),
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
      -- Ours only: other people's jobs write their history there too.
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

-- pg_cron can be made only in the one database its setting names, and only by a superuser: where that is not us,
-- `select outbound.schedule_jobs()` does the rest once somebody has.
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
