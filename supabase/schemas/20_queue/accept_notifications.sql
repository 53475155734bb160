-- Stores any number of checked requests, of any companies, in one transaction, if what they were checked against is
-- still true. Offering the same request (by campaign id) again is safe; one that adds to a campaign needs an idempotency
-- key for that.
-- p_key_hashes: the hashes of all keys that the requests came with.
-- p_sources: what many requests have in common, one flat object each: source (its number); key_hash, permission,
-- ttl_s, channel, notification_type, sender_id, template_id, template_name, template_language, template_shape, agent_id;
-- knows_erased: its notifications have hashes; warned: its response names the recipients without consent; dry_run: only
-- check it; unmetered: count no request, and look at no rate (a batch of an upload). Offer a dry run alone.
-- p_requests: one flat object per request: ord (its number, from 1), source; size (the number of its notifications); of
-- the campaign id, name, name_event, scheduled_time, timezone, trace, rejected; is_addition: the campaign exists, and gets the
-- notifications; more: it stays open for more requests; knows_paused: its response says that the campaign is paused; and
-- with an idempotency key endpoint, idempotency_key, request_hash, answer.
-- p_notifications: those of all requests, {ord (of its request), id, number, user_id, message, metadata, hashes}; hashes
-- are those of erased_contacts.
-- p_campaigns: the campaigns that requests add to; null for none.
--
-- Returns one row per request. outcome:
--   accepted, acceptable (a dry run that would be accepted; its rate is not looked at), replayed (answer: the first
--   response), key_reused, unauthorized, forbidden, no_api_access,
--   stale (the template, the agent or the sender changed since the check, or hashes are missing), rate_limited,
--   quota_exceeded, campaign_not_found, campaign_cancelled, campaign_mismatch (the request differs from the campaign that
--   it adds to: mismatch says in what, as campaign_mismatch returns it),
--   recipients (some may not be written to: recipients names them, [{id, code}], by the codes of skipped notifications;
--     offer the request again without them. warn_no_consent: with a warning about them),
--   campaign_paused (what is added to it waits: offer it again with a warning), or
--   undecided: it depends on another request of this batch (the same idempotency key, or a limit that the other may
--     reach); offer it again. The next batch decides the first undecided request of a key.
-- Only accepted requests store anything. remaining and quota_used count this batch's requests up to this one.
--
-- The arguments are flat so that each is parsed once: to find a field of a nested object, Postgres goes through the
-- whole object. That was half of the time of accepting. Parsing is a seventh of it still, so nothing comes twice.
create function outbound.accept_notifications(
  p_key_hashes text[], p_sources json, p_requests json, p_notifications json, p_campaigns uuid[] default null
)
returns table (
  ord int, outcome text, answer json, recipients json, mismatch json, rate_limit int, remaining int, reset_s int, quota int,
  quota_used int
)
language plpgsql security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_keys int;
  v_noted int;
  v_companies uuid[];
begin
  -- Lock the keys in hash order: one batch per key at a time, and no deadlock between batches. A separate statement, so
  -- that the next one sees what the transaction that had them locked before has committed.
  select count(outbound.open_usage(k.company_id, k.id)),
    count(*) filter (where k.last_used_at >= now() - interval '1 minute'), array_agg(k.company_id)
  into v_keys, v_noted, v_companies
  from (
    select k.company_id, k.id, k.last_used_at from outbound.api_keys as k
    where k.is_active and k.key_hash = any (p_key_hashes)
    order by k.key_hash for no key update
  ) as k;
  if v_noted < v_keys then
    update outbound.api_keys as k set last_used_at = now()
    where k.is_active and k.key_hash = any (p_key_hashes)
      and coalesce(k.last_used_at < now() - interval '1 minute', true);
  end if;
  -- The campaigns that requests add to, in the order of their ids. A separate statement, for the same reason.
  if p_campaigns is not null then
    perform from (select c.id from unnest(p_campaigns) as c(id) order by c.id) as named
    cross join lateral (
      select from outbound.campaigns as g where g.company_id = any (v_companies) and g.id = named.id for no key update
    ) as g;
  end if;

  return query
  with source as materialized (
    select * from json_to_recordset(p_sources) as s(
      source int, key_hash text, permission text, ttl_s int, channel text, notification_type text, sender_id uuid,
      template_id uuid, template_name text, template_language text, template_shape text, agent_id uuid,
      knows_erased boolean, warned boolean, dry_run boolean, unmetered boolean
    )
  ),
  request as materialized (
    select r.*, s.key_hash, s.permission, s.ttl_s, s.channel, s.notification_type, s.sender_id, s.template_id,
      s.template_name, s.template_language, s.template_shape, s.agent_id, s.warned, s.dry_run, s.unmetered
    from json_to_recordset(p_requests) as r(
      ord int, source int, size int, id uuid, name text, name_event text, scheduled_time timestamptz, timezone text,
      trace text,
      rejected int, is_addition boolean, more boolean, knows_paused boolean, endpoint text, idempotency_key text, request_hash text, answer text
    )
    join source as s on s.source = r.source
  ),
  holder as materialized (
    select k.key_hash, k.permissions, k.company_id, k.id as api_key_id, k.rate_limit, k.daily_quota,
      o.api_access, u.window_start, u.requests as used_requests, u.notifications as used_notifications,
      coalesce(r.consent_policy, 'off') as consent_policy,
      -- Without offset, a plan made while there were few would go on reading all of every company's.
      exists (select from outbound.suppressions as s where s.company_id = k.company_id offset 0) as has_suppressions,
      exists (select from outbound.erased_contacts as e where e.company_id = k.company_id offset 0) as has_erased
    from (select unnest(p_key_hashes) as key_hash) as presented
    cross join lateral (
      select * from outbound.api_keys as k where k.key_hash = presented.key_hash and k.is_active limit 1
    ) as k
    cross join lateral (select * from outbound.companies as o where o.id = k.company_id limit 1) as o
    left join lateral (
      select w.consent_policy from outbound.contact_rules as w where w.company_id = k.company_id limit 1
    ) as r on true
    cross join lateral (
      select * from outbound.usage as u
      where u.company_id = k.company_id and u.api_key_id = k.id and u.day = (now() at time zone 'UTC')::date limit 1
    ) as u
  ),
  -- The sources whose sender, template and agent have not changed since their requests were checked.
  unchanged as materialized (
    select s.source, coalesce(t.category = 'MARKETING', s.notification_type = 'marketing') as is_marketing
    from source as s join holder as k on k.key_hash = s.key_hash
    left join lateral (
      select u.category from outbound.templates as u
      where u.company_id = k.company_id and u.id = s.template_id and u.status = 'approved' and u.shape = s.template_shape
      limit 1
    ) as t on true
    where (s.knows_erased or not k.has_erased) and exists (
      select from outbound.senders as n where n.company_id = k.company_id and n.id = s.sender_id
        and not n.locked
    ) and (s.template_id is null or t.category is not null) and (s.agent_id is null or exists (
      select from outbound.voice_agents as a
      where a.company_id = k.company_id and a.id = s.agent_id and a.status = 'active'
    ))
  ),
  given as materialized (
    select n.* from json_to_recordset(p_notifications) as n(
      ord int, id uuid, number text, user_id text, message json, metadata json, hashes json
    )
  ),
  -- Recipients who may not be written to. Called only for companies that know of any, or ask for consent.
  refused as materialized (
    select refusal.ord, refusal.recipients
    from (
      select array_agg(k.company_id) as companies, array_agg(n.ord) as ords, array_agg(n.id) as ids,
        array_agg(n.number) as numbers, array_agg(n.user_id) as user_ids, array_agg(n.hashes) as hashes,
        array_agg(r.channel) as channels, array_agg(u.is_marketing) as is_marketing,
        array_agg(case when k.consent_policy <> 'warn' or r.warned is not true then k.consent_policy end) as policies
      from request as r
      join holder as k on k.key_hash = r.key_hash
      join unchanged as u on u.source = r.source
      join given as n on n.ord = r.ord
      where k.has_suppressions or k.has_erased or k.consent_policy <> 'off'
      having count(*) > 0
    ) as a
    cross join lateral outbound.refused_recipients(
      a.companies, a.ords, a.ids, a.numbers, a.user_ids, a.hashes, a.channels, a.is_marketing, a.policies
    ) as refusal
  ),
  judged as (
    select r.ord, r.size, r.dry_run, r.unmetered is true as is_unmetered, k.company_id, k.api_key_id, k.rate_limit, k.daily_quota, k.window_start,
      k.used_requests, k.used_notifications, f.answer as read_idempotent_response, b.recipients, target.mismatch,
      case
        when k.api_key_id is null then 'unauthorized'
        when not k.api_access then 'no_api_access'
        when not r.permission = any (k.permissions) then 'forbidden'
        when f.idempotency_key is not null
          then case when f.request_hash = r.request_hash then 'replayed' else 'key_reused' end
        when r.idempotency_key is not null
          and row_number() over (partition by k.api_key_id, r.endpoint, r.idempotency_key order by r.ord) > 1
          then 'undecided'
        when u.source is null then 'stale'
        when r.is_addition and target.is_cancelled is null then 'campaign_not_found'
        when target.is_cancelled then 'campaign_cancelled'
        when target.mismatch is not null then 'campaign_mismatch'
        when b.ord is not null then 'recipients'
        when target.is_paused and r.knows_paused is not true then 'campaign_paused'
        else 'good'
      end as verdict
    from request as r
    left join holder as k on k.key_hash = r.key_hash
    left join unchanged as u on u.source = r.source
    left join refused as b on b.ord = r.ord
    -- Lateral: one look-up per request. As a join it becomes, without statistics, a scan of everything stored.
    left join lateral (
      select i.key as idempotency_key, i.request_hash, i.answer from outbound.idempotency_keys as i
      where i.company_id = k.company_id and i.endpoint = r.endpoint and i.key = r.idempotency_key
        and i.created_at > now() - interval '24 hours' limit 1
    ) as f on true
    left join lateral (
      select g.cancelled_at is not null as is_cancelled, g.paused_at is not null as is_paused,
        outbound.campaign_mismatch(g, jsonb_populate_record(g, to_jsonb(r))) as mismatch
      from outbound.campaigns as g
      where r.is_addition and g.company_id = k.company_id and g.id = r.id limit 1
    ) as target on true
  ),
  counted as (
    select j.*,
      count(*) filter (where j.verdict = 'good' and not j.is_unmetered) over key_so_far as more_requests,
      coalesce(sum(j.size) filter (where j.verdict = 'good') over key_so_far, 0) as more_notifications
    from judged as j
    window key_so_far as (partition by j.api_key_id order by j.ord)
  ),
  decided as materialized (
    select c.*,
      case
        when c.verdict <> 'good' then c.verdict
        when c.used_requests >= c.rate_limit and c.dry_run is not true and not c.is_unmetered then 'rate_limited'
        when c.used_notifications + c.size > c.daily_quota then 'quota_exceeded'
        when c.dry_run then 'acceptable'
        when c.used_requests + c.more_requests > c.rate_limit and not c.is_unmetered
          or c.used_notifications + c.more_notifications > c.daily_quota then 'undecided'
        else 'accepted'
      end as outcome
    from counted as c
  ),
  -- A caller that lost its connection before the response offers its request again. Nothing is stored or counted then,
  -- and the response is the same, even if its limits, sender or template have changed since.
  campaign as (
    insert into outbound.campaigns as g (
      company_id, id, api_key_id, channel, name, notification_type, sender_id, template_id, template_name,
      template_language, template_shape, agent_id, name_event, scheduled_time, timezone, trace, total, pending, rejected,
      open_until, completed_at
    )
    select d.company_id, r.id, d.api_key_id, r.channel, r.name, r.notification_type, r.sender_id, r.template_id,
      r.template_name, r.template_language, r.template_shape, r.agent_id, r.name_event, r.scheduled_time, r.timezone, r.trace,
      r.size, r.size, r.rejected, case when r.more then outbound.open_until() end,
      case when r.size = 0 and r.more is not true then now() end
    from decided as d join request as r on r.ord = d.ord
    where d.outcome = 'accepted' and r.is_addition is not true
    on conflict on constraint campaigns_pkey do nothing
    returning g.company_id, g.id, g.api_key_id
  ),
  -- Called only if there are any.
  added as materialized (
    select g.company_id, g.id, g.is_held
    from (
      select array_agg(d.company_id order by r.ord) as companies, array_agg(r.id order by r.ord) as ids,
        array_agg(r.size order by r.ord) as sizes, array_agg(r.rejected order by r.ord) as rejected,
        array_agg(r.more order by r.ord) as more
      from decided as d join request as r on r.ord = d.ord where d.outcome = 'accepted' and r.is_addition
      having count(*) > 0
    ) as a
    cross join lateral outbound.add_to_campaigns(a.companies, a.ids, a.sizes, a.rejected, a.more) as g
  ),
  stored as materialized (
    select s.*, greatest(s.scheduled_time, now()) as due_at
    from (
      select r.*, g.company_id, g.api_key_id, false as is_held
      from campaign as g join request as r on r.id = g.id and r.is_addition is not true
      union all
      select r.*, d.company_id, d.api_key_id, g.is_held
      from added as g
      join request as r on r.id = g.id and r.is_addition
      join decided as d on d.ord = r.ord and d.outcome = 'accepted' and d.company_id = g.company_id
    ) as s
  ),
  notification as (
    insert into outbound.notification_facts (
      company_id, id, campaign_id, sender_id, voice, number, user_id, message, metadata
    )
    select s.company_id, n.id, s.id, s.sender_id, s.channel = 'voice', n.number, n.user_id, n.message, n.metadata
    from stored as s join given as n on n.ord = s.ord
  ),
  queued as (
    insert into outbound.queue (
      company_id, id, campaign_id, sender_id, voice, priority, is_scheduled, run_at, held_run_at, expires_at
    )
    select s.company_id, n.id, s.id, s.sender_id, s.channel = 'voice',
      case when u.is_marketing then 2 when s.notification_type = 'transactional' then 0 else 1 end,
      s.due_at > now(), case when s.is_held then 'infinity' else s.due_at end, case when s.is_held then s.due_at end,
      s.due_at + make_interval(secs => s.ttl_s)
    from stored as s
    join unchanged as u on u.source = s.source
    join given as n on n.ord = s.ord
  ),
  used as (
    update outbound.usage as u
    set requests = u.requests + g.requests, day_requests = u.day_requests + g.requests,
      notifications = u.notifications + g.notifications
    from (
      select s.company_id, s.api_key_id, count(*) filter (where s.unmetered is not true)::int as requests,
        sum(s.size)::int as notifications
      from stored as s group by 1, 2
    ) as g
    where u.company_id = g.company_id and u.api_key_id = g.api_key_id and u.day = (now() at time zone 'UTC')::date
  ),
  -- The last of all locks, as in advance_senders. A turn is locked even if it does not move.
  turn as materialized (
    select t.company_id, t.sender_id, t.ready_at, t.due_at, t.queue_cursor, work.due_at as run_at,
      greatest(t.ready_at, work.due_at, clock_timestamp()) as wanted_at
    from (
      select s.company_id, s.sender_id, min(s.due_at) as due_at
      from stored as s where s.size > 0 and not s.is_held group by s.company_id, s.sender_id order by s.sender_id
    ) as work
    cross join lateral (
      select w.* from outbound.sender_schedule as w
      where w.company_id = work.company_id and w.sender_id = work.sender_id for no key update
    ) as t
  ),
  woken as (
    update outbound.sender_schedule as t
    set ready_at = turn.ready_at, due_at = least(turn.due_at, turn.wanted_at),
      queue_cursor = array[
        least(turn.queue_cursor[1], turn.run_at), least(turn.queue_cursor[2], turn.run_at), least(turn.queue_cursor[3], turn.run_at)
      ],
      queue_cursor_id = default
    from turn
    where t.company_id = turn.company_id and t.sender_id = turn.sender_id
      and (turn.due_at > turn.wanted_at or turn.run_at <= any (turn.queue_cursor))
  ),
  idempotency as (
    insert into outbound.idempotency_keys as i (company_id, endpoint, key, request_hash, answer)
    select s.company_id, s.endpoint, s.idempotency_key, s.request_hash, s.answer::json
    from stored as s where s.idempotency_key is not null
    -- Only a key that is older than a day gets here; a younger one was replayed.
    on conflict on constraint idempotency_keys_pkey do update
      set request_hash = excluded.request_hash, answer = excluded.answer, created_at = now()
  )
  select d.ord,
    case when d.outcome in ('stale', 'recipients', 'rate_limited', 'quota_exceeded', 'undecided') and exists (
      select from outbound.campaigns as g join request as r on r.id = g.id
      where g.company_id = d.company_id and r.ord = d.ord and r.is_addition is not true
    ) then 'accepted' else d.outcome end,
    case when d.outcome = 'replayed' then d.read_idempotent_response end,
    case when d.outcome = 'recipients' then d.recipients end,
    case when d.outcome = 'campaign_mismatch' then d.mismatch end,
    coalesce(d.rate_limit, 0),
    coalesce(greatest(
      d.rate_limit - d.used_requests
        - count(*) filter (where d.outcome = 'accepted' and not d.is_unmetered) over key_so_far, 0), 0)::int,
    -- The expression of outbound.seconds_until, because calling it costs 2 to 3 µs per request.
    coalesce(greatest(1, ceil(extract(epoch from d.window_start + interval '1 minute' - now()))), 0)::int,
    coalesce(d.daily_quota, 0),
    (coalesce(d.used_notifications, 0)
      + coalesce(sum(d.size) filter (where d.outcome = 'accepted') over key_so_far, 0))::int
  from decided as d
  window key_so_far as (partition by d.api_key_id order by d.ord);
end
$$;
revoke execute on function outbound.accept_notifications from public;
