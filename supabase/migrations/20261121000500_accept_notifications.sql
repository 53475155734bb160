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
  rate_limit int, remaining int, reset_s int, sender_id uuid, templates jsonb, agent jsonb
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
      null::uuid, null::jsonb, null::jsonb;
    return;
  end if;
  select s.id, s.waba_id into v_sender from outbound.senders as s
  where s.company_id = v_key.company_id and s.channel = p_channel
    and (p_bulk or p_recipient in (s.id::text, s.number, s.provider_id))
  order by p_recipient in (s.id::text, s.number, s.provider_id) desc, s.created_at, s.id
  limit 1;
  return query select v_key.outcome, v_key.company_id, v_key.api_key_id, v_key.permissions, v_key.api_access,
    v_key.rate_limit, v_key.remaining, v_key.reset_s, v_sender.id,
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
--   rate_limited, quota_exceeded. Only accepted stores anything.
create function outbound.accept_notifications(p_requests jsonb)
returns table (
  ord int, outcome text, answer json, rate_limit int, remaining int, reset_s int, quota int, quota_used int
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_request record;
  v_key record;
  v_campaign record;
  v_usage outbound.usage;
  v_first record;
  v_count int;
begin
  -- In the order of the keys: two transactions never wait for each other's usage rows crosswise.
  for v_request in
    select r.ordinality::int as ord, r.value ->> 'key_hash' as key_hash, r.value ->> 'permission' as permission,
      (r.value ->> 'ttl_s')::int as ttl_s, r.value -> 'campaign' as campaign,
      r.value -> 'notifications' as notifications, nullif(r.value -> 'idempotency', 'null') as idempotency
    from jsonb_array_elements(p_requests) with ordinality as r
    order by r.value ->> 'key_hash', r.value -> 'idempotency' ->> 'key', r.ordinality
  loop
    ord := v_request.ord;
    answer := null; rate_limit := 0; remaining := 0; reset_s := 0; quota := 0; quota_used := 0;

    select k.company_id, k.id, k.permissions, k.rate_limit, k.daily_quota, k.last_used_at, c.api_access into v_key
    from outbound.api_keys as k join outbound.companies as c on c.id = k.company_id
    where k.key_hash = v_request.key_hash and k.is_active;
    outcome := case
      when not found then 'unauthorized'
      when not v_key.api_access then 'no_api_access'
      when not v_request.permission = any (v_key.permissions) then 'forbidden'
    end;
    if outcome is not null then
      return next;
      continue;
    end if;
    v_usage := outbound.open_usage(v_key.company_id, v_key.id);
    v_count := jsonb_array_length(v_request.notifications);
    rate_limit := v_key.rate_limit;
    reset_s := outbound.seconds_until(v_usage.window_start + interval '1 minute');
    remaining := greatest(v_key.rate_limit - v_usage.requests, 0);
    quota := v_key.daily_quota;
    quota_used := v_usage.notifications;

    if v_request.idempotency is not null then
      select i.request_hash, i.answer into v_first from outbound.idempotency_keys as i
      where i.company_id = v_key.company_id and i.endpoint = v_request.idempotency ->> 'endpoint'
        and i.key = v_request.idempotency ->> 'key' and i.created_at > now() - interval '24 hours';
      if found then
        outcome := case when v_first.request_hash = v_request.idempotency ->> 'request_hash'
          then 'replayed' else 'key_reused' end;
        answer := case when outcome = 'replayed' then v_first.answer end;
        return next;
        continue;
      end if;
    end if;

    select c.*, s.status as sender_status into v_campaign
    from jsonb_to_record(v_request.campaign) as c(
      id uuid, channel text, name text, notification_type text, sender_id uuid, template_id uuid,
      template_name text, template_language text, template_shape text, agent_id uuid, name_event text,
      scheduled_time timestamptz, timezone text, rejected int
    )
    join outbound.senders as s on s.company_id = v_key.company_id and s.id = c.sender_id
    left join outbound.templates as t on t.company_id = v_key.company_id and t.id = c.template_id
    left join outbound.voice_agents as a on a.company_id = v_key.company_id and a.id = c.agent_id
    where (c.template_id is null or (t.status = 'approved' and t.shape = c.template_shape))
      and (c.agent_id is null or a.status = 'active');
    outcome := case
      when not found then 'stale'
      when v_usage.requests >= v_key.rate_limit then 'rate_limited'
      when v_usage.notifications + v_count > v_key.daily_quota then 'quota_exceeded'
    end;
    if outcome is not null then
      -- The limits may have been used up by this very request, stored without the caller's hearing of it.
      if exists (
        select 1 from outbound.campaigns as g
        where g.company_id = v_key.company_id and g.id = (v_request.campaign ->> 'id')::uuid
      ) then
        outcome := 'accepted';
      end if;
      return next;
      continue;
    end if;

    insert into outbound.campaigns (
      company_id, id, api_key_id, channel, name, notification_type, sender_id, template_id, template_name,
      template_language, template_shape, agent_id, name_event, scheduled_time, timezone, total, pending, rejected,
      completed_at
    ) values (
      v_key.company_id, v_campaign.id, v_key.id, v_campaign.channel, v_campaign.name,
      v_campaign.notification_type, v_campaign.sender_id, v_campaign.template_id, v_campaign.template_name,
      v_campaign.template_language, v_campaign.template_shape, v_campaign.agent_id, v_campaign.name_event,
      v_campaign.scheduled_time, v_campaign.timezone, v_count, v_count, v_campaign.rejected,
      case when v_count = 0 then now() end
    ) on conflict on constraint campaigns_pkey do nothing;
    outcome := 'accepted';
    -- The caller lost its connection before it heard that this very request was stored, and asks again.
    if not found then
      return next;
      continue;
    end if;
    update outbound.usage as u
    set requests = u.requests + 1, notifications = u.notifications + v_count
    where u.company_id = v_key.company_id and u.api_key_id = v_key.id and u.day = v_usage.day;
    if v_key.last_used_at is null or v_key.last_used_at < now() - interval '1 minute' then
      update outbound.api_keys as k set last_used_at = now()
      where k.company_id = v_key.company_id and k.id = v_key.id;
    end if;
    insert into outbound.notifications (
      company_id, id, campaign_id, sender_id, voice, priority, number, message, status, run_at, expires_at
    )
    select v_key.company_id, n.id, v_campaign.id, v_campaign.sender_id, v_campaign.channel = 'voice',
      case v_campaign.notification_type when 'transactional' then 0 when 'utility' then 1 else 2 end,
      n.number, n.message,
      case when v_campaign.scheduled_time is null then 'queued' else 'scheduled' end,
      coalesce(v_campaign.scheduled_time, now()),
      coalesce(v_campaign.scheduled_time, now()) + make_interval(secs => v_request.ttl_s)
    from jsonb_to_recordset(v_request.notifications) as n(id uuid, number text, message json);
    if v_request.idempotency is not null then
      insert into outbound.idempotency_keys as i (company_id, endpoint, key, request_hash, answer)
      select v_key.company_id, r.endpoint, r.key, r.request_hash, r.answer
      from jsonb_to_record(v_request.idempotency) as r(endpoint text, key text, request_hash text, answer json)
      on conflict on constraint idempotency_keys_pkey do update
        set request_hash = excluded.request_hash, answer = excluded.answer, created_at = now()
        where i.created_at <= now() - interval '24 hours';
      -- Only at midnight UTC can two requests hold different usage rows and both get here.
      if not found then
        raise exception 'the same idempotency key is being used right now' using errcode = 'serialization_failure';
      end if;
    end if;

    remaining := remaining - 1;
    quota_used := quota_used + v_count;
    return next;
  end loop;
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
