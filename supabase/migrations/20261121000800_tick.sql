-- What time alone brings about. Called every second by whoever is awake (a
-- dispatcher, pg_cron); one call at a time does the work, the others return.
create function outbound.tick(
  p_limit int default 10000,
  p_window interval default '120 seconds',
  p_by text default 'dispatcher'
)
returns jsonb
-- Without statistics a bitmap scan would read and sort all that is due instead of the p_limit longest due.
language plpgsql security invoker set search_path = '' set enable_bitmapscan = off
as $$
declare
  v_released int;
  v_rescued int;
  v_resent int;
  v_given_up int;
  v_expired int;
  v_deaf boolean;
  v_moves jsonb;
  v_expired_moves jsonb;
  v_companies uuid[];
  v_requeued uuid[];
  v_planned_companies uuid[];
  v_planned_senders uuid[];
  v_forgotten int := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('outbound.tick', 0)) then
    return jsonb_build_object('busy', true);
  end if;

  select max(s.updated_at) < now() - interval '90 seconds' into v_deaf
  from outbound.settings as s where s.name like 'last\_tick:%';

  -- What GET /health goes by.
  insert into outbound.settings as s (name, value) values ('last_tick:' || p_by, to_jsonb(now()))
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now()
    where s.updated_at < now() - interval '1 second';

  -- scheduled → queued, when due
  with due as (
    select n.company_id, n.id from outbound.notifications as n
    where n.status = 'scheduled' and n.run_at <= now()
    order by n.run_at limit p_limit for update skip locked
  )
  update outbound.notifications as n set status = 'queued'
  from due where n.company_id = due.company_id and n.id = due.id;
  get diagnostics v_released = row_count;

  -- sending → unconfirmed, when the worker's lease ran out: it may have sent it or not
  with lost as (
    select n.company_id, n.id from outbound.notifications as n
    where n.status = 'sending' and n.lease_until <= now()
    order by n.lease_until limit p_limit for update skip locked
  ),
  rescued as (
    update outbound.notifications as n
    set status = 'unconfirmed', lease_until = now() + p_window, worker = null, error_code = null, error_reason = null
    from lost where n.company_id = lost.company_id and n.id = lost.id
    returning n.company_id, n.id, n.attempt, n.fence, n.claimed_at
  )
  insert into outbound.delivery_attempts as a (
    company_id, notification_id, attempt, fence, worker, started_at, outcome, reason
  )
  select r.company_id, r.id, r.attempt, r.fence, 'lost', r.claimed_at, 'unknown', 'The dispatcher stopped before it could say'
  from rescued as r
  on conflict on constraint delivery_attempts_pkey do nothing;
  get diagnostics v_rescued = row_count;

  -- Silence says nothing while a sender cannot reach the platform, nor of a time when nobody was awake to listen: half
  -- the window at least is left from the moment the platform can be heard again.
  with unheard as (
    select n.company_id, n.id from outbound.notifications as n
    join outbound.sender_pace as p on p.company_id = n.company_id and p.sender_id = n.sender_id
    where n.status = 'unconfirmed' and n.lease_until < now() + p_window / 2 and n.expires_at > now()
      and (v_deaf or p.blocked_until > now())
    order by n.lease_until limit p_limit for update of n skip locked
  )
  update outbound.notifications as n set lease_until = now() + p_window
  from unheard where n.company_id = unheard.company_id and n.id = unheard.id;

  -- unconfirmed → queued or failed, when the platform said nothing in time
  with silent as (
    select n.company_id, n.id,
      -- Nobody is ever called again because nobody knows whether the first call was made.
      c.on_unknown = 'resend' and not n.voice and n.attempt < 5 and n.expires_at > now() and g.cancelled_at is null
        as again
    from outbound.notifications as n
    join outbound.companies as c on c.id = n.company_id
    join outbound.campaigns as g on g.company_id = n.company_id and g.id = n.campaign_id
    where n.status = 'unconfirmed' and n.lease_until <= now()
    order by n.lease_until limit p_limit for update of n skip locked
  ),
  settled as (
    update outbound.notifications as n
    set status = case when silent.again then 'queued' else 'failed' end, lease_until = null,
      run_at = case when silent.again then now() else n.run_at end,
      failed_at = case when not silent.again then now() end,
      error_code = case when not silent.again then 'outcome_unknown' end,
      error_reason = case
        when not silent.again and n.voice then 'The platform never said whether it made the call; it was not made again'
        when not silent.again then 'The platform never said whether it took the message; it was not sent again'
      end
    from silent where n.company_id = silent.company_id and n.id = silent.id
    returning n.company_id, n.id, n.campaign_id, n.sender_id, n.voice, silent.again
  )
  select count(*) filter (where s.again), count(*) filter (where not s.again),
    jsonb_agg(jsonb_build_object('company_id', s.company_id, 'campaign_id', s.campaign_id, 'processing', -1,
      'pending', s.again::int, 'failed', (not s.again)::int)),
    array_agg(s.company_id) filter (where s.again), array_agg(s.id) filter (where s.again),
    array_agg(s.company_id) filter (where s.again or s.voice), array_agg(s.sender_id) filter (where s.again or s.voice)
  into v_resent, v_given_up, v_moves, v_companies, v_requeued, v_planned_companies, v_planned_senders
  from settled as s;

  -- scheduled, queued → failed, when it is too late to be of use
  with late as (
    select n.company_id, n.id from outbound.notifications as n
    where n.status in ('scheduled', 'queued') and n.expires_at <= now()
    order by n.expires_at limit p_limit for update skip locked
  ),
  expired as (
    update outbound.notifications as n
    set status = 'failed', failed_at = now(), error_code = 'expired',
      error_reason = 'Not sent within its time to live'
        || coalesce(': ' || coalesce(
          (
            select g.held_reason from outbound.campaigns as g
            where n.held_run_at is not null and g.company_id = n.company_id and g.id = n.campaign_id
          ),
          nullif(n.error_reason, '')
        ), '')
    from late where n.company_id = late.company_id and n.id = late.id
    returning n.company_id, n.campaign_id
  )
  select count(*), jsonb_agg(jsonb_build_object(
    'company_id', e.company_id, 'campaign_id', e.campaign_id, 'pending', -1, 'failed', 1))
  into v_expired, v_expired_moves from expired as e;

  -- Together and last: campaigns are locked once, in their order, by whoever locks them.
  v_moves := coalesce(v_moves, '[]') || coalesce(v_expired_moves, '[]');
  if v_moves <> '[]' then
    perform outbound.move_campaign_counters(v_moves);
  end if;
  if v_requeued is not null then
    perform outbound.stop_requeued(v_companies, v_requeued);
  end if;
  if v_planned_senders is not null then
    perform outbound.plan_sender_turns(v_planned_companies, v_planned_senders, true);
  end if;

  -- Once a minute.
  insert into outbound.settings as s (name, value) values ('last_turn_repair', to_jsonb(now()))
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now()
    where s.updated_at < now() - interval '1 minute';
  if found then
    v_forgotten := outbound.repair_sender_turns();
  end if;

  return jsonb_build_object('released', v_released, 'rescued', v_rescued, 'resent', v_resent,
    'given_up', v_given_up, 'expired', v_expired, 'forgotten', v_forgotten);
end
$$;
revoke execute on function outbound.tick from public;
