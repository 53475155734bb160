set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.webhook_schedule add column endpoint_id uuid default '00000000-0000-0000-0000-000000000000'::uuid not null;

alter table outbound.webhook_schedule drop constraint webhook_schedule_pkey;

alter table outbound.webhook_schedule add constraint webhook_schedule_pkey PRIMARY KEY (company_id, endpoint_id);

-- The attempts of an endpoint per hour, for 30 days: its success over time. Counted as they finish (finish_deliveries).
create table outbound.webhook_history (
  company_id uuid not null,
  endpoint_id uuid not null,
  hour timestamptz not null,
  succeeded int not null default 0,
  failed int not null default 0,
  constraint webhook_history_pkey primary key (company_id, endpoint_id, hour),
  constraint webhook_history_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
) with (fillfactor = 50);

create index webhook_history_hour_idx on outbound.webhook_history (hour);

alter table outbound.webhook_history enable row level security;

-- Returns the chores of a dispatcher that have something to do, by name: one look by small indexes instead of a query
-- per chore, most of which would find nothing. A chore that is named may still find nothing, because what waits is not
-- due or is locked; one that is not named would find nothing. In a database that is not the one that works only the
-- tick, which says so.
create or replace function outbound.open_chores(p_by text default 'dispatcher')
returns text[]
language plpgsql stable security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  -- Once: each call of these functions is a query.
  v_leases_from constant timestamptz := outbound.leases_from();
  v_replies_from constant timestamptz := outbound.due_from('replies');
  v_history_from constant timestamptz := outbound.due_from('history');
  v_media_from constant timestamptz := outbound.due_from('received_media');
begin
  if not outbound.is_active_cell() then
    return array['tick'];
  end if;
  return array(
    select chore.name from (values
      (
        'tick',
        exists (
          select from outbound.queue as n
          where n.status in ('sending', 'unconfirmed') and n.lease_until <= now()
            and n.lease_until >= v_leases_from
        )
        or exists (
          select from outbound.queue as n where n.status = 'queued' and n.expires_at <= now()
        )
        or exists (
          select from outbound.webhook_deliveries as d
          where d.status = 'pending' and d.worker is not null and d.run_at <= now()
            and d.run_at >= v_leases_from
        )
        or exists (select from outbound.handoffs as h where h.status <> 'ended' and h.expires_at <= now())
        or exists (select from outbound.campaigns as g where g.open_until <= now())
        -- A tick has work whatever is due: it records that a dispatcher keeps time, and repairs turns.
        or not exists (
          select from outbound.settings as s
          where s.name = 'last_tick:' || p_by and s.updated_at > now() - interval '10 seconds'
        )
      ),
      (
        'outages',
        exists (
          select from outbound.sender_rate_state as p
          where p.unreachable_since is not null and p.blocked_until > now() - interval '2 minutes'
        )
        or exists (select from outbound.settings as s where s.name in ('outage:whatsapp', 'outage:voice'))
      ),
      (
        'events',
        exists (select from outbound.platform_events as e where e.applied_at is null and e.apply_at <= now())
      ),
      (
        'account_events',
        exists (select from outbound.account_events as e where e.applied_at is null)
        or exists (select from outbound.senders as s where s.stopped_until <= now())
      ),
      (
        'template_events',
        exists (select from outbound.template_events as e where e.applied_at is null)
        or exists (select from outbound.templates as t where t.unsettled)
      ),
      (
        'replies',
        exists (
          select from outbound.reply_schedule as s
          where s.due_at <= now() and s.due_at >= v_replies_from
        )
        or coalesce((
          select m.expires_at from outbound.contact_messages as m where m.status = 'queued'
          order by m.expires_at limit 1
        ) <= now(), false)
        or exists (
          select from outbound.contact_messages as m
          where m.status in ('sending', 'unconfirmed') and m.lease_until <= now()
        )
      ),
      (
        'received_media',
        exists (
          select from outbound.received_media_schedule as s where s.due_at <= now() and s.due_at >= v_media_from
        )
      ),
      (
        'deliveries',
        exists (select from outbound.webhook_deliveries as d where d.status = 'pending' and not d.deferred)
        or exists (select from outbound.due_endpoints(1, 1))
      ),
      ('pushes', exists (select from outbound.push_notices as p where p.run_at <= now())),
      ('stopping', exists (select from outbound.campaigns as g where g.stopping_at is not null)),
      ('resends', exists (select from outbound.resends as r)),
      ('uploads', exists (select from outbound.upload_audiences as a where a.next_at <= now())),
      (
        'calls',
        exists (select from outbound.calls as k where k.check_at is not null)
        or exists (select from outbound.notification_facts as n where n.on_call)
      ),
      ('people', exists (select from outbound.named_people as n)),
      ('history', exists (select from outbound.history_changes as c where c.written_at >= v_history_from)),
      ('budgets', exists (select from outbound.budgets as b where b.checked_at < now() - interval '1 minute')),
      ('voice_sessions', exists (select from outbound.voice_sessions as v where v.check_at <= now()))
    ) as chore(name, is_open)
    where chore.is_open
  );
end
$$;

revoke execute on function outbound.open_chores from public;

-- Returns what a request is checked against before it is stored: the key, the sender that p_recipient names (by id,
-- number or the platform's id), all languages of the template in that sender's account, and the voice agent (by id or
-- the platform's id). With p_bulk an unknown name means the company's oldest sender of the channel that the key may use.
-- The sender that is named comes back even if the key may not use it: the caller refuses it. What may keep its
-- notifications from leaving at once comes with it.
create or replace function outbound.send_context(
  p_key_hash text, p_channel text, p_recipient text, p_template text, p_agent text, p_bulk boolean
)
returns table (
  outcome text, company_id uuid, api_key_id uuid, permissions text[], api_access boolean,
  rate_limit int, remaining int, reset_s int, sender_id uuid, sender_number text, sender_locked text, templates jsonb, agent jsonb,
  -- Why the sender sends nothing at present, and until when; since when the platform has not responded to it, and when
  -- it is tried next; how many people it may write to (TIER_2K), and how the platform rates it (RED).
  sender_stopped text, sender_stopped_until timestamptz, outage_since timestamptz, outage_until timestamptz,
  sender_limit text, sender_quality text,
  -- The company's rules (contact_rules, companies); null for none.
  sending_hours jsonb, frequency_caps jsonb, marketing_cooldown boolean, call_gap_s int,
  -- The key of the hashes of erased people, sealed; null where no person was erased.
  erasure_key_sealed text,
  -- A webhook of the company receives flow.triggered.
  has_flow_webhook boolean
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_key record;
  v_sender record;
  v_rules record;
  v_allowed uuid[];
begin
  select * into v_key from outbound.use_access_key(p_key_hash, 0);
  if v_key.outcome <> 'ok' then
    outcome := v_key.outcome;
    rate_limit := 0;
    remaining := 0;
    reset_s := 0;
    return next;
    return;
  end if;
  select k.sender_ids into v_allowed from outbound.api_keys as k
  where k.company_id = v_key.company_id and k.id = v_key.api_key_id;
  select s.id, s.waba_id, s.number, s.locked, s.stopped_reason, s.stopped_until, s.messaging_limit, s.quality,
    outage.since as outage_since, case when outage.since is not null then p.blocked_until end as outage_until
  into v_sender
  from outbound.senders as s
  join outbound.sender_rate_state as p on p.company_id = s.company_id and p.sender_id = s.id
  cross join lateral outbound.outage_since(p) as outage(since)
  where s.company_id = v_key.company_id and s.channel = p_channel
    and (p_bulk or p_recipient in (s.id::text, s.number, s.platform_id))
  order by p_recipient in (s.id::text, s.number, s.platform_id) desc, (s.id = any (v_allowed)) is not false desc,
    s.created_at, s.id
  limit 1;
  select y.call_gap_s, nullif(r.sending_hours, '[]') as sending_hours, nullif(r.frequency_caps, '[]') as frequency_caps,
    coalesce(r.marketing_cooldown, false) as marketing_cooldown, r.erasure_key_sealed
  into v_rules
  from outbound.companies as y left join outbound.contact_rules as r on r.company_id = y.id
  where y.id = v_key.company_id;
  return query select v_key.outcome, v_key.company_id, v_key.api_key_id, v_key.permissions, v_key.api_access,
    v_key.rate_limit, v_key.remaining, v_key.reset_s, v_sender.id,
    v_sender.number, case when v_sender.locked then v_sender.stopped_reason end,
    (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', t.id, 'language', t.language, 'category', t.category, 'status', t.status, 'shape', t.shape,
        'parameter_format', t.parameter_format, 'components', t.components
      )), '[]')
      from outbound.templates as t
      where t.company_id = v_key.company_id and t.waba_id = v_sender.waba_id and t.name = p_template
    ),
    (
      select jsonb_build_object('id', a.id, 'platform_agent_id', a.platform_agent_id, 'status', a.status)
      from outbound.voice_agents as a
      where a.company_id = v_key.company_id and p_agent in (a.id::text, a.platform_agent_id)
      order by a.id::text = p_agent desc limit 1
    ),
    v_sender.stopped_reason, v_sender.stopped_until, v_sender.outage_since, v_sender.outage_until,
    v_sender.messaging_limit, v_sender.quality,
    v_rules.sending_hours, v_rules.frequency_caps, v_rules.marketing_cooldown, v_rules.call_gap_s,
    case when v_rules.erasure_key_sealed is not null and exists (
      select from outbound.erased_contacts as e where e.company_id = v_key.company_id
    ) then v_rules.erasure_key_sealed end,
    exists (
      select from outbound.endpoints as w
      where w.company_id = v_key.company_id and w.is_active
        and coalesce('flow.triggered' = any (w.event_types), true)
    );
end
$$;

revoke execute on function outbound.send_context from public;

-- Leases up to p_limit due deliveries to p_worker for p_lease; those of a dead worker are due again at the first tick
-- after its lease (schedule_lost_deliveries). Companies take turns, and so do the endpoints of each, so
-- that one that does not respond delays no other. A company's endpoints get 16 requests at a time (max_requests_to); a
-- failing one (three failures in a row) gets 1, and the failing ones of a claim together p_max_failing.
--
-- Looks only at endpoints with something due: those with new deliveries, and those whose time in webhook_schedule has
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
  v_due_companies uuid[];
  v_due_endpoints uuid[];
  v_companies uuid[];
  v_endpoints uuid[];
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
  select array_agg(d.company_id), array_agg(d.endpoint_id) into v_due_companies, v_due_endpoints
  from outbound.due_endpoints(256, greatest(16, p_max_failing)) as d;

  with endpoint as materialized (
    select e.* from outbound.serve_endpoints(v_due_companies, v_due_endpoints) as e
  ),
  candidate as (
    select e.company_id, due.event_id, due.attempt, due.run_at, e.is_failing,
      row_number() over (partition by e.company_id, e.endpoint_id order by due.run_at, due.event_id) as own_turn
    from endpoint as e
    cross join lateral (
      select d.event_id, d.attempt, d.run_at from outbound.webhook_deliveries as d
      where d.company_id = e.company_id and d.endpoint_id = e.endpoint_id and d.status = 'pending' and d.run_at <= now()
      order by d.run_at, d.event_id limit e.free
    ) as due
  ),
  turned as (
    select c.*, row_number() over (partition by c.company_id, c.is_failing order by c.own_turn, c.run_at) as turn
    from candidate as c
  ),
  ranked as (
    select c.*, row_number() over (partition by c.is_failing order by c.turn, c.run_at) as position from turned as c
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
    returning d.company_id, d.endpoint_id, d.event_id, d.attempt, d.attempt_since_replay
  )
  select array_agg(c.company_id), array_agg(c.endpoint_id), array_agg(c.event_id), array_agg(c.attempt),
    array_agg(c.attempt_since_replay)
  into v_companies, v_endpoints, v_events, v_attempts, v_since_replay from claimed as c;
  perform outbound.defer_endpoints(v_due_companies, v_due_endpoints);

  return query
  select c.company_id, c.event_id, c.attempt, c.since_replay, o.payload::text, w.url, w.secret_sealed,
    case when w.old_secret_until > now() then w.old_secret_sealed end, w.failures >= outbound.endpoint_fails_after(), (
      select g.trace from outbound.campaigns as g
      where g.company_id = c.company_id and g.id = (o.payload #>> '{data,campaign_id}')::uuid
    )
  from unnest(v_companies, v_endpoints, v_events, v_attempts, v_since_replay)
    as c(company_id, endpoint_id, event_id, attempt, since_replay)
  cross join lateral (
    select w.* from outbound.endpoints as w where w.company_id = c.company_id and w.id = c.endpoint_id limit 1
  ) as w
  cross join lateral (
    select o.payload from outbound.outgoing_events as o where o.company_id = c.company_id and o.id = c.event_id limit 1
  ) as o;
end
$$;

revoke execute on function outbound.claim_deliveries from public;

-- Takes the new deliveries that endpoints in trouble could not get out of the way of claims, and says when claims look
-- at those endpoints, and at the given ones, again. The caller has the lock of deliveries.
create or replace function outbound.defer_endpoints(p_companies uuid[], p_endpoints uuid[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per endpoint.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
declare
  v_companies uuid[];
  v_endpoints uuid[];
begin
  select array_agg(n.company_id), array_agg(n.endpoint_id) into v_companies, v_endpoints
  from outbound.endpoints_with_new_deliveries() as n
  where not exists (
    select from outbound.endpoints as w
    where w.company_id = n.company_id and w.id = n.endpoint_id and w.is_active
      and w.failures < outbound.endpoint_fails_after()
  );
  if coalesce(cardinality(v_companies || p_companies), 0) = 0 then
    return;
  end if;
  update outbound.webhook_deliveries as d set deferred = true where d.ctid = any (array(
    select o.ctid from unnest(v_companies, v_endpoints) as troubled(company_id, endpoint_id)
    cross join lateral (
      select w.ctid from outbound.webhook_deliveries as w
      where w.company_id = troubled.company_id and w.endpoint_id = troubled.endpoint_id and w.status = 'pending'
        and not w.deferred
      limit 1000 for update skip locked
    ) as o
  ));

  with endpoint as materialized (
    select c.company_id, c.endpoint_id, w.is_active is true as is_active,
      w.failures >= outbound.endpoint_fails_after() as is_failing,
      outbound.max_requests_to(c.company_id, w.failures) as max_requests, first.run_at, (
      select count(*) from outbound.webhook_deliveries as d
      where d.company_id = c.company_id and d.endpoint_id = c.endpoint_id and d.status = 'pending'
        and d.worker is not null and d.run_at > now()
    ) as under_way
    from (
      select * from unnest(v_companies, v_endpoints) as troubled(company_id, endpoint_id)
      union select * from unnest(p_companies, p_endpoints)
    ) as c
    left join lateral (
      select o.is_active, o.failures from outbound.endpoints as o
      where o.company_id = c.company_id and o.id = c.endpoint_id limit 1
    ) as w on true
    left join lateral (
      select d.run_at from outbound.webhook_deliveries as d
      where d.company_id = c.company_id and d.endpoint_id = c.endpoint_id and d.status = 'pending'
      order by d.run_at, d.event_id limit 1
    ) as first on true
  ),
  idle as (
    delete from outbound.webhook_schedule as s using endpoint as c
    where s.company_id = c.company_id and s.endpoint_id = c.endpoint_id and (c.run_at is null or not c.is_active)
      and (s.company_id, s.endpoint_id) in (select * from unnest(p_companies, p_endpoints))
  )
  insert into outbound.webhook_schedule as s (company_id, endpoint_id, is_failing, due_at)
  select c.company_id, c.endpoint_id, c.is_failing, case
      when c.run_at > now() then c.run_at
      -- The result of a request that is under way comes first (finish_deliveries).
      when c.under_way >= c.max_requests then now() + interval '1 minute'
      -- Endpoints in trouble take turns for the few requests that all of them get.
      when c.is_failing then now() + interval '30 seconds'
      else now() end
  from endpoint as c where c.run_at is not null and c.is_active
  on conflict on constraint webhook_schedule_pkey do update
    set is_failing = excluded.is_failing,
      due_at = case
        when (s.company_id, s.endpoint_id) in (select * from unnest(p_companies, p_endpoints)) then excluded.due_at
        else least(s.due_at, excluded.due_at) end;
end
$$;

revoke execute on function outbound.defer_endpoints from public;

-- Schedules the endpoints with deferred deliveries that are not scheduled: a safety net for what reached the queue in
-- another way, such as an operator's statement, or a webhook that was switched on again.
create or replace function outbound.repair_webhook_schedule()
returns void
language sql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  -- No claim and no finish runs meanwhile (finish_deliveries).
  select pg_advisory_xact_lock(hashtextextended('outbound.claim_deliveries', 0));
  insert into outbound.webhook_schedule (company_id, endpoint_id, is_failing, due_at)
  select c.company_id, w.id, w.failures >= outbound.endpoint_fails_after(), now()
  from outbound.companies_with_deliveries() as c
  cross join lateral (
    select o.id, o.failures from outbound.endpoints as o where o.company_id = c.company_id and o.is_active
  ) as w
  where exists (
    select from outbound.webhook_deliveries as d
    where d.company_id = c.company_id and d.endpoint_id = w.id and d.status = 'pending'
  ) and not exists (
    select from outbound.webhook_schedule as s where s.company_id = c.company_id and s.endpoint_id = w.id
  )
  on conflict on constraint webhook_schedule_pkey do nothing
$$;

revoke execute on function outbound.repair_webhook_schedule from public;

-- Returns endpoints whose time in webhook_schedule has come, the longest due first: p_max at most that work, and
-- p_max_failing that fail. Failing ones, however many are due, delay no others.
create or replace function outbound.due_endpoints(p_max int, p_max_failing int)
returns table (company_id uuid, endpoint_id uuid)
language plpgsql stable rows 10 security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_due_from constant timestamptz := outbound.due_from('webhooks');
  v_failing_from constant timestamptz := outbound.due_from('failing_webhooks');
begin
  return query
  (
    select s.company_id, s.endpoint_id from outbound.webhook_schedule as s
    where not s.is_failing and s.due_at >= v_due_from and s.due_at <= now() order by s.due_at limit p_max
  )
  union all
  (
    select s.company_id, s.endpoint_id from outbound.webhook_schedule as s
    where s.is_failing and s.due_at >= v_failing_from and s.due_at <= now() order by s.due_at limit p_max_failing
  );
end
$$;

revoke execute on function outbound.due_endpoints from public;

-- Records how attempts by p_worker went, each an object:
--   company_id, event_id, attempt, outcome (succeeded, failed, or released: handed back unsent, due at once),
--     request_headers, response_status, response_body, error, duration_ms, retry_in_s (null: that was the last attempt),
--     gone (the endpoint wants no more events: it stops).
-- An attempt that another worker has claimed since changes nothing; one that is handed back after the webhook was
-- switched off has failed. Returns how many were recorded.
create or replace function outbound.finish_deliveries(p_worker text, p_results jsonb)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_done jsonb;
begin
  -- No claim runs meanwhile (claim_deliveries), and nothing else of this kind beside what adds endpoints to
  -- webhook_schedule: that locks those which are there in their order first, and would then wait out of order for one
  -- that another adds.
  if exists (select from jsonb_to_recordset(p_results) as r(outcome text) where r.outcome <> 'succeeded') then
    perform pg_advisory_xact_lock(hashtextextended('outbound.claim_deliveries', 0));
  else
    perform pg_advisory_xact_lock_shared(hashtextextended('outbound.claim_deliveries', 0));
  end if;
  with locked as (
    select d.company_id, d.endpoint_id, d.event_id, d.attempt, d.attempt_since_replay, r.request_headers,
      r.response_status, r.response_body,
      case when r.outcome <> 'released' or w.is_active then r.outcome else 'failed' end as outcome,
      case when r.outcome <> 'released' or w.is_active then r.error else 'The webhook was switched off' end as error,
      r.duration_ms, r.retry_in_s, coalesce(r.gone, false) as gone
    from jsonb_to_recordset(p_results) as r(
      company_id uuid, event_id text, attempt int, outcome text, request_headers json, response_status int,
      response_body text, error text, duration_ms int, retry_in_s float8, gone boolean
    )
    join outbound.webhook_deliveries as d
      on d.company_id = r.company_id and d.event_id = r.event_id and d.attempt = r.attempt
    left join lateral (
      select e.is_active from outbound.endpoints as e where e.company_id = d.company_id and e.id = d.endpoint_id limit 1
    ) as w on true
    where d.status = 'pending' and d.worker = p_worker
    order by d.company_id, d.event_id for update of d
  ),
  finished as (
    update outbound.webhook_deliveries as d
    set status = case locked.outcome when 'released' then 'pending' else locked.outcome end, worker = null,
      run_at = case locked.outcome when 'released' then clock_timestamp() else d.run_at end,
      finished_at = case when locked.outcome <> 'released' then clock_timestamp() end,
      request_headers = locked.request_headers, response_status = locked.response_status, response_body = locked.response_body, error = locked.error,
      duration_ms = locked.duration_ms
    from locked
    where d.company_id = locked.company_id and d.event_id = locked.event_id and d.attempt = locked.attempt
    returning locked.*
  )
  select jsonb_agg(jsonb_build_object(
    'company_id', f.company_id, 'endpoint_id', f.endpoint_id, 'event_id', f.event_id, 'attempt', f.attempt,
    'attempt_since_replay', f.attempt_since_replay, 'outcome', f.outcome, 'gone', f.gone, 'retry_in_s', f.retry_in_s
  ))
  into v_done from finished as f;
  if v_done is null then
    return 0;
  end if;
  perform outbound.retry_deliveries(v_done);
  perform outbound.count_failures(v_done);
  perform outbound.schedule_endpoints(v_done);
  perform outbound.stop_endpoint(gone.company_id, gone.endpoint_id, 'The endpoint answered 410: it wants no more events')
  from (
    select distinct f.company_id, f.endpoint_id
    from jsonb_to_recordset(v_done) as f(company_id uuid, endpoint_id uuid, gone boolean)
    where f.gone order by f.company_id, f.endpoint_id
  ) as gone;

  insert into outbound.webhook_history as h (company_id, endpoint_id, hour, succeeded, failed)
  select f.company_id, f.endpoint_id, date_trunc('hour', now(), 'UTC'),
    count(*) filter (where f.outcome = 'succeeded'), count(*) filter (where f.outcome = 'failed')
  from jsonb_to_recordset(v_done) as f(company_id uuid, endpoint_id uuid, outcome text)
  where f.outcome <> 'released' group by f.company_id, f.endpoint_id order by f.company_id, f.endpoint_id
  on conflict on constraint webhook_history_pkey do update
    set succeeded = h.succeeded + excluded.succeeded, failed = h.failed + excluded.failed;
  return jsonb_array_length(v_done);
end
$$;

revoke execute on function outbound.finish_deliveries from public;

-- Delivers events to an endpoint again, from the first attempt on: one (p_event_id), or those written since p_since whose
-- delivery failed. Deliveries that wait for a later attempt go now. Returns how many.
create or replace function outbound.replay_endpoint(
  p_company_id uuid, p_endpoint_id uuid, p_event_id text, p_since timestamptz
)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_hurried int;
  v_again int;
  v_events text[];
begin
  update outbound.webhook_deliveries as d set run_at = now(), deferred = false
  from outbound.outgoing_events as e
  where d.company_id = p_company_id and d.endpoint_id = p_endpoint_id and d.status = 'pending' and d.worker is null
    and e.company_id = d.company_id and e.id = d.event_id
    and (e.id = p_event_id or (p_event_id is null and d.attempt_since_replay > 1 and e.created_at >= p_since));
  get diagnostics v_hurried = row_count;

  v_events := array(
    select e.id from outbound.outgoing_events as e
    cross join lateral (
      select d.status from outbound.webhook_deliveries as d
      where d.company_id = e.company_id and d.event_id = e.id and d.endpoint_id = p_endpoint_id
      order by d.attempt desc limit 1
    ) as latest
    where e.company_id = p_company_id and latest.status <> 'pending'
      and (e.id = p_event_id or (p_event_id is null and latest.status = 'failed' and e.created_at >= p_since))
    order by e.id
  );
  perform outbound.lock_event_numbers(array_fill(p_company_id, array[cardinality(v_events)]), v_events);
  insert into outbound.webhook_deliveries (company_id, endpoint_id, event_id, attempt)
  select p_company_id, p_endpoint_id, again.id, latest.attempt + 1
  from unnest(v_events) as again(id)
  cross join lateral (
    select d.attempt from outbound.webhook_deliveries as d
    where d.company_id = p_company_id and d.event_id = again.id order by d.attempt desc limit 1
  ) as latest
  -- Another replay of it was first.
  where not exists (
    select from outbound.webhook_deliveries as d
    where d.company_id = p_company_id and d.event_id = again.id and d.endpoint_id = p_endpoint_id
      and d.status = 'pending'
  )
  on conflict on constraint webhook_deliveries_pkey do nothing;
  get diagnostics v_again = row_count;
  return v_hurried + v_again;
end
$$;

revoke execute on function outbound.replay_endpoint from public;

-- Adds the next attempts of deliveries that failed. A step of finish_deliveries.
create or replace function outbound.retry_deliveries(p_done jsonb)
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per delivery.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_failed constant jsonb := (
    select jsonb_agg(f) from jsonb_array_elements(p_done) as f
    where f ->> 'outcome' = 'failed' and f ->> 'retry_in_s' is not null and not (f ->> 'gone')::boolean
  );
begin
  if v_failed is null then
    return;
  end if;
  -- Attempts are numbered over all endpoints of an event: none of another endpoint is numbered meanwhile.
  perform outbound.lock_event_numbers(
    array_agg(f.company_id order by f.company_id, f.event_id), array_agg(f.event_id order by f.company_id, f.event_id))
  from jsonb_to_recordset(v_failed) as f(company_id uuid, event_id text);

  insert into outbound.webhook_deliveries
    (company_id, endpoint_id, event_id, attempt, attempt_since_replay, run_at, deferred)
  select f.company_id, f.endpoint_id, f.event_id,
    latest.attempt + row_number() over (partition by f.company_id, f.event_id order by f.attempt),
    f.attempt_since_replay + 1, clock_timestamp() + make_interval(secs => f.retry_in_s), true
  from jsonb_to_recordset(v_failed) as f(
    company_id uuid, endpoint_id uuid, event_id text, attempt int, attempt_since_replay int, retry_in_s float8
  )
  cross join lateral (
    select from outbound.endpoints as e
    where e.company_id = f.company_id and e.id = f.endpoint_id and e.is_active limit 1
  ) as w
  cross join lateral (
    select d.attempt from outbound.webhook_deliveries as d
    where d.company_id = f.company_id and d.event_id = f.event_id order by d.attempt desc limit 1
  ) as latest
  on conflict on constraint webhook_deliveries_pkey do nothing;
end
$$;

revoke execute on function outbound.retry_deliveries from public;

-- Keeps others from numbering attempts of these events until the transaction ends, where a company has several endpoints:
-- with one, an event has one attempt at a time, and the number after it.
create or replace function outbound.lock_event_numbers(p_companies uuid[], p_events text[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per event.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  perform from unnest(p_companies, p_events) as g(company_id, event_id)
  join outbound.outgoing_events as o on o.company_id = g.company_id and o.id = g.event_id
  where exists (select from outbound.webhook_endpoints as e where e.company_id = g.company_id)
  order by o.company_id, o.id for no key update of o;
end
$$;

revoke execute on function outbound.lock_event_numbers from public;

-- Counts the failures in a row of endpoints; a success ends them. A step of finish_deliveries, as the next one.
create or replace function outbound.count_failures(p_done jsonb)
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per endpoint.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  with result as (
    select f.company_id, f.endpoint_id, bool_or(f.outcome = 'succeeded') as responded, count(*)::int as attempts
    from jsonb_to_recordset(p_done) as f(company_id uuid, endpoint_id uuid, outcome text)
    where f.outcome <> 'released' group by f.company_id, f.endpoint_id
  ),
  locked as (
    select w.company_id, result.responded, result.attempts from result
    join outbound.webhooks as w on w.company_id = result.company_id
      and result.endpoint_id = '00000000-0000-0000-0000-000000000000'
    where not result.responded or w.failures > 0
    order by w.company_id for no key update of w
  )
  update outbound.webhooks as w set failures = case when locked.responded then 0 else w.failures + locked.attempts end
  from locked where w.company_id = locked.company_id;

  with result as (
    select f.company_id, f.endpoint_id, bool_or(f.outcome = 'succeeded') as responded, count(*)::int as attempts
    from jsonb_to_recordset(p_done) as f(company_id uuid, endpoint_id uuid, outcome text)
    where f.outcome <> 'released' group by f.company_id, f.endpoint_id
  ),
  locked as (
    select w.company_id, w.id, result.responded, result.attempts from result
    join outbound.webhook_endpoints as w on w.company_id = result.company_id and w.id = result.endpoint_id
    where not result.responded or w.failures > 0
    order by w.company_id, w.id for no key update of w
  )
  update outbound.webhook_endpoints as w set failures = case when locked.responded then 0 else w.failures + locked.attempts end
  from locked where w.company_id = locked.company_id and w.id = locked.id;
end
$$;

revoke execute on function outbound.count_failures from public;

-- Has claims look at endpoints when something of theirs is due: a place at them is free, so what they could not take
-- before may go now.
create or replace function outbound.schedule_endpoints(p_done jsonb)
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per endpoint.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  with due as (
    select f.company_id, f.endpoint_id, f.at, w.is_failing
    from (
      select d.company_id, d.endpoint_id, now() + make_interval(
        secs => min(case d.outcome when 'released' then 0 else d.retry_in_s end)) as at
      from jsonb_to_recordset(p_done) as d(company_id uuid, endpoint_id uuid, outcome text, retry_in_s float8)
      group by d.company_id, d.endpoint_id
    ) as f
    cross join lateral (
      select o.failures >= outbound.endpoint_fails_after() as is_failing from outbound.endpoints as o
      where o.company_id = f.company_id and o.id = f.endpoint_id limit 1
    ) as w
    order by f.company_id, f.endpoint_id
  ),
  freed as (
    select s.company_id, s.endpoint_id, due.is_failing from due
    cross join lateral (
      select w.company_id, w.endpoint_id from outbound.webhook_schedule as w
      where w.company_id = due.company_id and w.endpoint_id = due.endpoint_id for no key update
    ) as s
  ),
  hurried as (
    update outbound.webhook_schedule as s
    set is_failing = freed.is_failing, due_at = least(s.due_at, clock_timestamp())
    from freed
    where s.company_id = freed.company_id and s.endpoint_id = freed.endpoint_id
      and (s.due_at > clock_timestamp() or s.is_failing <> freed.is_failing)
  )
  insert into outbound.webhook_schedule as s (company_id, endpoint_id, is_failing, due_at)
  select due.company_id, due.endpoint_id, due.is_failing, due.at from due
  where due.at is not null and not exists (
    select from freed where freed.company_id = due.company_id and freed.endpoint_id = due.endpoint_id
  )
  order by due.company_id, due.endpoint_id
  on conflict on constraint webhook_schedule_pkey do update set due_at = least(s.due_at, excluded.due_at);
end
$$;

revoke execute on function outbound.schedule_endpoints from public;

-- Has claims look at the endpoints with deliveries whose worker was lost: its lease, which ended after p_leases_from,
-- ran out before it recorded a result. A step of tick.
create or replace function outbound.schedule_lost_deliveries(p_leases_from timestamptz)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_companies uuid[];
  v_endpoints uuid[];
begin
  select array_agg(lost.company_id), array_agg(lost.endpoint_id) into v_companies, v_endpoints from (
    select d.company_id, d.endpoint_id from outbound.webhook_deliveries as d
    where d.status = 'pending' and d.worker is not null and d.run_at >= p_leases_from and d.run_at <= now()
    order by d.run_at limit 10000
  ) as lost;
  if v_companies is null then
    return;
  end if;
  -- No claim and no finish runs meanwhile: they would lock the same rows in another order (finish_deliveries).
  perform pg_advisory_xact_lock(hashtextextended('outbound.claim_deliveries', 0));
  insert into outbound.webhook_schedule as s (company_id, endpoint_id, due_at)
  select distinct lost.company_id, lost.endpoint_id, now() from unnest(v_companies, v_endpoints) as lost(company_id, endpoint_id)
  order by lost.company_id, lost.endpoint_id
  on conflict on constraint webhook_schedule_pkey do update set due_at = excluded.due_at
    where s.due_at > excluded.due_at;
end
$$;

revoke execute on function outbound.schedule_lost_deliveries from public;

-- Returns the endpoints with new deliveries, in the order of the index. Jumps from one to the next.
create or replace function outbound.endpoints_with_new_deliveries()
returns table (company_id uuid, endpoint_id uuid)
language plpgsql stable rows 10 security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  with recursive busy as (
    (
      select d.company_id, d.endpoint_id from outbound.webhook_deliveries as d
      where d.status = 'pending' and not d.deferred order by d.company_id, d.endpoint_id limit 1
    )
    union all
    select following.company_id, following.endpoint_id
    from busy cross join lateral (
      select d.company_id, d.endpoint_id from outbound.webhook_deliveries as d
      where d.status = 'pending' and not d.deferred
        and (d.company_id, d.endpoint_id) > (busy.company_id, busy.endpoint_id)
      order by d.company_id, d.endpoint_id limit 1
    ) as following
  )
  select busy.company_id, busy.endpoint_id from busy;
end
$$;

revoke execute on function outbound.endpoints_with_new_deliveries from public;

-- Returns how many requests an endpoint with p_failures failures in a row gets at a time. A company's endpoints share
-- what one would get, so that a company with many takes no more of the requests that all companies share.
create or replace function outbound.max_requests_to(p_company_id uuid, p_failures int)
returns int
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return case when p_failures >= outbound.endpoint_fails_after() then 1
    else greatest(1, outbound.max_requests_per_endpoint() / (1 + (
      select count(*)::int from outbound.webhook_endpoints as e where e.company_id = p_company_id and e.is_active
    ))) end;
end
$$;

revoke execute on function outbound.max_requests_to from public;

-- Returns the endpoints that may have something due: those given, and those with new deliveries. free: how many more
-- requests each may get at this moment.
create or replace function outbound.serve_endpoints(p_companies uuid[], p_endpoints uuid[])
returns table (company_id uuid, endpoint_id uuid, is_failing boolean, free int)
language plpgsql stable rows 10 security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  with endpoint as (
    select * from unnest(p_companies, p_endpoints) as s(company_id, endpoint_id)
    union select n.company_id, n.endpoint_id from outbound.endpoints_with_new_deliveries() as n
  )
  select p.company_id, p.endpoint_id, w.is_failing, w.max_requests - u.deliveries
  from endpoint as p
  cross join lateral (
    select e.failures >= outbound.endpoint_fails_after() as is_failing,
      outbound.max_requests_to(e.company_id, e.failures) as max_requests
    from outbound.endpoints as e where e.company_id = p.company_id and e.id = p.endpoint_id and e.is_active limit 1
  ) as w
  cross join lateral (
    select count(*)::int as deliveries from (
      select from outbound.webhook_deliveries as d
      where d.company_id = p.company_id and d.endpoint_id = p.endpoint_id and d.status = 'pending'
        and d.worker is not null and d.run_at > now()
      limit w.max_requests
    ) as one
  ) as u;
end
$$;

revoke execute on function outbound.serve_endpoints from public;

-- Switches an endpoint off. Its pending deliveries fail; a replay of what failed brings them back. A delivery that is
-- locked is being finished, and is passed by.
create or replace function outbound.stop_endpoint(p_company_id uuid, p_endpoint_id uuid, p_reason text)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  with waiting as (
    select d.event_id, d.attempt from outbound.webhook_deliveries as d
    where d.company_id = p_company_id and d.endpoint_id = p_endpoint_id and d.status = 'pending'
      and (d.worker is null or d.run_at <= now())
    for update skip locked
  )
  update outbound.webhook_deliveries as d
  set status = 'failed', worker = null, finished_at = now(), error = coalesce(p_reason, 'The webhook was switched off')
  from waiting
  where d.company_id = p_company_id and d.event_id = waiting.event_id and d.attempt = waiting.attempt;
  if p_endpoint_id = '00000000-0000-0000-0000-000000000000' then
    update outbound.webhooks as w set is_active = false, stopped_reason = p_reason, updated_at = now()
    where w.company_id = p_company_id;
  else
    update outbound.webhook_endpoints as w set is_active = false, stopped_reason = p_reason, updated_at = now()
    where w.company_id = p_company_id and w.id = p_endpoint_id;
  end if;
end
$$;

revoke execute on function outbound.stop_endpoint from public;

-- Writes campaign.completed for campaigns that have just become complete.
create or replace function outbound.write_campaign_events(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  -- The format of outbound.iso_time, because calling it costs 2 to 3 µs per time.
  c_iso constant text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
begin
  with wanted as materialized (
    select g.company_id, 'evt_' || replace(gen_random_uuid()::text, '-', '') as id, w.endpoints, json_build_object(
      'type', 'campaign.completed',
      'timestamp', to_char(g.completed_at at time zone 'UTC', c_iso),
      'data', json_strip_nulls(json_build_object(
        'company_id', g.company_id, 'campaign_id', g.id, 'campaign_name', g.name, 'channel', g.channel,
        'notification_type', g.notification_type, 'status', outbound.campaign_status(g),
        'total', g.total, 'sent', g.sent, 'delivered', g.delivered, 'read', g.read, 'failed', g.failed,
        'cancelled', g.cancelled, 'skipped', g.skipped, 'replied', g.replied, 'rejected', g.rejected,
        'created_at', to_char(g.created_at at time zone 'UTC', c_iso),
        'scheduled_time', to_char(g.scheduled_time at time zone 'UTC', c_iso),
        'started_at', to_char(g.started_at at time zone 'UTC', c_iso),
        'completed_at', to_char(g.completed_at at time zone 'UTC', c_iso)
      ))
    ) as payload
    from unnest(p_companies, p_ids) as done(company_id, id)
    join outbound.campaigns as g on g.company_id = done.company_id and g.id = done.id
    cross join lateral (
      select array_agg(e.id) as endpoints from outbound.endpoints as e
      where e.company_id = g.company_id and e.is_active
        and (e.event_types is null or 'campaign.completed' = any (e.event_types))
        and (e.channels is null or g.channel = any (e.channels))
        and (e.sender_ids is null or g.sender_id = any (e.sender_ids))
    ) as w
    where w.endpoints is not null
  ),
  written as (
    insert into outbound.outgoing_events (company_id, id, type, payload)
    select w.company_id, w.id, 'campaign.completed', w.payload from wanted as w
  )
  insert into outbound.webhook_deliveries (company_id, event_id, endpoint_id, attempt)
  select w.company_id, w.id, e.id, e.position
  from wanted as w cross join unnest(w.endpoints) with ordinality as e(id, position);
end
$$;

revoke execute on function outbound.write_campaign_events from public;

-- Writes one event of a company, if one of its webhooks wants it, with a delivery for each that does. p_data: null fields
-- are left out; its channel and sender_id are what filters compare. In PL/pgSQL, because a list of opt-outs calls it a
-- thousand times.
create or replace function outbound.write_event(p_company_id uuid, p_type text, p_at timestamptz, p_data json)
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  -- The events that name a sender or an account of one channel only.
  v_channel constant text := coalesce(
    p_data ->> 'channel',
    case when p_type in ('message.received', 'message.failed', 'template.status_changed') then 'whatsapp' end);
begin
  with wanted as materialized (
    select array_agg(e.id) as endpoints from outbound.endpoints as e
    where e.company_id = p_company_id and e.is_active and (e.event_types is null or p_type = any (e.event_types))
      and (e.channels is null or v_channel = any (e.channels || '{any}'))
      and (e.sender_ids is null or (p_data ->> 'sender_id')::uuid = any (e.sender_ids))
  ),
  written as (
    insert into outbound.outgoing_events (company_id, type, payload)
    select p_company_id, p_type, json_build_object(
      'type', p_type, 'timestamp', outbound.iso_time(p_at), 'data', json_strip_nulls(p_data))
    from wanted where wanted.endpoints is not null
    returning company_id, id
  )
  insert into outbound.webhook_deliveries (company_id, event_id, endpoint_id, attempt)
  select written.company_id, written.id, e.id, e.position
  from written cross join wanted cross join unnest(wanted.endpoints) with ordinality as e(id, position);
end
$$;

revoke execute on function outbound.write_event from public;

-- Writes the events of notifications that left the states p_was for the ones they are in now. Each fact is reported
-- once, whatever order the platform's events came in: a notification that goes from unconfirmed to read at once was
-- also sent and delivered.
create or replace function outbound.write_notification_events(p_companies uuid[], p_ids uuid[], p_was text[])
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  -- The format of outbound.iso_time, because calling it costs 2 to 3 µs per time.
  c_iso constant text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
begin
  with wanted as materialized (
    select n.company_id, 'evt_' || replace(gen_random_uuid()::text, '-', '') as id, e.type, w.endpoints, json_build_object(
      'type', e.type,
      'timestamp', to_char(e.at at time zone 'UTC', c_iso),
      'data', json_strip_nulls(json_build_object(
        'company_id', n.company_id, 'campaign_id', n.campaign_id, 'campaign_name', g.name,
        'notification_id', n.id, 'number', n.number, 'user_id', n.user_id, 'status', n.status,
        'platform_message_id', n.platform_message_id,
        'held_for_quality', n.held_for_quality,
        'created_at', to_char(n.created_at at time zone 'UTC', c_iso),
        'sent_at', to_char(n.sent_at at time zone 'UTC', c_iso),
        'delivered_at', to_char(n.delivered_at at time zone 'UTC', c_iso),
        'read_at', to_char(n.read_at at time zone 'UTC', c_iso),
        'failed_at', to_char(n.failed_at at time zone 'UTC', c_iso),
        'skipped_at', to_char(n.skipped_at at time zone 'UTC', c_iso),
        'error_code', n.error_code, 'error_reason', n.error_reason,
        'metadata', n.metadata, 'outcome', call.outcome, 'duration_s', call.duration_s,
        'name_event', case when e.type = 'flow.triggered' then g.name_event end
      ))
    ) as payload
    from unnest(p_companies, p_ids, p_was) as changed(company_id, id, was)
    -- Lateral: one look-up per row. As joins they become, without statistics, scans of all that the company has.
    cross join lateral (
      select o.* from outbound.notification_facts as o
      where o.company_id = changed.company_id and o.id = changed.id limit 1
    ) as n
    cross join lateral (
      select o.name, o.name_event from outbound.campaigns as o
      where o.company_id = n.company_id and o.id = n.campaign_id limit 1
    ) as g
    left join outbound.calls as call on n.voice and call.company_id = n.company_id and call.notification_id = n.id
    cross join lateral (values
      ('notification.sent', n.sent_at, '{sent,delivered,read}'::text[]),
      ('flow.triggered', case when g.name_event is not null then n.sent_at end, '{sent,delivered,read}'),
      ('notification.delivered', n.delivered_at, '{delivered,read}'),
      ('notification.read', n.read_at, '{read}'),
      ('notification.failed', n.failed_at, '{failed}'),
      ('notification.skipped', n.skipped_at, '{skipped}')
    ) as e(type, at, states)
    cross join lateral (
      select array_agg(o.id) as endpoints from outbound.endpoints as o
      where o.company_id = n.company_id and o.is_active and (o.event_types is null or e.type = any (o.event_types))
        and (o.channels is null or case when n.voice then 'voice' else 'whatsapp' end = any (o.channels))
        and (o.sender_ids is null or n.sender_id = any (o.sender_ids))
    ) as w
    where n.status = any (e.states) and changed.was <> all (e.states) and e.at is not null and w.endpoints is not null
  ),
  written as (
    insert into outbound.outgoing_events (company_id, id, type, payload)
    select w.company_id, w.id, w.type, w.payload from wanted as w
  )
  insert into outbound.webhook_deliveries (company_id, event_id, endpoint_id, attempt)
  select w.company_id, w.id, e.id, e.position
  from wanted as w cross join unnest(w.endpoints) with ordinality as e(id, position);
end
$$;

revoke execute on function outbound.write_notification_events from public;

-- The functions of a company's own endpoint. Those of all of them took their place.
create or replace function outbound.stop_webhook(p_company_id uuid, p_reason text)
returns void
language sql security invoker set search_path = ''
as $$
  select outbound.stop_endpoint(p_company_id, '00000000-0000-0000-0000-000000000000', p_reason)
$$;

revoke execute on function outbound.stop_webhook from public;

create or replace function outbound.replay_events(p_company_id uuid, p_event_id text, p_since timestamptz)
returns int
language sql security invoker set search_path = ''
as $$
  select outbound.replay_endpoint(p_company_id, '00000000-0000-0000-0000-000000000000', p_event_id, p_since)
$$;

revoke execute on function outbound.replay_events from public;

create or replace function outbound.due_companies(p_max int, p_max_failing int)
returns uuid[]
language sql stable security invoker set search_path = ''
as $$
  select array(
    select d.company_id from outbound.due_endpoints(p_max, p_max_failing) as d where d.endpoint_id = '00000000-0000-0000-0000-000000000000'
  )
$$;

revoke execute on function outbound.due_companies from public;

create or replace function outbound.companies_with_new_deliveries()
returns table (company_id uuid)
language sql stable security invoker set search_path = ''
as $$
  select distinct n.company_id from outbound.endpoints_with_new_deliveries() as n
$$;

revoke execute on function outbound.companies_with_new_deliveries from public;

create or replace function outbound.endpoints_to_serve(p_scheduled uuid[])
returns table (company_id uuid, is_failing boolean, free int)
language sql stable security invoker set search_path = ''
as $$
  select s.company_id, s.is_failing, s.free
  from outbound.serve_endpoints(p_scheduled, array_fill('00000000-0000-0000-0000-000000000000'::uuid, array[cardinality(p_scheduled)])) as s
  where s.endpoint_id = '00000000-0000-0000-0000-000000000000'
$$;

revoke execute on function outbound.endpoints_to_serve from public;

create or replace function outbound.defer_deliveries(p_scheduled uuid[])
returns void
language sql security invoker set search_path = ''
as $$
  select outbound.defer_endpoints(p_scheduled, array_fill('00000000-0000-0000-0000-000000000000'::uuid, array[cardinality(p_scheduled)]))
$$;

revoke execute on function outbound.defer_deliveries from public;

-- Deletes the events that companies received, with their deliveries and the figures of these, 30 days after they were
-- written. A step of clean_up.
create or replace function outbound.clean_up_outgoing_events(p_limit int)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_events int;
begin
  -- Deliveries before their events, failed ones too: the foreign key's cascade would wait for a locked one. Lateral,
  -- with a limit of one row: no plan can read all deliveries for it.
  delete from outbound.webhook_deliveries as d where d.ctid = any (array(
    select w.ctid from (
      select o.company_id, o.id from outbound.outgoing_events as o where o.created_at < now() - interval '30 days'
      order by o.created_at limit p_limit
    ) as old
    cross join lateral (
      select d.ctid from outbound.webhook_deliveries as d
      where d.company_id = old.company_id and d.event_id = old.id for update skip locked
    ) as w));
  delete from outbound.outgoing_events as e where e.ctid = any (array(
    select o.ctid from outbound.outgoing_events as o
    where o.created_at < now() - interval '30 days' and (
      select d.event_id from outbound.webhook_deliveries as d
      where d.company_id = o.company_id and d.event_id = o.id limit 1
    ) is null
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_events = row_count;
  delete from outbound.webhook_history as h where h.ctid = any (array(
    select o.ctid from outbound.webhook_history as o where o.hour < now() - interval '30 days'
    order by o.hour limit p_limit for update skip locked));

  return jsonb_build_object('outgoing_events', v_events);
end
$$;

revoke execute on function outbound.clean_up_outgoing_events from public;

-- Returns the figures of events: those of the platforms, those for companies, and our own webhook. Part of
-- operating_figures, which says what each is.
create or replace function outbound.event_figures(p_max int, p_max_companies int)
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

reset check_function_bodies;
