-- How calls went. What moves a call's notification is what moves every other; here is what else there is to know of a
-- call, and what looks after calls the platform's events were lost of.
create table outbound.calls (
  company_id uuid not null,
  notification_id uuid not null,
  -- The platform's.
  conversation_id text,
  -- answered, voicemail, busy, no_answer or failed; null while nobody knows.
  outcome text,
  duration_s int,
  summary text,
  -- [{role, message, atS}, …]
  transcript jsonb,
  -- Of the last try.
  started_at timestamptz not null,
  ended_at timestamptz,
  -- How often the platform was asked, and from when on the next wait counts; null when there is nothing to ask.
  checks int not null default 0,
  check_at timestamptz,
  constraint calls_pkey primary key (company_id, notification_id),
  constraint calls_notification_fkey foreign key (company_id, notification_id)
    references outbound.notifications (company_id, id) on delete cascade,
  constraint calls_outcome_check check (outcome in ('answered', 'voicemail', 'busy', 'no_answer', 'failed')),
  constraint calls_duration_check check (duration_s >= 0)
);
create index calls_check_idx on outbound.calls (check_at) where check_at is not null;
alter table outbound.calls enable row level security;

-- Notes that the calls among what p_worker has just leased are about to be made.
create function outbound.open_calls(p_worker text, p_companies uuid[], p_ids uuid[])
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.calls as k (company_id, notification_id, started_at, check_at)
  select n.company_id, n.id, n.claimed_at, n.claimed_at
  from unnest(p_companies, p_ids) as opened(company_id, id)
  cross join lateral (
    select w.company_id, w.id, w.claimed_at from outbound.notifications as w
    where w.company_id = opened.company_id and w.id = opened.id and w.voice
      and w.status = 'sending' and w.worker = p_worker
  ) as n
  order by n.id
  on conflict on constraint calls_pkey do update
    set started_at = excluded.started_at, check_at = excluded.check_at, checks = 0
$$;
revoke execute on function outbound.open_calls from public;

-- Of two words for how a call went, the lower one says more and is kept, whichever comes first: a machine that took it
-- also answered, and what was answered did not fail.
create function outbound.outcome_rank(p_outcome text)
returns int
language sql immutable security invoker set search_path = ''
as $$
  select case when p_outcome is null then 4 when p_outcome = 'voicemail' then 1 when p_outcome = 'answered' then 2 else 3 end
$$;
revoke execute on function outbound.outcome_rank from public;

-- Records how calls went, from the given provider events about the given notifications, event by event. The caller has
-- locked the notifications.
create function outbound.record_calls(p_events bigint[], p_companies uuid[], p_notifications uuid[])
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.calls as k (
    company_id, notification_id, conversation_id, outcome, duration_s, summary, transcript, started_at, ended_at
  )
  select n.company_id, n.id, max(e.provider_message_id),
    (array_agg(d.outcome order by outbound.outcome_rank(d.outcome)))[1], max(d.duration_s),
    (array_agg(d.summary) filter (where d.summary is not null))[1],
    (array_agg(d.transcript) filter (where d.transcript is not null))[1],
    now(), min(d.ended_at)
  from unnest(p_events, p_companies, p_notifications) as named(event_id, company_id, notification_id)
  join outbound.notifications as n on n.company_id = named.company_id and n.id = named.notification_id and n.voice
  join outbound.provider_events as e on e.id = named.event_id
  cross join lateral jsonb_to_record(coalesce(nullif(e.call::text, 'null')::jsonb, '{}')) as d(
    outcome text, duration_s int, summary text, transcript jsonb, ended_at timestamptz
  )
  group by n.company_id, n.id
  order by n.id
  on conflict on constraint calls_pkey do update
    set conversation_id = coalesce(k.conversation_id, excluded.conversation_id),
      outcome = case when outbound.outcome_rank(excluded.outcome) < outbound.outcome_rank(k.outcome)
        then excluded.outcome else k.outcome end,
      duration_s = coalesce(excluded.duration_s, k.duration_s),
      summary = coalesce(excluded.summary, k.summary),
      transcript = coalesce(excluded.transcript, k.transcript),
      ended_at = coalesce(k.ended_at, excluded.ended_at)
$$;
revoke execute on function outbound.record_calls from public;

-- That a call could not be made is told without our reference, and may be told before we know the conversation's id.
-- Such an event need not wait for its next turn when we do. One that somebody has locked is being looked at, by a
-- transaction that may wait for the notifications of this one.
create function outbound.hear_failures(p_conversations text[])
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.provider_events as e set apply_at = now()
  from (
    select w.id from outbound.provider_events as w
    where w.applied_at is null and w.dedupe_key = any (array(
      select 'voice:' || c.id || ':call_initiation_failure' from unnest(p_conversations) as c(id)
    ))
    for no key update skip locked
  ) as waiting
  where e.id = waiting.id
$$;
revoke execute on function outbound.hear_failures from public;

-- Hands out up to p_limit calls whose end nobody has told us of, each to one caller: after p_after, then after two, four
-- … fifteen times as long; those of which it is not even known whether they were made after 15 seconds at most, again
-- and again. Calls that are over fall out of the list here.
create function outbound.take_calls_to_check(p_limit int, p_after interval)
returns table (company_id uuid, id uuid, fence int, conversation_id text, sender_id uuid, token_sealed text)
-- Without statistics all calls ever made would be read for the few that are to be checked.
language plpgsql security invoker set search_path = '' set enable_seqscan = off
as $$
declare
  v_companies uuid[];
  v_ids uuid[];
begin
  select array_agg(due.company_id), array_agg(due.notification_id) into v_companies, v_ids
  from (
    select k.company_id, k.notification_id
    from outbound.calls as k
    cross join lateral (
      select w.status from outbound.notifications as w
      where w.company_id = k.company_id and w.id = k.notification_id
    ) as n
    where k.check_at <= now() - least(p_after, interval '15 seconds')
      and n.status <> 'sending' and (n.status <> 'sent' or k.check_at <= now() - p_after)
    order by k.check_at limit p_limit for update of k skip locked
  ) as due;

  return query
  with going_on as (
    select n.company_id, n.id, n.fence, n.status, n.provider_message_id, n.sender_id, s.token_sealed
    from unnest(v_companies, v_ids) as due(company_id, id)
    cross join lateral (
      select w.* from outbound.notifications as w where w.company_id = due.company_id and w.id = due.id
    ) as n
    join outbound.senders as s on s.company_id = n.company_id and s.id = n.sender_id
  ),
  taken as (
    update outbound.calls as k
    set checks = k.checks + 1,
      check_at = case g.status when 'unconfirmed' then now()
        when 'sent' then now() + p_after * (least(power(2, least(k.checks, 10)), 15) - 1) end
    from going_on as g
    where k.company_id = g.company_id and k.notification_id = g.id
  )
  select g.company_id, g.id, g.fence, g.provider_message_id, g.sender_id, g.token_sealed
  from going_on as g where g.status in ('unconfirmed', 'sent');
end
$$;
revoke execute on function outbound.take_calls_to_check from public;

-- Gives up calls that were taken longer than p_after ago and never ended anywhere, so that their lines are free again.
-- Returns how many.
create function outbound.give_up_calls(p_limit int, p_after interval)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_moves jsonb;
  v_count int;
  v_companies uuid[];
  v_senders uuid[];
begin
  with endless as (
    select n.company_id, n.id from outbound.notifications as n
    where n.voice and n.status = 'sent' and n.sent_at <= now() - p_after
    order by n.id limit p_limit for update skip locked
  ),
  given_up as (
    update outbound.notifications as n
    set status = 'failed', failed_at = now(), error_code = 'outcome_unknown',
      error_reason = 'The platform took the call and never said how it ended'
    from endless where n.company_id = endless.company_id and n.id = endless.id
    returning n.company_id, n.campaign_id, n.sender_id
  )
  select count(*), jsonb_agg(jsonb_build_object(
      'company_id', g.company_id, 'campaign_id', g.campaign_id, 'sent', -1, 'failed', 1)),
    array_agg(g.company_id), array_agg(g.sender_id)
  into v_count, v_moves, v_companies, v_senders from given_up as g;
  if v_moves is not null then
    perform outbound.move_campaign_counters(v_moves);
    perform outbound.plan_sender_turns(v_companies, v_senders, true);
  end if;
  return v_count;
end
$$;
revoke execute on function outbound.give_up_calls from public;
