-- Accepting requests: everything that has to be true at the moment a campaign
-- is stored is decided here, in the transaction that stores it.

-- What is needed to check a request before it is stored: the key, the sender
-- that p_recipient names (by id, number or the platform's id), of that
-- sender's account every language of the template, and the voice agent (by id
-- or the platform's id). With p_bulk an unknown name means the company's
-- oldest sender of the channel.
create function outbound.send_context(
  p_key_hash text, p_channel text, p_recipient text, p_template text, p_agent text, p_bulk boolean
)
returns table (
  outcome text, company_id uuid, api_key_id uuid, permissions text[], api_access boolean,
  rate_limit int, remaining int, reset_s int, sender_id uuid, sender_locked text, templates jsonb, agent jsonb
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_key record;
  v_sender record;
begin
  select * into v_key from outbound.use_access_key(p_key_hash, 0);
  if v_key.outcome <> 'ok' then
    return query select v_key.outcome, null::uuid, null::uuid, null::text[], null::boolean, 0, 0, 0,
      null::uuid, null::text, null::jsonb, null::jsonb;
    return;
  end if;
  select s.id, s.waba_id, case when s.stopped_for_good then s.stopped_reason end as locked into v_sender from outbound.senders as s
  where s.company_id = v_key.company_id and s.channel = p_channel
    and (p_bulk or p_recipient in (s.id::text, s.number, s.provider_id))
  order by p_recipient in (s.id::text, s.number, s.provider_id) desc, s.created_at, s.id
  limit 1;
  return query select v_key.outcome, v_key.company_id, v_key.api_key_id, v_key.permissions, v_key.api_access,
    v_key.rate_limit, v_key.remaining, v_key.reset_s, v_sender.id,
    v_sender.locked,
    (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', t.id, 'language', t.language, 'status', t.status, 'shape', t.shape,
        'parameterFormat', t.parameter_format, 'components', t.components
      )), '[]')
      from outbound.templates as t
      where t.company_id = v_key.company_id and t.waba_id = v_sender.waba_id and t.name = p_template
    ),
    (
      select jsonb_build_object('id', a.id, 'providerAgentId', a.provider_agent_id, 'status', a.status)
      from outbound.voice_agents as a
      where a.company_id = v_key.company_id and p_agent in (a.id::text, a.provider_agent_id)
      order by a.id::text = p_agent desc limit 1
    );
end
$$;
revoke execute on function outbound.send_context from public;

-- Takes any number of checked requests, of any companies, in one transaction.
-- Offering the same request (by campaign id) again is safe.
-- Each is an object:
--   key_hash, permission, ttl_s,
--   campaign {id, channel, name, notification_type, sender_id, template_id, template_name,
--             template_language, template_shape, agent_id, name_event, scheduled_time, timezone,
--             rejected},
--   notifications [{id, number, message}],
--   idempotency {endpoint, key, request_hash, answer} or null.
-- Answers one row a request, by its position from 1. outcome:
--   accepted, replayed (answer: the first one), key_reused, unauthorized, forbidden,
--   no_api_access, stale (the template, the agent or the sender changed since it was checked),
--   rate_limited, quota_exceeded, or
--   undecided: what becomes of it hangs on another request of this call (the same idempotency key, or a limit that
--   the other may reach); to be offered again. The first undecided one of a key is decided by the next call.
-- Only accepted stores anything. remaining and quota_used count this call's requests up to this one.
create function outbound.accept_notifications(p_requests json)
returns table (
  ord int, outcome text, answer json, rate_limit int, remaining int, reset_s int, quota int, quota_used int
)
language plpgsql security invoker set search_path = ''
-- One plan, made once a connection, that finds its way by indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
begin
  -- One call at a time works for a key. In their order: two calls never wait for each other's keys crosswise. What
  -- follows is a statement of its own, so that it sees what those stored who held these rows before.
  perform outbound.open_usage(k.company_id, k.id)
  from (
    select k.company_id, k.id from outbound.api_keys as k
    where k.is_active
      and k.key_hash in (select r.key_hash from json_to_recordset(p_requests) as r(key_hash text))
    order by k.key_hash for no key update
  ) as k;

  return query
  with request as materialized (
    select r.ordinality::int as ord, r.key_hash, r.permission, r.ttl_s, r.notifications,
      json_array_length(r.notifications) as size, c.*, i.*
    from rows from (json_to_recordset(p_requests) as (
      key_hash text, permission text, ttl_s int, campaign json, notifications json, idempotency json
    )) with ordinality as r
    cross join lateral json_to_record(r.campaign) as c(
      id uuid, channel text, name text, notification_type text, sender_id uuid, template_id uuid,
      template_name text, template_language text, template_shape text, agent_id uuid, name_event text,
      scheduled_time timestamptz, timezone text, rejected int
    )
    left join lateral json_to_record(r.idempotency) as i(
      endpoint text, key text, request_hash text, answer json
    ) on json_typeof(r.idempotency) = 'object'
  ),
  holder as materialized (
    select k.key_hash, k.permissions, k.company_id, k.id as api_key_id, k.rate_limit, k.daily_quota, k.last_used_at,
      o.api_access, u.window_start, u.requests as used_requests, u.notifications as used_notifications
    from (select distinct r.key_hash from request as r) as presented
    cross join lateral (
      select * from outbound.api_keys as k where k.key_hash = presented.key_hash and k.is_active limit 1
    ) as k
    cross join lateral (select * from outbound.companies as o where o.id = k.company_id limit 1) as o
    cross join lateral (
      select * from outbound.usage as u
      where u.company_id = k.company_id and u.api_key_id = k.id and u.day = (now() at time zone 'UTC')::date limit 1
    ) as u
  ),
  -- What a request was checked against, if it still is what it was.
  source as materialized (
    select named.company_id, named.sender_id, named.template_id, named.template_shape, named.agent_id
    from (
      select distinct k.company_id, r.sender_id, r.template_id, r.template_shape, r.agent_id
      from request as r join holder as k on k.key_hash = r.key_hash
    ) as named
    where exists (
      select from outbound.senders as s where s.company_id = named.company_id and s.id = named.sender_id
    ) and (named.template_id is null or exists (
      select from outbound.templates as t
      where t.company_id = named.company_id and t.id = named.template_id
        and t.status = 'approved' and t.shape = named.template_shape
    )) and (named.agent_id is null or exists (
      select from outbound.voice_agents as a
      where a.company_id = named.company_id and a.id = named.agent_id and a.status = 'active'
    ))
  ),
  judged as (
    select r.ord, r.size, k.company_id, k.api_key_id, k.rate_limit, k.daily_quota, k.window_start,
      k.used_requests, k.used_notifications, f.answer as first_answer,
      case
        when k.api_key_id is null then 'unauthorized'
        when not k.api_access then 'no_api_access'
        when not r.permission = any (k.permissions) then 'forbidden'
        when f.key is not null then case when f.request_hash = r.request_hash then 'replayed' else 'key_reused' end
        when r.key is not null
          and row_number() over (partition by k.api_key_id, r.endpoint, r.key order by r.ord) > 1 then 'undecided'
        when s.sender_id is null then 'stale'
        else 'good'
      end as verdict
    from request as r
    left join holder as k on k.key_hash = r.key_hash
    left join source as s
      on s.company_id = k.company_id and s.sender_id = r.sender_id
        and (s.template_id, s.template_shape, s.agent_id)
          is not distinct from (r.template_id, r.template_shape, r.agent_id)
    -- Lateral: one look-up a request. As a join it becomes, without statistics, a scan of all that is stored.
    left join lateral (
      select i.key, i.request_hash, i.answer from outbound.idempotency_keys as i
      where i.company_id = k.company_id and i.endpoint = r.endpoint and i.key = r.key
        and i.created_at > now() - interval '24 hours' limit 1
    ) as f on true
  ),
  counted as (
    select j.*,
      count(*) filter (where j.verdict = 'good') over key_so_far as more_requests,
      coalesce(sum(j.size) filter (where j.verdict = 'good') over key_so_far, 0) as more_notifications
    from judged as j
    window key_so_far as (partition by j.api_key_id order by j.ord)
  ),
  decided as materialized (
    select c.*,
      case
        when c.verdict <> 'good' then c.verdict
        when c.used_requests >= c.rate_limit then 'rate_limited'
        when c.used_notifications + c.size > c.daily_quota then 'quota_exceeded'
        when c.used_requests + c.more_requests > c.rate_limit
          or c.used_notifications + c.more_notifications > c.daily_quota then 'undecided'
        else 'accepted'
      end as fate
    from counted as c
  ),
  -- A caller that lost its connection before it heard that its request was stored offers it again: nothing is stored,
  -- nothing is counted, and it is told so, whatever has become of its limits, sender or template since.
  campaign as (
    insert into outbound.campaigns as g (
      company_id, id, api_key_id, channel, name, notification_type, sender_id, template_id, template_name,
      template_language, template_shape, agent_id, name_event, scheduled_time, timezone, total, pending, rejected,
      completed_at
    )
    select d.company_id, r.id, d.api_key_id, r.channel, r.name, r.notification_type, r.sender_id, r.template_id,
      r.template_name, r.template_language, r.template_shape, r.agent_id, r.name_event, r.scheduled_time, r.timezone,
      r.size, r.size, r.rejected, case when r.size = 0 then now() end
    from decided as d join request as r on r.ord = d.ord where d.fate = 'accepted'
    on conflict on constraint campaigns_pkey do nothing
    returning g.company_id, g.id, g.api_key_id, g.channel, g.sender_id, g.notification_type, g.scheduled_time, g.total
  ),
  notification as (
    insert into outbound.notifications (
      company_id, id, campaign_id, sender_id, voice, priority, number, message, status, run_at, expires_at
    )
    select g.company_id, n.id, g.id, g.sender_id, g.channel = 'voice',
      case g.notification_type when 'transactional' then 0 when 'utility' then 1 else 2 end,
      n.number, n.message,
      case when g.scheduled_time is null then 'queued' else 'scheduled' end,
      coalesce(g.scheduled_time, now()),
      coalesce(g.scheduled_time, now()) + make_interval(secs => r.ttl_s)
    from campaign as g
    join request as r on r.id = g.id
    cross join lateral json_to_recordset(r.notifications) as n(id uuid, number text, message json)
  ),
  used as (
    update outbound.usage as u
    set requests = u.requests + g.requests, notifications = u.notifications + g.notifications
    from (
      select g.company_id, g.api_key_id, count(*)::int as requests, sum(g.total)::int as notifications
      from campaign as g group by 1, 2
    ) as g
    where u.company_id = g.company_id and u.api_key_id = g.api_key_id and u.day = (now() at time zone 'UTC')::date
  ),
  noticed as (
    update outbound.api_keys as k set last_used_at = now()
    from holder as h
    where k.company_id = h.company_id and k.id = h.api_key_id
      and coalesce(h.last_used_at < now() - interval '1 minute', true)
      and exists (select from campaign as g where g.api_key_id = h.api_key_id)
  ),
  remembered as (
    insert into outbound.idempotency_keys as i (company_id, endpoint, key, request_hash, answer)
    select g.company_id, r.endpoint, r.key, r.request_hash, r.answer
    from campaign as g join request as r on r.id = g.id where r.key is not null
    -- One that is older than a day, or else its company would have had its answer.
    on conflict on constraint idempotency_keys_pkey do update
      set request_hash = excluded.request_hash, answer = excluded.answer, created_at = now()
  )
  select d.ord,
    case when d.fate in ('stale', 'rate_limited', 'quota_exceeded', 'undecided') and exists (
      select from outbound.campaigns as g join request as r on r.id = g.id
      where g.company_id = d.company_id and r.ord = d.ord
    ) then 'accepted' else d.fate end,
    case when d.fate = 'replayed' then d.first_answer end,
    coalesce(d.rate_limit, 0),
    coalesce(greatest(d.rate_limit - d.used_requests - count(*) filter (where d.fate = 'accepted') over key_so_far, 0), 0)::int,
    coalesce(outbound.seconds_until(d.window_start + interval '1 minute'), 0), coalesce(d.daily_quota, 0),
    (coalesce(d.used_notifications, 0)
      + coalesce(sum(d.size) filter (where d.fate = 'accepted') over key_so_far, 0))::int
  from decided as d
  window key_so_far as (partition by d.api_key_id order by d.ord);
end
$$;
revoke execute on function outbound.accept_notifications from public;

-- The first answer to a request, if there is one of the last 24 hours.
create function outbound.first_answer(p_key_hash text, p_endpoint text, p_key text)
returns table (request_hash text, answer json)
language sql stable security invoker set search_path = ''
as $$
  select i.request_hash, i.answer
  from outbound.api_keys as k
  join outbound.idempotency_keys as i
    on i.company_id = k.company_id and i.endpoint = p_endpoint and i.key = p_key
  where k.key_hash = p_key_hash and k.is_active and i.created_at > now() - interval '24 hours'
$$;
revoke execute on function outbound.first_answer from public;
