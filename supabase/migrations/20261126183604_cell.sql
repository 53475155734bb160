set local lock_timeout = '2s';
set check_function_bodies = off;

-- Which cell of the installation this database is, and whether it is the one that works: one row, which activate_cell
-- writes. A copy of the database (a restored dump, a logical replica, a database made from a template) has the row of
-- its original, which names another database. So it sends nothing until activate_cell is called there.
create table outbound.cell (
  is_only boolean not null default true,
  number smallint not null default 0,
  state text not null,
  -- Of the server's cluster: initdb makes it, and a physical replica keeps it.
  system_identifier bigint not null,
  -- Of the database in its cluster.
  database_oid oid not null,
  activated_at timestamptz not null default now(),
  constraint cell_pkey primary key (is_only),
  constraint cell_only_check check (is_only),
  constraint cell_number_check check (number between 0 and 4095),
  constraint cell_state_check check (state in ('active', 'standby'))
);

alter table outbound.cell enable row level security;

-- Makes this database the one that works. Keeps the cell's number.
create or replace function outbound.activate_cell()
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

-- The database works, as before.
select outbound.activate_cell();

-- Whether this database is the one that works: its row of cell is active and names this very database. Claims, ticks,
-- housekeeping and the jobs of pg_cron do nothing elsewhere. Takes some 10 µs, so a batch asks once. A physical clone is
-- the same database by all that a database can know of itself; docs/operations.md says how to fence it.
create or replace function outbound.is_active_cell()
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

-- Leases up to p_limit due notifications to p_worker for p_lease: each becomes `sending`, its attempt and its fence
-- count up, and its campaign and its sender's rate are charged. choose_notifications and pick_due_notifications make
-- the choice, by the rules below; this function locks and leases it.
--
-- Skips recipients who have opted out, or who have not consented where that is needed: such a notification becomes
-- `skipped` (opted_out, no_consent), and is not returned. If the company has that rule, marketing to a person whom the
-- platform spares for a while (marketing_cooldowns) waits until then. Marketing is what a template's category says; of
-- a call, which has no template, its type.
--
-- A WhatsApp sender goes no faster than its rate; a voice sender has no more calls going on than it has lines.
-- Companies take turns; in each turn transactional goes before utility before marketing, then what was served longest
-- ago. Within a company transactional goes before utility before marketing, its senders take turns, and each sender's
-- longest due goes first. A round of a claim looks at no more than 64 senders (a sixteenth of p_limit, 16 at least);
-- another one follows where all that they have due is locked, and ten at most.
--
-- While a claim has a sender's rate state locked, other claims pass that sender by: claims of one sender never overlap,
-- and claims of different senders run side by side. They also pass by rows that another transaction has locked, and the
-- companies in p_except.
--
-- Returns {campaigns, messages}, or null if there is nothing to send, or the database is not the one that works; facts that messages share come once. A campaign:
--   company_id, campaign_id, sender_id; channel, platform_id, token_sealed, of its sender;
--   template_id, template_name, template_language, name_event, timezone, trace;
--   template_status, template_changed: the template as it is now: its state, and whether it needs other values than
--     when the request was accepted; null without a template;
--   is_marketing; sending_hours and, of marketing, frequency_caps: the company's (contact_rules); null where it has
--   none;
--   agent_disabled: the agent that was to make its calls may not call any more;
--   was_unreachable: the sender's last tries did not reach the platform: a response must be reported (adjust_senders);
--   by_marketing_endpoint: a template of category MARKETING, whose sender uses the platform's endpoint for marketing.
-- A message is an array: campaign_id, id, fence, attempt, number, user_id, message, expires_at in milliseconds since
-- 1970, and the seconds from when it was due until now.
create or replace function outbound.claim_notifications(
  p_worker text, p_limit int, p_lease interval, p_except uuid[] default '{}'
)
returns json
language plpgsql security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_chosen record;
  v_companies uuid[];
  v_ids uuid[];
  v_judged record;
  v_leased record;
  v_moves jsonb;
  v_claimed json;
begin
  if not outbound.is_active_cell() then
    return null;
  end if;
  select c.* into v_chosen from outbound.choose_notifications(p_limit, p_except) as c;
  if v_chosen.ids is not null then
    -- Locked before they are read, so that what follows sees what changed until then: a recipient's number too.
    select array_agg(n.company_id), array_agg(n.id) into v_companies, v_ids
    from unnest(v_chosen.companies, v_chosen.ids) as chosen(company_id, id)
    -- Lateral: one look-up per row. As a join it becomes, without statistics, a scan of everything that waits. So does
    -- the look-up when the condition on the state is written as in the indexes of what waits.
    cross join lateral (
      select w.company_id, w.id from outbound.queue as w
      where w.company_id = chosen.company_id and w.id = chosen.id
        and case when w.status = 'queued' and w.run_at <= clock_timestamp() then true end
      for update skip locked
    ) as n;

    v_judged := outbound.judge_recipients(v_companies, v_ids);
    if v_judged.refused is not null then
      perform outbound.put_off_claimed(
        v_judged.refused_companies, v_judged.refused, v_judged.codes, v_judged.times);
    end if;
    v_leased := outbound.lease_notifications(p_worker, p_lease, v_judged.companies, v_judged.ids);
    v_claimed := v_leased.claimed;
    v_moves := coalesce(v_leased.moves, '[]') || coalesce(v_judged.moves, '[]');
    if v_moves <> '[]' then
      perform outbound.move_campaign_counters(v_moves);
    end if;

    if v_chosen.has_calls then
      perform outbound.open_calls(p_worker, v_chosen.companies, v_chosen.ids);
    end if;
  end if;
  if v_chosen.seen_senders is not null then
    perform outbound.schedule_senders(v_chosen.seen_companies, v_chosen.seen_senders, false, p_from_first => true);
  end if;
  if v_chosen.idle_senders <> '{}' then
    perform outbound.schedule_senders(
      v_chosen.idle_companies, v_chosen.idle_senders, false, clock_timestamp() + interval '100 ms', true);
  end if;
  return v_claimed;
end
$$;

revoke execute on function outbound.claim_notifications from public;

-- Returns when there is something to do next: the earliest turn of a sender, or the end of a lease or a wait. The
-- time at which a line becomes free is not known. Null in a database that is not the one that works.
create or replace function outbound.next_due()
returns timestamptz
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_due_from constant timestamptz := outbound.due_from('senders');
  v_leases_from constant timestamptz := outbound.leases_from();
begin
  if not outbound.is_active_cell() then
    return null;
  end if;
  return least(
    (select t.due_at from outbound.sender_schedule as t where t.due_at >= v_due_from order by t.due_at limit 1),
    (
      select n.lease_until from outbound.queue as n
      where n.status in ('sending', 'unconfirmed') and n.lease_until >= v_leases_from
      order by n.lease_until limit 1
    )
  );
end
$$;

revoke execute on function outbound.next_due from public;

-- Does one step of what time alone brings about, or returns {busy} while another caller does one, {standby} in a database
-- that is not the one that works:
--   rescue: what a dead worker left (rescued), and hand-overs that were not taken;
--   settle: what the platform said nothing of (resent, failed_unknown), and silent_accounts, [{company_id, waba_id,
--     messages, refused}, …]: accounts whose messages wait because no event of theirs can arrive;
--   expire: what is too late (expired);
--   close: campaigns that are over, and deliveries that a dead worker left;
--   schedules: the times by which claims and ticks find what is due (repaired_turns).
-- Each figure counts notifications. Dispatchers and pg_cron do each step in a transaction of its own, so that locks are
-- held for one step and a step that fails undoes no other. Notifications that come due need none of it: claims read
-- their due times.
create or replace function outbound.tick_step(
  p_step text,
  p_limit int default 10000,
  p_window interval default '120 seconds',
  p_by text default 'dispatcher'
)
returns jsonb
language plpgsql security invoker set search_path = ''
as $$
declare
  v_unconfirmed record;
  v_late record;
  v_did jsonb := '{}'::jsonb;
begin
  if not outbound.is_active_cell() then
    return jsonb_build_object('standby', true);
  end if;
  if not pg_try_advisory_xact_lock(hashtextextended('outbound.tick', 0)) then
    return jsonb_build_object('busy', true);
  end if;

  case p_step
    when 'rescue' then
      perform outbound.mark_tick(p_by);
      perform outbound.expire_handoffs(p_limit);
      v_did := jsonb_build_object('rescued', outbound.rescue_lost_leases(p_limit, p_window, outbound.leases_from()));

    when 'settle' then
      v_unconfirmed := outbound.decide_unconfirmed(p_limit, p_window, outbound.leases_from());
      if v_unconfirmed.moves is not null then
        perform outbound.move_campaign_counters(v_unconfirmed.moves);
      end if;
      if v_unconfirmed.requeued is not null then
        perform outbound.stop_requeued(v_unconfirmed.requeued_companies, v_unconfirmed.requeued);
      end if;
      if v_unconfirmed.planned_senders is not null then
        perform outbound.schedule_senders(v_unconfirmed.planned_companies, v_unconfirmed.planned_senders, true);
      end if;
      v_did := jsonb_strip_nulls(jsonb_build_object('resent', v_unconfirmed.again,
        'failed_unknown', v_unconfirmed.failed, 'silent_accounts', v_unconfirmed.silent_accounts));

    when 'expire' then
      v_late := outbound.expire_notifications(p_limit);
      if v_late.moves is not null then
        perform outbound.move_campaign_counters(v_late.moves);
      end if;
      v_did := jsonb_build_object('expired', v_late.expired);

    when 'close' then
      perform outbound.close_campaigns(p_limit);
      perform outbound.schedule_lost_deliveries(outbound.leases_from());

    when 'schedules' then
      v_did := jsonb_build_object('repaired_turns', outbound.keep_schedules());
  end case;
  return v_did;
end
$$;

revoke execute on function outbound.tick_step from public;

-- For processes of the release before, which call it every second: does one of the steps of tick_step, now this one, now
-- that one. All in one transaction would lock campaigns twice.
create or replace function outbound.tick(
  p_limit int default 10000,
  p_window interval default '120 seconds',
  p_by text default 'dispatcher'
)
returns jsonb
language plpgsql security invoker set search_path = ''
as $$
begin
  if outbound.is_active_cell() then
    perform outbound.mark_tick(p_by);
  end if;
  return outbound.tick_step(
    (array['rescue', 'settle', 'expire', 'close', 'schedules'])[1 + floor(random() * 5)::int], p_limit, p_window, p_by);
end
$$;

revoke execute on function outbound.tick from public;

-- Leases up to p_limit due deliveries to p_worker for p_lease; those of a dead worker are due again at the first tick
-- after its lease (schedule_lost_deliveries). Companies take turns, so that an endpoint that does not respond delays no
-- other company. An endpoint gets 16 requests at a time; a failing one (three failures in a row) gets 1, and the
-- failing ones of a claim together p_max_failing.
--
-- Looks only at companies with something due: those with new deliveries, and those whose time in webhook_schedule has
-- come, of failing ones about as many as may get a request. What a failing endpoint cannot take is deferred.
create or replace function outbound.claim_deliveries(p_worker text, p_limit int, p_max_failing int, p_lease interval)
returns table (
  company_id uuid, event_id text, attempt int, attempt_since_replay int, payload text, url text,
  secret_sealed text, old_secret_sealed text, is_failing boolean,
  -- That of the campaign which the event is about.
  trace text
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
#variable_conflict use_column
declare
  v_scheduled uuid[];
  v_companies uuid[];
  v_events text[];
  v_attempts int[];
  v_since_replay int[];
begin
  if not outbound.is_active_cell() then
    return;
  end if;
  -- One claim at a time, and none beside a finish: each counts what the ones before it took, freed and deferred, in
  -- statements that begin after them.
  perform pg_advisory_xact_lock(hashtextextended('outbound.claim_deliveries', 0));
  v_scheduled := outbound.due_companies(256, greatest(16, p_max_failing));

  with endpoint as materialized (
    select e.* from outbound.endpoints_to_serve(v_scheduled) as e
  ),
  candidate as (
    select e.company_id, due.event_id, due.attempt, due.run_at, e.is_failing,
      row_number() over (partition by e.company_id order by due.run_at, due.event_id) as turn
    from endpoint as e
    cross join lateral (
      select d.event_id, d.attempt, d.run_at from outbound.webhook_deliveries as d
      where d.company_id = e.company_id and d.status = 'pending' and d.run_at <= now()
      order by d.run_at, d.event_id limit e.free
    ) as due
  ),
  ranked as (
    select c.*, row_number() over (partition by c.is_failing order by c.turn, c.run_at) as position from candidate as c
  ),
  chosen as (
    select r.company_id, r.event_id, r.attempt from ranked as r
    where not r.is_failing or r.position <= p_max_failing
    order by r.is_failing, r.turn, r.run_at limit p_limit
  ),
  locked as (
    select d.* from chosen
    cross join lateral (
      select d.company_id, d.event_id, d.attempt from outbound.webhook_deliveries as d
      where d.company_id = chosen.company_id and d.event_id = chosen.event_id and d.attempt = chosen.attempt
        and d.status = 'pending' and d.run_at <= now()
      for update skip locked
    ) as d
  ),
  claimed as (
    update outbound.webhook_deliveries as d
    set worker = p_worker, run_at = clock_timestamp() + p_lease, deferred = true
    from locked
    where d.company_id = locked.company_id and d.event_id = locked.event_id and d.attempt = locked.attempt
    returning d.company_id, d.event_id, d.attempt, d.attempt_since_replay
  )
  select array_agg(c.company_id), array_agg(c.event_id), array_agg(c.attempt), array_agg(c.attempt_since_replay)
  into v_companies, v_events, v_attempts, v_since_replay from claimed as c;
  perform outbound.defer_deliveries(v_scheduled);

  return query
  select c.company_id, c.event_id, c.attempt, c.since_replay, o.payload::text, w.url, w.secret_sealed,
    case when w.old_secret_until > now() then w.old_secret_sealed end, w.failures >= outbound.endpoint_fails_after(), (
      select g.trace from outbound.campaigns as g
      where g.company_id = c.company_id and g.id = (o.payload #>> '{data,campaign_id}')::uuid
    )
  from unnest(v_companies, v_events, v_attempts, v_since_replay) as c(company_id, event_id, attempt, since_replay)
  cross join lateral (select w.* from outbound.webhooks as w where w.company_id = c.company_id limit 1) as w
  cross join lateral (
    select o.payload from outbound.outgoing_events as o where o.company_id = c.company_id and o.id = c.event_id limit 1
  ) as o;
end
$$;

revoke execute on function outbound.claim_deliveries from public;

-- Leases up to p_limit replies that are due to p_worker for p_lease: each becomes `sending`, its attempt and its fence
-- count up. Takes the first of each sender, then the second of each …, so that one company's many replies delay no
-- other company's. Nothing of the senders p_except, of stopped ones, and of those that the platform found too fast
-- within the last three seconds. Looks only at senders whose time in reply_schedule has come, in rounds: where those of
-- a round may send nothing, or all that they have due is locked, the next senders are looked at. Says when it looks at
-- them again: at stopped ones once they are active again (plan_changed_senders).
-- Passes by rows that another claim has locked.
create or replace function outbound.claim_replies(p_worker text, p_limit int, p_lease interval, p_except uuid[] default '{}')
returns table (
  company_id uuid, id uuid, fence int, attempt smallint, number text, user_id text, kind text, text text, content jsonb,
  context_message_id text, sender_id uuid, platform_id text, token_sealed text, trace text
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
#variable_conflict use_column
declare
  v_companies uuid[];
  v_senders uuid[];
  v_due_from timestamptz := outbound.due_from('replies');
  v_is_idle boolean;
begin
  if not outbound.is_active_cell() then
    return;
  end if;
  for v_round in 1..10 loop
    -- In a statement of its own: what was queued before its sender's row was released is seen by the next one. The
    -- first round leaves senders to a claim that runs at the same time; a round that found nothing kept it from none.
    select array_agg(s.company_id), array_agg(s.sender_id), max(s.due_at) into v_companies, v_senders, v_due_from
    from (
      select s.company_id, s.sender_id, s.due_at from outbound.reply_schedule as s
      where s.due_at >= v_due_from and s.due_at <= now() and s.sender_id <> all (p_except)
      order by s.due_at limit case when v_round = 1 then 64 else 512 end for update skip locked
    ) as s;
    exit when v_senders is null;
    return query select l.* from outbound.lease_replies(p_worker, p_limit, p_lease, v_companies, v_senders) as l;
    v_is_idle := not found;
    perform outbound.reschedule_replies(
      v_companies, v_senders, case when v_is_idle then clock_timestamp() + interval '100 ms' else '-infinity' end);
    exit when not v_is_idle;
  end loop;
end
$$;

revoke execute on function outbound.claim_replies from public;

-- Takes up to p_limit objects that are due to be deleted from the media store, for five minutes: a process that dies
-- leaves them to the next one.
create or replace function outbound.take_media_leftovers(p_limit int)
returns table (company_id uuid, media_id uuid)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
#variable_conflict use_column
begin
  -- The objects may be those of the database that works.
  if not outbound.is_active_cell() then
    return;
  end if;
  return query
  update outbound.media_leftovers as l set due_at = now() + interval '5 minutes'
  where l.ctid = any (array(
    select o.ctid from outbound.media_leftovers as o where o.due_at <= now()
    order by o.due_at limit p_limit for update skip locked))
  returning l.company_id, l.media_id;
end
$$;

revoke execute on function outbound.take_media_leftovers from public;

-- Deletes what is no longer needed, at most p_limit rows of each kind, the oldest first. Returns how many by kind, and
-- `more`: whether some kind had that many, so that another call, in a transaction of its own, will find more.
-- Campaigns and notifications are the company's history and stay, except what a company wants apply_retention to
-- erase.
--
-- It never waits for a lock, so it is part of no deadlock: rows that are locked are left for the next call. Each kind
-- has a b-tree on its time, so a call reads about as many rows as it deletes, whatever is stored. (A BRIN index was
-- smaller. But once vacuum has freed pages for new rows, every range of it holds old and new ones, and each call read
-- the whole table.)
create or replace function outbound.clean_up(p_limit int default 10000)
returns jsonb
language plpgsql security invoker set search_path = ''
as $$
declare
  v_deleted jsonb;
begin
  if not outbound.is_active_cell() then
    return jsonb_build_object('more', false);
  end if;
  v_deleted := outbound.clean_up_requests(p_limit) || outbound.clean_up_platform_events(p_limit)
    || outbound.clean_up_outgoing_events(p_limit) || outbound.clean_up_conversations(p_limit)
    || outbound.clean_up_marketing(p_limit) || outbound.clean_up_records(p_limit) || outbound.clean_up_history(p_limit)
    || outbound.apply_retention(p_limit);
  return v_deleted || jsonb_build_object('more', exists (
    select from jsonb_each_text(v_deleted) as kind where kind.value::int >= p_limit
  ));
end
$$;

revoke execute on function outbound.clean_up from public;

-- Returns the figures of the database: whether it works, since when no tick ran, and what keeps vacuum from removing
-- rows. Part of operating_figures, which says what each is.
create or replace function outbound.database_figures()
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

-- Schedules the jobs of pg_cron, or brings them up to date and ends those of earlier versions; returns false where
-- pg_cron does not exist, or its schema may not be used. The jobs run as their caller, and only the caller and superusers
-- see them. With pg_cron the queue keeps moving while no process of ours runs; without it, the
-- dispatchers do all of this. One job takes all steps, because each run of a job starts a backend. Each step, or each
-- round of a step that has many, is a transaction of its own: a lock is held for one step only, and a step that fails
-- undoes and stops no other; the job then fails at its end, with the reasons. pg_cron knows seconds from 1.5 on; before
-- that a minute is the shortest interval.
create or replace function outbound.schedule_jobs()
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

reset check_function_bodies;

-- The jobs of pg_cron have this function's text.
select outbound.schedule_jobs();
