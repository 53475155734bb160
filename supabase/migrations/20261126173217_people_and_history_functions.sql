set local lock_timeout = '2s';
set check_function_bodies = off;

-- Stores any number of checked requests, of any companies, in one transaction, if what they were checked against is
-- still true. Offering the same request (by campaign id) again is safe; one that adds to a campaign needs an
-- idempotency key for that.
-- p_key_hashes: the hashes of all keys that the requests came with.
-- p_sources: what many requests have in common, one flat object each: source (its number); key_hash, permission,
-- ttl_s, channel, notification_type, sender_id, template_id, template_name, template_language, template_shape,
-- agent_id; knows_erased: its notifications have hashes; warned: its response names the recipients without consent;

-- dry_run: only check it; unmetered: count no request, and look at no rate (a batch of an upload). Offer a dry run
-- alone.
-- p_requests: one flat object per request: ord (its number, from 1), source; size (the number of its notifications); of
-- the campaign id, name, name_event, scheduled_time, timezone, timing, trace, rejected; is_addition: the campaign
-- exists, and gets the notifications; more: it stays open for more requests; knows_paused: its response says that the
-- campaign is paused; and with an idempotency key endpoint, idempotency_key, request_hash, answer.
-- p_notifications: those of all requests, {ord (of its request), id, number, user_id, message, metadata, run_at,
-- hashes}; run_at: where it is due later than its request; hashes are those of erased_contacts.
-- p_campaigns: the campaigns that requests add to; null for none.
--
-- Returns one row per request. outcome:
--   accepted, acceptable (a dry run that would be accepted; its rate is not looked at), replayed (answer: the first
--   response), key_reused, unauthorized, forbidden, no_api_access,
--   stale (the template, the agent or the sender changed since the check, or hashes are missing), rate_limited,
--   quota_exceeded, budget_exceeded (the company's, for the month), campaign_not_found, campaign_cancelled,
--   campaign_mismatch (the request differs from the campaign that it adds to: mismatch says in what, as
--   campaign_difference returns it),
--   recipients (some may not be written to: recipients names them, [{id, code}], by the codes of skipped notifications;

--     offer the request again without them. warn_no_consent: with a warning about them),
--   campaign_paused (what is added to it waits: offer it again with a warning), or
--   undecided: it depends on another request of this batch (the same idempotency key, or a limit that the other may
--     reach); offer it again. The next batch decides the first undecided request of a key.
-- Only accepted requests store anything. remaining and quota_used count this batch's requests up to this one.
--
-- It locks the keys and campaigns, check_requests decides, and what is accepted is stored. Each table is written by a
-- statement of its own: in one statement of 130 plan nodes, preparing the nodes took longer than running them. What
-- only few batches need is in functions that only these call. Nothing else is: the expressions of a function in
-- PL/pgSQL are prepared once per transaction, which takes some 15 µs.
--
-- The arguments are flat so that each is parsed once: to find a field of a nested object, Postgres goes through the
-- whole object. That was half of the time of accepting. Parsing is a seventh of it still, so nothing comes twice.
create or replace function outbound.accept_notifications(p_key_hashes text[], p_sources json, p_requests json,
  p_notifications json, p_campaigns uuid[] default null)
returns table (ord int, outcome text, answer json, recipients json, mismatch json, rate_limit int, remaining int,
  reset_s int, quota int, quota_used int)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per key.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_hashes text[];
  v_keys outbound.api_keys[];
  v_uses outbound.usage[];
  v_noted int;
  v record;
  v_stored int[];
  v_held uuid[];
begin
  -- Lock the keys in hash order: one batch per key at a time, and no deadlock between batches. A separate statement, so
  -- that the next one sees what the transaction that had them locked before has committed.
  select array_agg(k.key_hash), array_agg(k.key), array_agg(outbound.open_usage(k.company_id, k.id)),
    count(*) filter (where k.last_used_at >= now() - interval '1 minute')
  into v_hashes, v_keys, v_uses, v_noted
  from (
    select k as key, k.company_id, k.id, k.key_hash, k.last_used_at from outbound.api_keys as k
    where k.is_active and k.key_hash = any (p_key_hashes)
    order by k.key_hash for no key update
  ) as k;
  if v_noted < cardinality(v_keys) then
    update outbound.api_keys as k set last_used_at = now()
    where k.is_active and k.key_hash = any (p_key_hashes) and k.last_used_at >= now() - interval '1 minute' is not true;
  end if;
  -- A separate statement, for the same reason.
  if p_campaigns is not null then
    perform outbound.lock_campaigns(array(select k.company_id from unnest(v_keys) as k), p_campaigns);
  end if;

  select * into v from outbound.check_requests(v_hashes, v_keys, v_uses, p_sources, p_requests, p_notifications);

  -- A repeated request has its campaign already: nothing of it is stored or counted.
  with campaign as (
    insert into outbound.campaigns as g (
      company_id, id, api_key_id, channel, name, notification_type, sender_id, template_id, template_name,
      template_language, template_shape, agent_id, name_event, scheduled_time, timezone, trace, total, pending,
      rejected, open_until, completed_at
    )
    select v.companies[r.ord], r.id, v.api_keys[r.ord], s.channel, r.name, s.notification_type, s.sender_id,
      s.template_id, s.template_name, s.template_language, s.template_shape, s.agent_id, r.name_event,
      r.scheduled_time, r.timezone, r.trace, r.size, r.size, r.rejected, case when r.more then outbound.open_until()
      end, case when r.size = 0 and r.more is not true then now() end
    from json_to_recordset(p_requests) as r(
      ord int, source int, size int, id uuid, name text, name_event text, scheduled_time timestamptz, timezone text,
      trace text, rejected int, is_addition boolean, more boolean
    )
    join json_to_recordset(p_sources) as s(
      source int, channel text, notification_type text, sender_id uuid, template_id uuid, template_name text,
      template_language text, template_shape text, agent_id uuid
    ) on s.source = r.source
    where v.outcomes[r.ord] = 'accepted' and r.is_addition is not true on conflict (company_id, id) do nothing
    returning array_position(v.campaigns, g.id) as ord
  )
  select array_agg(c.ord) into v_stored from campaign as c;
  if p_campaigns is not null then
    select v_stored || a.stored, a.held into v_stored, v_held
    from outbound.store_additions(p_requests, v.outcomes, v.companies) as a;
  end if;

  -- One statement for all of it: reading the notifications again takes as long as storing them.
  with fact as (
    insert into outbound.notification_facts as f
      (company_id, id, campaign_id, sender_id, voice, number, user_id, message, metadata, area)
    select v.companies[n.ord], n.id, v.campaigns[n.ord], v.senders[n.ord], v.are_calls[n.ord], n.number, n.user_id,
      n.message, n.metadata, coalesce('+' || left(n.number, case when left(n.number, 1) = '1' then 4 when
        left(n.number, 2) = any ('{21,22,23,24,25,26,29,35,37,38,42,50,59,67,68,69,80,85,87,88,89,96,97,99}')
        then 3 else 2 end), left(n.user_id, 2), '')
    from json_to_recordset(p_notifications)
      as n(ord int, id uuid, number text, user_id text, message json, metadata json)
    where n.ord = any (v_stored) returning f.company_id, f.id, f.campaign_id, f.sender_id, f.voice, f.area,
      array_position(v.campaigns, f.campaign_id) as ord
  ),
  counted as (
    insert into outbound.history_changes (company_id, at, area, metric, campaign_ids)
    select n.company_id, now(), n.area, 'accepted', array_agg(n.campaign_id) from fact as n group by 1, 3
  )
  insert into outbound.queue
    (company_id, id, campaign_id, sender_id, voice, priority, is_scheduled, run_at, held_run_at, expires_at)
  select n.company_id, n.id, n.campaign_id, n.sender_id, n.voice, v.priorities[n.ord],
    v.due_at[n.ord] > now(), case when hold.is_held then 'infinity' else v.due_at[n.ord] end,
    case when hold.is_held then v.due_at[n.ord] end, v.expires_at[n.ord]
  from fact as n cross join lateral (select n.campaign_id = any (v_held) as is_held) as hold;
  if 1 < any (v.sizes) or strpos(p_requests::text, '"more"') > 0 or strpos(p_requests::text, '"timing"') > 0 then
    perform outbound.store_bulk_campaigns(p_requests, p_notifications, v.companies, v_stored);
  end if;

  if v_stored is not null then
    perform outbound.count_usage(v_stored, v.companies, v.api_keys, v.are_metered, v.sizes);
  end if;
  if v.first_responses is not null then
    perform outbound.store_first_responses(p_requests, v.companies, v_stored);
  end if;

  -- The last of all locks. A turn is locked even if it does not move.
  perform outbound.advance_senders(
    array_agg(v.companies[s.ord]), array_agg(v.senders[s.ord]), array_agg(v.due_at[s.ord]))
  from unnest(v_stored) as s(ord) where v.sizes[s.ord] > 0 and (v.campaigns[s.ord] = any (v_held)) is not true
  having count(*) > 0;

  return query
  select o.ord::int, o.outcome, case when o.outcome = 'replayed' then v.first_responses[o.ord] end,
    case when o.outcome = 'recipients' then v.recipients[o.ord] end,
    case when o.outcome = 'campaign_mismatch' then v.mismatches[o.ord] end,
    v.rate_limits[o.ord], v.remaining[o.ord], v.reset_s[o.ord], v.quotas[o.ord], v.quota_used[o.ord]
  from unnest(v.outcomes) with ordinality as o(outcome, ord);
end
$$;

revoke execute on function outbound.accept_notifications from public;

-- Cancels those of the given notifications that are queued; the caller has locked them, and moves the counters. What
-- the platform said of the last attempt stays. Returns how many.
create or replace function outbound.cancel_queued(p_companies uuid[], p_ids uuid[])
returns int
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per message.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_count int;
begin
  with gone as (
    delete from outbound.queue as q using unnest(p_companies, p_ids) as given(company_id, id)
    where q.company_id = given.company_id and q.id = given.id and case when q.status = 'queued' then true end
    returning q.company_id, q.id, q.attempt, q.fence, q.claimed_at, q.error_code, q.error_reason
  )
  update outbound.notification_facts as f
  set status = 'cancelled', cancelled_at = now(), attempt = gone.attempt, fence = gone.fence, claimed_at = gone.claimed_at,
    error_code = outbound.lasting_text(gone.error_code, gone.error_code),
    error_reason = outbound.lasting_text(gone.error_code, gone.error_reason)
  from gone where f.company_id = gone.company_id and f.id = gone.id;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

revoke execute on function outbound.cancel_queued from public;

-- Returns what campaigns say about the requests of a batch that add to them (accept_notifications describes both), at
-- the ord of the request: campaign_not_found, campaign_cancelled, campaign_mismatch with the difference, or null; and
-- whether the campaign is paused and the request does not know it. p_hashes, p_keys: those of check_requests. Reads
-- only; called only if a request adds to a campaign.
create or replace function outbound.check_additions(
  p_hashes text[], p_keys outbound.api_keys[], p_sources json, p_requests json,
  out outcomes text[], out mismatches json[], out are_paused boolean[]
)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  select array_agg(a.outcome order by a.ord), array_agg(a.mismatch order by a.ord),
    array_agg(a.is_paused order by a.ord)
  into outcomes, mismatches, are_paused
  from (
    select r.ord, target.mismatch, target.is_paused and r.knows_paused is not true as is_paused,
      case
        when r.is_addition and target.is_cancelled is null then 'campaign_not_found'
        when target.is_cancelled then 'campaign_cancelled'
        when target.mismatch is not null then 'campaign_mismatch'
      end as outcome
    from (
      select * from json_to_recordset(p_requests) as r(
        ord int, source int, id uuid, scheduled_time timestamptz, timezone text, name_event text, is_addition boolean,
        knows_paused boolean, timing jsonb
      )
      join json_to_recordset(p_sources) as s(
        source int, key_hash text, channel text, notification_type text, sender_id uuid, template_id uuid,
        template_name text, template_language text, template_shape text, agent_id uuid
      ) using (source)
    ) as r
    -- Lateral: one look-up per request. As a join it becomes, without statistics, a scan of everything stored.
    left join lateral (
      select g.cancelled_at is not null as is_cancelled, g.paused_at is not null as is_paused,
        outbound.campaign_difference(g, jsonb_populate_record(g, to_jsonb(r)), (
          select b.timing from outbound.bulk_campaigns as b where b.company_id = g.company_id and b.campaign_id = g.id
        ), r.timing) as mismatch
      from outbound.campaigns as g
      where r.is_addition and g.company_id = (p_keys[array_position(p_hashes, r.key_hash)]).company_id and g.id = r.id
      limit 1
    ) as target on true
  ) as a;
end
$$;

revoke execute on function outbound.check_additions from public;

-- Decides the requests of a batch, for accept_notifications, which describes them and their outcomes. Reads only. Each
-- array has an element for each request, at its ord: its outcome with what belongs to it, then what storing it needs.
-- p_hashes, p_keys, p_uses: the hashes of the locked keys, the keys, and today's use of each, in the same order.
-- Rules that few batches need have functions of their own, called for these only, because Postgres prepares all of a
-- statement before it runs any of it. For the same reason a fact that one row has is a subquery and no join.
-- The switches of accept_notifications hold here: setting them again takes 10 µs.
create or replace function outbound.check_requests(
  p_hashes text[], p_keys outbound.api_keys[], p_uses outbound.usage[], p_sources json, p_requests json,
  p_notifications json, out outcomes text[], out first_responses json[], out recipients json[],
  out mismatches json[], out rate_limits int[], out remaining int[], out reset_s int[], out quotas int[],
  out quota_used int[], out companies uuid[], out api_keys uuid[], out campaigns uuid[], out senders uuid[],
  out are_calls boolean[], out priorities smallint[], out are_metered boolean[], out sizes int[],
  out due_at timestamptz[], out expires_at timestamptz[]
)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  v_keyed text[];
  v_added text[];
  v_are_paused boolean[];
begin
  if strpos(p_requests::text, '"idempotency_key"') > 0 then
    select k.outcomes, k.first_responses into v_keyed, first_responses
    from outbound.check_idempotency_keys(p_hashes, p_keys, p_sources, p_requests) as k;
  end if;
  if strpos(p_requests::text, '"is_addition"') > 0 then
    select a.outcomes, a.mismatches, a.are_paused into v_added, mismatches, v_are_paused
    from outbound.check_additions(p_hashes, p_keys, p_sources, p_requests) as a;
  end if;

  with source as materialized (
    select k.source, k.company_id, k.channel, k.sender_id, k.ttl_s, k.dry_run is true as is_dry_run,
      k.unmetered is not true as is_metered, (k.key).id as api_key_id, (k.key).rate_limit, (k.key).daily_quota,
      (k.usage).window_start, (k.usage).requests as used_requests, (k.usage).notifications as used_notifications,
      case
        when k.company_id is null then 'unauthorized'
        when not (select o.api_access from outbound.companies as o where o.id = k.company_id) then 'no_api_access'
        when not k.permission = any ((k.key).permissions) then 'forbidden'
      end as refusal,
      -- Its sender, template or agent changed since its requests were checked, or hashes are missing. Without offset, a
      -- plan made while there were few would go on reading all of every company's.
      k.over_budget is null or k.template_id is not null and k.category is null
      or k.agent_id is not null and not exists (
        select from outbound.voice_agents as a
        where a.company_id = k.company_id and a.id = k.agent_id and a.status = 'active' offset 0
      )
      or k.has_erased and k.knows_erased is not true as is_stale,
      coalesce(k.category = 'MARKETING', k.notification_type = 'marketing') as is_marketing,
      k.notification_type = 'transactional' as is_transactional, k.over_budget,
      case when k.policy <> 'warn' or k.warned is not true then k.policy end as policy,
      k.has_erased or coalesce(k.policy <> 'off', false)
        or exists (select from outbound.suppressions as p where p.company_id = k.company_id offset 0) as asks_recipients
    from (
      select g.*, (g.key).company_id, p_uses[g.index] as usage,
        (
          select t.category from outbound.templates as t
          where t.company_id = (g.key).company_id and t.id = g.template_id and t.status = 'approved'
            and t.shape = g.template_shape
        ) as category,
        (select n.over_budget is true from outbound.senders as n
          where n.company_id = (g.key).company_id and n.id = g.sender_id and not n.locked) as over_budget,
        (select w.consent_policy from outbound.contact_rules as w where w.company_id = (g.key).company_id) as policy,
        exists (
          select from outbound.erased_contacts as e where e.company_id = (g.key).company_id offset 0
        ) as has_erased
      from (
        select s.*, p_keys[array_position(p_hashes, s.key_hash)] as key, array_position(p_hashes, s.key_hash) as index
        from json_to_recordset(p_sources) as s(
          source int, key_hash text, permission text, ttl_s int, channel text, notification_type text, sender_id uuid,
          template_id uuid, template_shape text, agent_id uuid, knows_erased boolean, warned boolean, dry_run boolean,
          unmetered boolean
        ) offset 0
      ) as g offset 0
    ) as k
  ),
  refused as materialized (
    select outbound.refused_recipients(p_requests, p_notifications, json_agg(s)) as recipients
    from source as s where s.asks_recipients
  ),
  judged as (
    select r.ord, r.id, r.size, greatest(r.scheduled_time, now()) as due_at, s.*,
      coalesce(s.refusal, v_keyed[r.ord], case when s.is_stale then 'stale' end, v_added[r.ord], case
        when s.asks_recipients and (select f.recipients from refused as f)[r.ord] is not null then 'recipients'
        when v_are_paused[r.ord] then 'campaign_paused'
        when s.used_requests >= s.rate_limit and s.is_metered and not s.is_dry_run then 'rate_limited'
        when s.over_budget then 'budget_exceeded'
        when s.used_notifications + r.size > s.daily_quota then 'quota_exceeded'
        when s.is_dry_run then 'acceptable'
      end) as verdict
    from json_to_recordset(p_requests) as r(ord int, source int, size int, id uuid, scheduled_time timestamptz)
    join source as s on s.source = r.source offset 0
  ),
  counted as (
    select j.*,
      (count(*) filter (where j.verdict is null and j.is_metered) over key_so_far)::int as more_requests,
      (coalesce(sum(j.size) filter (where j.verdict is null) over key_so_far, 0))::int as more_notifications
    from judged as j window key_so_far as (partition by j.api_key_id order by j.ord)
  ),
  decided as (
    select c.*, coalesce(c.verdict, case
      when c.used_requests + c.more_requests > c.rate_limit and c.is_metered
        or c.used_notifications + c.more_notifications > c.daily_quota then 'undecided' else 'accepted'
    end) as outcome
    from counted as c order by c.ord
  )
  select array_agg(d.outcome), array_agg(coalesce(d.rate_limit, 0)),
    array_agg(coalesce(greatest(d.rate_limit - d.used_requests - d.more_requests, 0), 0)),
    -- The expression of outbound.seconds_until, because calling it costs 2 to 3 µs per request.
    array_agg(coalesce(greatest(1, ceil(extract(epoch from d.window_start + interval '1 minute' - now()))), 0)::int),
    array_agg(coalesce(d.daily_quota, 0)), array_agg(coalesce(
      least(d.used_notifications + d.more_notifications, greatest(d.used_notifications, d.daily_quota)), 0)),
    array_agg(d.company_id), array_agg(d.api_key_id), array_agg(d.id), array_agg(d.sender_id),
    array_agg(d.channel = 'voice'),
    array_agg((case when d.is_marketing then 2 when d.is_transactional then 0 else 1 end)::smallint),
    array_agg(d.is_metered), array_agg(d.size), array_agg(d.due_at),
    array_agg(d.due_at + make_interval(secs => d.ttl_s)),
    case when bool_or(d.outcome = 'recipients') then (select f.recipients from refused as f) end
  into outcomes, rate_limits, remaining, reset_s, quotas, quota_used, companies, api_keys, campaigns, senders,
    are_calls, priorities, are_metered, sizes, due_at, expires_at, recipients
  from decided as d;

  if outcomes && array['stale', 'recipients', 'rate_limited', 'quota_exceeded', 'budget_exceeded', 'undecided'] then
    outcomes := outbound.outcomes_of_stored(p_requests, companies, outcomes);
  end if;
end
$$;

revoke execute on function outbound.check_requests from public;

-- Counts the requests p_stored of a batch, and their notifications, for the keys that they came with. p_companies to
-- p_sizes: as check_requests returns them. A step of accept_notifications, which has locked the keys.
create or replace function outbound.count_usage(
  p_stored int[], p_companies uuid[], p_api_keys uuid[], p_are_metered boolean[], p_sizes int[]
)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  update outbound.usage as u
  set requests = u.requests + g.requests, day_requests = u.day_requests + g.requests,
    notifications = u.notifications + g.notifications
  from (
    select p_companies[s.ord] as company_id, p_api_keys[s.ord] as api_key_id,
      count(*) filter (where p_are_metered[s.ord])::int as requests, sum(p_sizes[s.ord])::int as notifications
    from unnest(p_stored) as s(ord) group by 1, 2
  ) as g
  where u.company_id = g.company_id and u.api_key_id = g.api_key_id and u.day = (now() at time zone 'UTC')::date;
end
$$;

revoke execute on function outbound.count_usage from public;

-- Moves the times before which no row of a schedule is due (due_from) on, in steps of ten seconds, because each step is
-- a version of a row that an old snapshot keeps too. p_from_first: reads the schedules from their beginning, and so
-- finds a time that was set in a transaction which took longer than ten seconds.
create or replace function outbound.move_due_from(p_from_first boolean)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_step constant interval := interval '10 seconds';
  v_senders constant timestamptz := case when p_from_first then '-infinity' else outbound.due_from('senders') end;
  v_replies constant timestamptz := case when p_from_first then '-infinity' else outbound.due_from('replies') end;
  v_webhooks constant timestamptz := case when p_from_first then '-infinity' else outbound.due_from('webhooks') end;
  v_failing constant timestamptz := case when p_from_first then '-infinity'
    else outbound.due_from('failing_webhooks') end;
  v_history constant timestamptz := case when p_from_first then '-infinity' else outbound.due_from('history') end;
  v_media constant timestamptz := case when p_from_first then '-infinity' else outbound.due_from('received_media') end;
begin
  insert into outbound.settings as s (name, value)
  select 'due_from:' || f.schedule, to_jsonb(least(f.due_at, now() - v_step)) from (values
    ('failing_webhooks', (
      select w.due_at from outbound.webhook_schedule as w
      where w.is_failing and w.due_at >= v_failing order by w.due_at limit 1
    )),
    ('history', (
      select c.written_at from outbound.history_changes as c
      where c.written_at >= v_history order by c.written_at limit 1
    )),
    ('received_media', (
      select m.due_at from outbound.received_media_schedule as m where m.due_at >= v_media order by m.due_at limit 1
    )),
    ('replies', (
      select r.due_at from outbound.reply_schedule as r where r.due_at >= v_replies order by r.due_at limit 1
    )),
    ('senders', (
      select t.due_at from outbound.sender_schedule as t where t.due_at >= v_senders order by t.due_at limit 1
    )),
    ('webhooks', (
      select w.due_at from outbound.webhook_schedule as w
      where not w.is_failing and w.due_at >= v_webhooks order by w.due_at limit 1
    ))
  ) as f(schedule, due_at)
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now()
    where (excluded.value #>> '{}')::timestamptz < (s.value #>> '{}')::timestamptz
      or (excluded.value #>> '{}')::timestamptz >= (s.value #>> '{}')::timestamptz + v_step;
end
$$;

revoke execute on function outbound.move_due_from from public;

-- Returns the chores of a dispatcher that have something to do, by name: one look by small indexes instead of a query
-- per chore, most of which would find nothing. A chore that is named may still find nothing, because what waits is not
-- due or is locked; one that is not named would find nothing.
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
        or cardinality(outbound.due_companies(1, 1)) > 0
      ),
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

-- Returns the outcomes of requests, at their ord, with accepted instead of a refusal where the request is stored. A
-- caller that lost its connection before the response offers its request again, and the response is the same, even if
-- its limits, sender or template have changed since. Reads only.
create or replace function outbound.outcomes_of_stored(p_requests json, p_companies uuid[], p_outcomes text[])
returns text[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    select case
      when p_outcomes[r.ord] in ('stale', 'recipients', 'rate_limited', 'quota_exceeded', 'budget_exceeded',
        'undecided') and r.is_addition is not true and exists (
          select from outbound.campaigns as g where g.company_id = p_companies[r.ord] and g.id = r.id offset 0
        ) then 'accepted'
      else p_outcomes[r.ord]
    end
    from json_to_recordset(p_requests) as r(ord int, id uuid, is_addition boolean) order by r.ord
  );
end
$$;

revoke execute on function outbound.outcomes_of_stored from public;

-- unconfirmed → queued or failed, when the platform reported nothing in time. A step of tick.
-- That nothing was reported counts only if an event could have reached us since the try began:
--   an event of the sender's account arrived, or a probe of our webhook came back;

--   no event of the account was refused after the last one that was accepted;

--   and for half the window nothing has kept events from us: a pause without ticks, an open breaker, a failed probe,
--   a refused event. After such a time we wait for as long again, because the platform repeats what it could not report
--   after ever longer waits.
-- Otherwise the message gets another window, up to its time to live. Calls need no event: the dispatcher polls the
-- platform about them. Each message is examined once per window, and p_limit of them per tick.
--
-- again: how many were queued again; failed: how many were not. moves: what move_campaign_counters is to move.
-- requeued: those for stop_requeued; planned: the senders whose turns change. silent_accounts: [{company_id, waba_id,
-- messages, refused}, …], accounts whose messages wait because no event of theirs can arrive.
create or replace function outbound.decide_unconfirmed(
  p_limit int, p_window interval, p_leases_from timestamptz,
  out again int, out failed int, out moves jsonb, out requeued_companies uuid[], out requeued uuid[],
  out planned_companies uuid[], out planned_senders uuid[], out silent_accounts jsonb
)
-- Without statistics a bitmap scan would read and sort all that is due instead of the p_limit longest due.
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_unread boolean;
  -- The last time without ticks: how long it was, and when it ended.
  v_missed_ticks interval;
  v_awake_since timestamptz;
begin
  select make_interval(secs => s.value::float8), s.updated_at into v_missed_ticks, v_awake_since
  from outbound.settings as s where s.name = 'missed_ticks';

  -- Events of the platform that have not been applied for so long may be about any message.
  v_unread := exists (
    select from outbound.platform_events as e
    where e.applied_at is null and e.apply_at < now() - p_window / 2 and e.apply_at = e.received_at
  );

  with due as (
    select n.company_id, n.id, n.campaign_id, n.sender_id, n.voice, n.attempt, n.fence, n.claimed_at,
      s.waba_id, signal.refused_at > signal.event_at as refused,
      n.expires_at > now() and (
        v_unread
        or coalesce(greatest(p.blocked_until, p.reached_at) > now() - p_window / 2, false)
        or coalesce(
          now() - v_awake_since < greatest(p_window / 2, least(v_missed_ticks, v_awake_since - n.claimed_at)), false)
      ) as early,
      n.expires_at > now() and not n.voice and (
        signal.reachable_at <= n.claimed_at
        -- Failed probes say nothing if none came back for a day: some dispatchers cannot reach OUTBOUND_PUBLIC_URL at
        -- all.
        or w.returned_at > now() - interval '1 day' and w.failed_at > least(signal.reachable_at, now() - p_window / 2)
        or now() - w.recovered_at < w.recovered_at - greatest(w.failing_since, n.claimed_at)
        or signal.refused_at > least(signal.event_at, now() - p_window / 2)
        or now() - a.accepted_at < a.accepted_at - greatest(a.refused_since, n.claimed_at)
      ) as unproven,
      -- A call whose outcome is unknown is never repeated: the person may have been called already.
      c.on_unknown = 'resend' and not n.voice and n.attempt < outbound.max_attempts() and n.expires_at > now()
        and g.cancelled_at is null as again
    from outbound.queue as n
    join outbound.companies as c on c.id = n.company_id
    join outbound.campaigns as g on g.company_id = n.company_id and g.id = n.campaign_id
    left join outbound.senders as s on s.company_id = n.company_id and s.id = n.sender_id
    left join outbound.sender_rate_state as p on p.company_id = n.company_id and p.sender_id = n.sender_id
    left join outbound.account_signals as a on a.company_id = s.company_id and a.waba_id = s.waba_id
    left join outbound.webhook_probe as w on w.only_row
    cross join lateral (
      select greatest(a.event_at, w.returned_at, '-infinity') as reachable_at,
        coalesce(a.event_at, '-infinity') as event_at, a.refused_at
    ) as signal
    where n.status = 'unconfirmed' and n.lease_until >= p_leases_from and n.lease_until <= now()
    order by n.lease_until limit p_limit for update of n skip locked
  ),
  extended as (
    update outbound.queue as n set lease_until = least(now() + p_window, n.expires_at)
    from due where n.company_id = due.company_id and n.id = due.id and (due.early or due.unproven)
  ),
  settled as (
    select * from due where not due.early and due.unproven is not true
  ),
  requeued as (
    update outbound.queue as n
    set status = 'queued', lease_until = null, run_at = now(), error_code = null, error_reason = null
    from settled as s where s.again and n.company_id = s.company_id and n.id = s.id
  ),
  failed as (
    update outbound.notification_facts as n
    set status = 'failed', attempt = s.attempt, fence = s.fence, claimed_at = s.claimed_at, failed_at = now(),
      error_code = 'outcome_unknown',
      error_reason = case
        when s.voice then 'The platform never said whether it made the call; it was not made again'
        else 'The platform never said whether it took the message; it was not sent again'
      end
    from settled as s where s.again is not true and n.company_id = s.company_id and n.id = s.id
  ),
  gone as (
    delete from outbound.queue as n using settled as s
    where s.again is not true and n.company_id = s.company_id and n.id = s.id
  )
  select count(*) filter (where s.again), count(*) filter (where not s.again),
    jsonb_agg(jsonb_build_object('company_id', s.company_id, 'campaign_id', s.campaign_id, 'processing', -1,
      'pending', s.again::int, 'failed', (not s.again)::int)),
    array_agg(s.company_id) filter (where s.again), array_agg(s.id) filter (where s.again),
    array_agg(s.company_id) filter (where s.again or s.voice), array_agg(s.sender_id) filter (where s.again or s.voice),
    (
      select jsonb_agg(to_jsonb(account)) from (
        select due.company_id, due.waba_id, count(*) as messages, coalesce(bool_or(due.refused), false) as refused
        from due where due.unproven and not due.early
        group by due.company_id, due.waba_id order by count(*) desc limit 100
      ) as account
    )
  into again, failed, moves, requeued_companies, requeued, planned_companies, planned_senders, silent_accounts
  from settled as s;
end
$$;

revoke execute on function outbound.decide_unconfirmed from public;

-- Adds the accepted requests of a batch to their campaigns (accept_notifications describes requests; p_outcomes and
-- p_companies have an element for each, at its ord). Returns the requests that were stored, by ord, and the campaigns
-- that are held. Called only if a request adds to a campaign.
create or replace function outbound.store_additions(
  p_requests json, p_outcomes text[], p_companies uuid[], out stored int[], out held uuid[]
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  select a.ords, array(
    select g.id from outbound.add_to_campaigns(a.companies, a.ids, a.sizes, a.rejected, a.more) as g where g.is_held
  )
  into stored, held
  from (
    select array_agg(r.ord order by r.ord) as ords, array_agg(p_companies[r.ord] order by r.ord) as companies,
      array_agg(r.id order by r.ord) as ids, array_agg(r.size order by r.ord) as sizes,
      array_agg(r.rejected order by r.ord) as rejected, array_agg(r.more order by r.ord) as more
    from json_to_recordset(p_requests) as r(
      ord int, size int, id uuid, rejected int, is_addition boolean, more boolean
    )
    where p_outcomes[r.ord] = 'accepted' and r.is_addition
  ) as a;
  -- At their recipients' time of day: a later request may have the first of them.
  if strpos(p_requests::text, '"recipient_time"') > 0 then
    update outbound.campaigns as g set scheduled_time = added.first_at
    from (
      select p_companies[r.ord] as company_id, r.id, min(r.scheduled_time) as first_at
      from json_to_recordset(p_requests) as r(ord int, id uuid, scheduled_time timestamptz, timing jsonb)
      where r.ord = any (stored) and r.timing ? 'recipient_time' group by 1, 2
    ) as added
    where g.company_id = added.company_id and g.id = added.id and g.scheduled_time > added.first_at;
  end if;
end
$$;

revoke execute on function outbound.store_additions from public;

-- Stores the campaigns of a batch for which more than one message is expected, or whose messages have times of their own,
-- as what they are (bulk_campaigns), and gives the latter messages their times. accept_notifications describes requests
-- and notifications; p_companies has an element for each request, at its ord, p_stored the requests that were stored.
create or replace function outbound.store_bulk_campaigns(
  p_requests json, p_notifications json, p_companies uuid[], p_stored int[]
)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.bulk_campaigns as b (company_id, campaign_id, timing)
  select p_companies[r.ord], r.id, r.timing
  from json_to_recordset(p_requests) as r(
    ord int, id uuid, size int, is_addition boolean, more boolean, timing jsonb
  )
  where r.ord = any (p_stored) and r.is_addition is not true and (r.size > 1 or r.more or r.timing is not null)
  on conflict on constraint bulk_campaigns_pkey do nothing;
  if strpos(p_requests::text, '"timing"') > 0 then
    perform outbound.store_own_times(p_notifications, p_companies, p_stored);
  end if;
end
$$;

revoke execute on function outbound.store_bulk_campaigns from public;

-- Gives the notifications of a batch that were put in the queue the times that are their own (run_at), and their time
-- to live from there on. accept_notifications describes notifications; p_companies has an element for each request, at
-- its ord, p_stored the requests that were stored. Called only if a request has timing.
create or replace function outbound.store_own_times(p_notifications json, p_companies uuid[], p_stored int[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per message.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  update outbound.queue as q
  set run_at = case when own.is_held then q.run_at else own.due_at end,
    held_run_at = case when own.is_held then own.due_at end, is_scheduled = own.due_at > now(),
    expires_at = q.expires_at + (own.due_at - own.base)
  from (
    select w.company_id, w.id, w.held_run_at is not null as is_held, coalesce(w.held_run_at, w.run_at) as base,
      greatest(n.run_at, coalesce(w.held_run_at, w.run_at)) as due_at
    from json_to_recordset(p_notifications) as n(ord int, id uuid, run_at timestamptz)
    join outbound.queue as w on w.company_id = p_companies[n.ord] and w.id = n.id
    where n.ord = any (p_stored) and n.run_at is not null
  ) as own
  where q.company_id = own.company_id and q.id = own.id;
end
$$;

revoke execute on function outbound.store_own_times from public;

-- Records that a tick runs, which GET /health reads, and how long no tick had run before it.
create or replace function outbound.mark_tick(p_by text)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.settings as s (name, value)
  select 'missed_ticks', to_jsonb(extract(epoch from now() - max(t.updated_at)))
  from outbound.settings as t where t.name like 'last\_tick:%'
  having max(t.updated_at) < now() - interval '90 seconds'
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now();

  insert into outbound.settings as s (name, value) values ('last_tick:' || p_by, to_jsonb(now()))
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now()
    where s.updated_at < now() - interval '1 second';
end
$$;

revoke execute on function outbound.mark_tick from public;

-- Keeps the times by which claims and ticks find what is due; once per minute it repairs what should not have gone
-- wrong. Returns how many turns of senders it repaired. The last step of tick.
create or replace function outbound.keep_schedules()
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_repaired_turns int := 0;
  v_from_first boolean;
begin
  insert into outbound.settings as s (name, value) values ('last_turn_repair', to_jsonb(now()))
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now()
    where outbound.is_window_over(s.updated_at, interval '1 minute');
  v_from_first := found;
  if v_from_first then
    v_repaired_turns := outbound.repair_sender_schedule();
    perform outbound.repair_webhook_schedule();
    perform outbound.repair_reply_schedule();
  end if;
  perform outbound.move_leases_from(case when v_from_first then '-infinity' else outbound.leases_from() end);
  perform outbound.move_due_from(v_from_first);
  return v_repaired_turns;
end
$$;

revoke execute on function outbound.keep_schedules from public;

-- Does one step of what time alone brings about, or returns {busy} while another caller does one:
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
  perform outbound.mark_tick(p_by);
  return outbound.tick_step(
    (array['rescue', 'settle', 'expire', 'close', 'schedules'])[1 + floor(random() * 5)::int], p_limit, p_window, p_by);
end
$$;

revoke execute on function outbound.tick from public;

-- Returns when the sender itself may send: its bucket holds a message again, it has rested, it has a free line.
-- infinity while it is stopped, over budget, or all its lines are taken. A bucket fills for 25 ms, so that a fast sender is claimed
-- for a few messages at a time and not for each one. The queue does not matter here.
create or replace function outbound.sender_ready_at(p_state outbound.sender_rate_state, p_sender outbound.senders)
returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  v_throttle double precision := case when p_state.throttled_at is null then 1
    else outbound.current_throttle(p_state) end;
  v_ready_at timestamptz := p_state.refilled_at;
begin
  if p_sender.status <> 'active' or p_sender.over_budget then
    return 'infinity'::timestamptz;
  end if;
  if p_sender.channel = 'voice' then
    if outbound.free_lines(p_state, p_sender.concurrency) = 0 then
      -- A transaction that ends a call plans the turn again. Time alone frees a line only when it lifts the throttle.
      v_ready_at := case when v_throttle < 1 then p_state.throttled_at + interval '30 seconds'
        * (1 + floor(extract(epoch from now() - p_state.throttled_at) / 30)) else 'infinity'::timestamptz end;
    end if;
  elsif p_state.tokens < 1 then
    v_ready_at := p_state.refilled_at
      + make_interval(secs => greatest(0.025, (1 - p_state.tokens) / (p_sender.rate_per_second * v_throttle)));
  end if;
  return greatest(v_ready_at, p_state.blocked_until);
end
$$;

revoke execute on function outbound.sender_ready_at from public;

-- Returns why nothing leaves a sender, since when, until when, and a text of the platform about it; nulls while
-- something does. The first of:
--   sender_stopped, sender_locked: by the platform; wait_detail is its reason
--   budget_reached: the company's budget for the month is used up; the next month releases it, or a higher limit
--   no_dispatcher: something is due, and no dispatcher takes it. pg_cron alone starts one within the 90 seconds
--   platform_unreachable: the platform does not respond
--   lines_busy: as many calls are going on as it has lines
--   rate_limited: the platform refuses its rate, and it sends more slowly. This alone keeps nothing from leaving.
-- Reads one row of each table, and no more calls than the sender has lines.
create or replace function outbound.sender_wait(
  p_company_id uuid, p_sender_id uuid,
  out wait_reason text, out wait_since timestamptz, out wait_until timestamptz, out wait_detail text
)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_sender record;
  v_dispatcher_at timestamptz;
  v_pg_cron_at timestamptz;
  v_calls int;
  v_last_call_at timestamptz;
begin
  select s.channel, s.status, s.locked, s.stopped_reason, s.stopped_at, s.stopped_until, s.concurrency, s.created_at,
    s.over_budget,
    p.blocked_until, p.throttled_at, t.due_at, outbound.outage_since(p) as outage_since,
    outbound.current_throttle(p) as throttle
  into v_sender
  from outbound.senders as s
  join outbound.sender_rate_state as p on p.company_id = s.company_id and p.sender_id = s.id
  join outbound.sender_schedule as t on t.company_id = s.company_id and t.sender_id = s.id
  where s.company_id = p_company_id and s.id = p_sender_id;
  if v_sender.status = 'stopped' then
    wait_reason := case when v_sender.locked then 'sender_locked' else 'sender_stopped' end;
    wait_since := coalesce(v_sender.stopped_at, v_sender.created_at);
    wait_until := v_sender.stopped_until;
    wait_detail := v_sender.stopped_reason;
    return;
  end if;
  if v_sender.over_budget then
    wait_reason := 'budget_reached';
    wait_since := coalesce((
      select b.reached_at from outbound.budgets as b where b.company_id = p_company_id
    ), now());
    wait_until := date_trunc('month', now(), 'UTC') + interval '1 month';
    return;
  end if;

  if v_sender.due_at < now() - interval '5 seconds' then
    select max(s.updated_at) filter (where s.name = 'last_tick:dispatcher'),
      max(s.updated_at) filter (where s.name = 'last_tick:pg_cron')
    into v_dispatcher_at, v_pg_cron_at
    from outbound.settings as s where s.name in ('last_tick:dispatcher', 'last_tick:pg_cron');
    if coalesce(v_dispatcher_at < now() - interval '90 seconds', true) and (
      v_sender.due_at < now() - interval '90 seconds' or coalesce(v_pg_cron_at < now() - interval '90 seconds', true)
    ) then
      wait_reason := 'no_dispatcher';
      wait_since := coalesce(v_dispatcher_at, v_sender.due_at);
      return;
    end if;
  end if;

  if v_sender.outage_since is not null then
    wait_reason := 'platform_unreachable';
    wait_since := v_sender.outage_since;
    wait_until := v_sender.blocked_until;
    return;
  end if;
  if v_sender.channel = 'voice' then
    select count(*), max(k.claimed_at) into v_calls, v_last_call_at from outbound.ongoing_calls as k
    where k.sender_id = p_sender_id;
    if v_calls >= greatest(1, floor(v_sender.concurrency * v_sender.throttle)) then
      wait_reason := 'lines_busy';
      wait_since := v_last_call_at;
      return;
    end if;
  end if;
  if v_sender.throttle < 1 then
    wait_reason := 'rate_limited';
    wait_since := v_sender.throttled_at;
    -- It doubles with every 30 seconds without a refusal (current_throttle).
    wait_until := now() + interval '30 seconds' * ceil(ln(1 / v_sender.throttle) / ln(2.0))
      - make_interval(secs => mod(extract(epoch from now() - v_sender.throttled_at), 30)::float8);
  end if;
end
$$;

revoke execute on function outbound.sender_wait from public;

-- Compares a campaign with a request to add to it, as a campaign of its own would be. Returns the first difference as
-- {field, expected}, a field of the API and its value in the campaign, or null. The names may differ. The field
-- template_shape means that the template itself has changed. At their recipients' own time of day, campaigns are
-- compared by their day, because the first time depends on the recipients. p_timing, p_requested_timing: how the times of
-- their messages differ (bulk_campaigns).
create or replace function outbound.campaign_difference(
  p_campaign outbound.campaigns, p_request outbound.campaigns, p_timing jsonb, p_requested_timing jsonb
)
returns json
language sql stable security invoker set search_path = ''
as $$
  select json_build_object('field', pair.field, 'expected', pair.expected)
  from (values
    (1, 'channel', p_campaign.channel, p_request.channel),
    (2, 'recipient_id', p_campaign.sender_id::text, p_request.sender_id::text),
    (3, 'name_template', p_campaign.template_name, p_request.template_name),
    (4, 'language_template', p_campaign.template_language, p_request.template_language),
    (5, 'agent_id', p_campaign.agent_id::text, p_request.agent_id::text),
    (6, 'notification_type', p_campaign.notification_type, p_request.notification_type),
    (7, 'recipient_time', p_timing ->> 'recipient_time', p_requested_timing ->> 'recipient_time'),
    (8, 'datetime_sending',
      case when p_timing ? 'recipient_time' then p_timing ->> 'day'
        else outbound.iso_time(p_campaign.scheduled_time) end,
      case when p_requested_timing ? 'recipient_time' then p_requested_timing ->> 'day'
        else outbound.iso_time(p_request.scheduled_time) end),
    (9, 'timezone', lower(p_campaign.timezone), lower(p_request.timezone)),
    (10, 'name_event', p_campaign.name_event, p_request.name_event),
    (11, 'spread_over', p_timing ->> 'spread_over', p_requested_timing ->> 'spread_over')
  ) as pair(ord, field, expected, given)
  where pair.expected is distinct from pair.given
  union all
  -- Its messages are made for the template as it was; those of the request, as it is now.
  select json_build_object('field', 'template_shape', 'expected', null)
  where p_campaign.template_id is distinct from p_request.template_id
    or p_campaign.template_shape is distinct from p_request.template_shape
  limit 1
$$;

revoke execute on function outbound.campaign_difference from public;

-- Returns why nothing of a campaign leaves although it is under way, since when, and until when; nulls while something
-- does. The first of:
--   budget_reached, no_dispatcher, platform_unreachable, lines_busy: by its sender (sender_wait)
--   unconfirmed: the platform has not said of the last ones whether it took them
--   the reasons of wait_reason: everything left was put off. Of several, the one that ends first
--   rate_limited, behind_others: the sender's messages ahead of it leave first; wait_until is about when they have left
-- A message of unknown outcome does not hide why all others wait. Reads some thousand notifications at most, and only
-- those that were put off or are unconfirmed: of a larger campaign, a thousand that wait speak for the rest.
create or replace function outbound.campaign_wait(
  p_campaign outbound.campaigns, out wait_reason text, out wait_since timestamptz, out wait_until timestamptz
)
language plpgsql stable security invoker set search_path = ''
-- A page: the first that was put off, by its index in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
declare
  v_sender record;
  v_unconfirmed int;
  v_put_off int;
  v_ahead record;
begin
  select w.* into v_sender from outbound.sender_wait(p_campaign.company_id, p_campaign.sender_id) as w;
  if v_sender.wait_reason in ('no_dispatcher', 'platform_unreachable', 'budget_reached')
    or v_sender.wait_reason = 'lines_busy' and p_campaign.pending > 0
  then
    wait_reason := v_sender.wait_reason;
    wait_since := v_sender.wait_since;
    wait_until := v_sender.wait_until;
    return;
  end if;

  if p_campaign.processing > 0 then
    select count(*) into v_unconfirmed from (
      select from outbound.queue as n
      where n.campaign_id = p_campaign.id and n.status = 'unconfirmed' limit 1000
    ) as waiting;
    if v_unconfirmed < least(p_campaign.processing, 1000) then
      return;
    end if;
  end if;
  if p_campaign.pending = 0 then
    select 'unconfirmed', n.claimed_at, n.lease_until into wait_reason, wait_since, wait_until
    from outbound.queue as n
    where n.campaign_id = p_campaign.id and n.status = 'unconfirmed'
    order by n.campaign_id, n.lease_until limit 1;
    return;
  end if;

  select count(*) into v_put_off from (
    select from outbound.queue as n
    where n.campaign_id = p_campaign.id and n.status = 'queued' and n.error_reason is not null
    limit 1000
  ) as put_off;
  if v_put_off >= least(p_campaign.pending, 1000) then
    select outbound.wait_reason(n.error_code),
      coalesce(n.claimed_at, p_campaign.scheduled_time, p_campaign.created_at), n.run_at
    into wait_reason, wait_since, wait_until
    from outbound.queue as n
    where n.campaign_id = p_campaign.id and n.status = 'queued' and n.error_reason is not null
    order by n.campaign_id, n.run_at limit 1;
    if wait_until > now() then
      return;
    end if;
    wait_reason := null;
    wait_since := null;
    wait_until := null;
  end if;

  select s.rate_per_second, s.channel, head.campaign_id, coalesce(head.pending, 0) as pending into v_ahead
  from outbound.senders as s
  join outbound.sender_schedule as t on t.company_id = s.company_id and t.sender_id = s.id
  left join lateral (
    select g.id as campaign_id, g.pending
    from (values (0::smallint), (1::smallint), (2::smallint)) as level(priority)
    cross join lateral (
      select n.campaign_id from outbound.queue as n
      where n.sender_id = t.sender_id and n.priority = level.priority and n.status = 'queued'
        and n.run_at <= now()
        and (n.run_at, n.id) >= (t.queue_cursor[level.priority + 1], t.queue_cursor_id[level.priority + 1])
      order by n.sender_id, n.priority, n.run_at, n.id limit 1
    ) as first
    cross join lateral (
      select c.id, c.pending from outbound.campaigns as c
      where c.company_id = t.company_id and c.id = first.campaign_id limit 1
    ) as g
    order by level.priority limit 1
  ) as head on true
  where s.company_id = p_campaign.company_id and s.id = p_campaign.sender_id;
  if v_ahead.campaign_id <> p_campaign.id then
    wait_reason := 'behind_others';
    wait_since := coalesce(p_campaign.scheduled_time, p_campaign.created_at);
    if v_ahead.channel = 'whatsapp' then
      wait_until := now() + make_interval(secs => v_ahead.pending::float8 / v_ahead.rate_per_second);
    end if;
  elsif v_sender.wait_reason = 'rate_limited' then
    wait_reason := v_sender.wait_reason;
    wait_since := v_sender.wait_since;
    wait_until := v_sender.wait_until;
  end if;
end
$$;

revoke execute on function outbound.campaign_wait from public;

-- Cancels what has not left yet, and keeps what is being sent from being retried. Handles at most p_limit
-- notifications per step, after the one whose id is p_after, so that no step keeps the sender's other campaigns
-- waiting: where last_id is not null, call again with it as p_after, in a transaction of its own. From the first step
-- on nothing more leaves, and no request adds to it. Returns how many this step cancelled and, with the last one, how
-- many a dispatcher still has. The first step writes the audit of p_actor, if it changes anything. What it cancels
-- before its time goes back to the quota (refund_quota).
create or replace function outbound.cancel_campaign(
  p_company_id uuid, p_campaign_id uuid, p_after uuid default null, p_limit int default 5000,
  p_actor text default null, p_request_id text default null
)
returns table (cancelled int, in_flight int, last_id uuid)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_ids uuid[];
  v_is_new boolean;
  v_refunds boolean;
  v_late int;
begin
  v_refunds := outbound.lock_quota(p_company_id, p_campaign_id);
  select array_agg(locked.id order by locked.id) into v_ids
  from (
    select q.id from outbound.queue as q
    where q.company_id = p_company_id and q.campaign_id = p_campaign_id and (p_after is null or q.id > p_after)
      and case when q.status = 'queued' then true end
    order by q.id limit p_limit for update
  ) as locked;
  last_id := case when cardinality(v_ids) = p_limit then v_ids[p_limit] end;
  if v_refunds then
    perform outbound.refund_quota(p_company_id, p_campaign_id, v_ids);
  end if;
  cancelled := outbound.cancel_queued(array_fill(p_company_id, array[coalesce(cardinality(v_ids), 0)]), v_ids);
  select g.cancelled_at is null into v_is_new
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id for no key update;
  update outbound.campaigns as g
  set cancelled_at = coalesce(g.cancelled_at, now()), stopping_at = case when last_id is not null then now() end,
    open_until = null,
    completed_at = case when g.pending + g.processing = 0 then coalesce(g.completed_at, now()) end
  where g.company_id = p_company_id and g.id = p_campaign_id;
  if p_actor is not null and p_after is null and (v_is_new or cancelled > 0) then
    perform outbound.write_audit(
      p_company_id, p_actor, 'campaign.cancelled', p_campaign_id::text, null, null, p_request_id);
  end if;
  if cancelled > 0 then
    perform outbound.move_campaign_counters(jsonb_build_array(jsonb_build_object(
      'company_id', p_company_id, 'campaign_id', p_campaign_id, 'pending', -cancelled, 'cancelled', cancelled)));
  end if;
  if last_id is not null then
    return next;
    return;
  end if;

  -- Notifications that went back to the queue, or were added, before the campaign's row was locked above. Later ones
  -- need that row, which we have locked, and will see that it is cancelled. A row that is locked elsewhere is most
  -- likely being claimed by a transaction that waits for that row; if it is not, the dispatchers cancel it in a while
  -- (stopping_at), and claims pass it by until then.
  v_ids := array(
    select q.id from outbound.queue as q
    where q.company_id = p_company_id and q.campaign_id = p_campaign_id and case when q.status = 'queued' then true end
    for update skip locked
  );
  if v_refunds then
    perform outbound.refund_quota(p_company_id, p_campaign_id, v_ids);
  end if;
  v_late := outbound.cancel_queued(array_fill(p_company_id, array[cardinality(v_ids)]), v_ids);
  if v_late > 0 then
    perform outbound.move_campaign_counters(jsonb_build_array(jsonb_build_object(
      'company_id', p_company_id, 'campaign_id', p_campaign_id, 'pending', -v_late, 'cancelled', v_late)));
    cancelled := cancelled + v_late;
  end if;
  update outbound.campaigns as g set stopping_at = now()
  where g.company_id = p_company_id and g.id = p_campaign_id and g.pending > 0;
  select g.processing + g.pending into in_flight from outbound.campaigns as g
  where g.company_id = p_company_id and g.id = p_campaign_id;
  perform outbound.schedule_senders(array[g.company_id], array[g.sender_id], false)
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
  return next;
end
$$;

revoke execute on function outbound.cancel_campaign from public;

-- Completes an upload whose file or audience was read to its end by the request p_run, and closes its campaign: nothing
-- more is added. Returns whether it did; it does not once another request goes on with it.
create or replace function outbound.complete_upload(p_company_id uuid, p_upload_id uuid, p_run int)
returns boolean
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_campaign_id uuid;
begin
  update outbound.campaign_uploads as u
  set completed_at = now(), changed_at = now(), in_doubt_since = null, stopped = null
  where u.company_id = p_company_id and u.id = p_upload_id and u.run = p_run and u.completed_at is null
  returning u.campaign_id into v_campaign_id;
  if not found then
    return false;
  end if;
  update outbound.upload_audiences as a set next_at = null
  where a.company_id = p_company_id and a.upload_id = p_upload_id;
  delete from outbound.upload_members as m where m.company_id = p_company_id and m.upload_id = p_upload_id;
  update outbound.campaigns as g
  set open_until = null, completed_at = case when g.pending + g.processing = 0 then now() end
  where g.company_id = p_company_id and g.id = v_campaign_id and g.open_until is not null;
  return true;
end
$$;

revoke execute on function outbound.complete_upload from public;

-- Returns a company's campaigns, newest first: a page of p_limit after the campaign p_after, or the first one; of one
-- channel, or of both; with p_is_over only those that are over. Reads an index in its order, as list_calls does.
create or replace function outbound.list_campaigns(
  p_company_id uuid, p_channel text, p_is_over boolean, p_after uuid, p_limit int
)
returns setof outbound.campaigns
language plpgsql stable security invoker set search_path = ''
-- A page: by the index of the channel, or of all, in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
declare
  v_after constant uuid := coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
begin
  if p_channel is null then
    return query
    select g.* from outbound.campaigns as g
    where g.company_id = p_company_id and g.id < v_after and (g.completed_at is not null or not p_is_over)
    order by g.id desc limit p_limit;
  else
    -- Compared as rows, which only the index of the channel can do: with statistics of one channel alone, the other
    -- index looks as good for the channel that has no campaign, and all of the company's would be read.
    return query
    select g.* from outbound.campaigns as g
    where (g.channel, g.company_id, g.id) < (p_channel, p_company_id, v_after)
      and (g.channel, g.company_id, g.id) >= (p_channel, p_company_id, '00000000-0000-0000-0000-000000000000'::uuid)
      and (g.completed_at is not null or not p_is_over)
    order by g.channel desc, g.company_id desc, g.id desc limit p_limit;
  end if;
end
$$;

revoke execute on function outbound.list_campaigns from public;

-- Returns a company's drafts, newest first: a page of p_limit after the draft p_after, or the first one; those of
-- p_channel, or all. Reads the index in its order, as list_calls does.
create or replace function outbound.list_drafts(p_company_id uuid, p_after uuid, p_limit int, p_channel text)
returns setof outbound.campaign_drafts
language sql stable security invoker set search_path = ''
-- A page: by the company's index in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
  select d.* from outbound.campaign_drafts as d
  where d.company_id = p_company_id and d.id < coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    and (p_channel is null or d.plan ->> 'channel' = p_channel)
  order by d.id desc limit p_limit
$$;

revoke execute on function outbound.list_drafts from public;

-- Whether a campaign may still be given another time, or taken back: scheduled; started (it began, ended or is about
-- to, or never had a time); open (more requests are expected, or a resend is making it).
create or replace function outbound.schedule_state(p_campaign outbound.campaigns)
returns text
language sql stable security invoker set search_path = ''
return case
  when p_campaign.started_at is not null or p_campaign.cancelled_at is not null or p_campaign.completed_at is not null
    or p_campaign.scheduled_time is null
    or p_campaign.scheduled_time <= now() and p_campaign.paused_at is null then 'started'
  when p_campaign.open_until is not null or exists (
    select from outbound.resends as r
    where r.company_id = p_campaign.company_id and r.campaign_id = p_campaign.id
  ) then 'open'
  else 'scheduled'
end;

revoke execute on function outbound.schedule_state from public;

-- Begins to give a campaign that has not started another time, with the zone in which it is meant; move_notifications
-- moves what waits. Where recipients have their own time of day, p_to only says the day, and each keeps its hour. From
-- here on nothing leaves until the move is over. Writes the audit of p_actor.
-- outcome: begun; unchanged (it has this time already); moving (another move is not over: finish it first); open (more
-- requests are expected, or a resend is making it); started (schedule_state). status: its status (campaign_status).
create or replace function outbound.move_campaign(
  p_company_id uuid, p_campaign_id uuid, p_to timestamptz, p_timezone text, p_actor text, p_request_id text,
  out outcome text, out status text
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v outbound.campaigns;
  v_timing jsonb;
  v_day date := (p_to at time zone coalesce(p_timezone, 'UTC'))::date;
  v_shift interval;
  v_first timestamptz;
  v_last uuid;
begin
  select g.* into v from outbound.campaigns as g
  where g.company_id = p_company_id and g.id = p_campaign_id for no key update;
  select b.timing into v_timing from outbound.bulk_campaigns as b
  where b.company_id = p_company_id and b.campaign_id = p_campaign_id;
  status := outbound.campaign_status(v);
  outcome := case
    when exists (
      select from outbound.campaign_moves as m where m.company_id = p_company_id and m.campaign_id = p_campaign_id
    ) then 'moving'
    else outbound.schedule_state(v)
  end;
  if outcome <> 'scheduled' then
    return;
  end if;
  -- Whole days: the hour is the recipients' own.
  v_shift := case when v_timing ? 'recipient_time' then make_interval(hours => 24 * (v_day - coalesce(
      (v_timing ->> 'day')::date, (v.scheduled_time at time zone coalesce(v.timezone, 'UTC'))::date)))
    else p_to - v.scheduled_time end;
  if v_shift = interval '0' and p_timezone is not distinct from v.timezone then
    outcome := 'unchanged';
    return;
  end if;
  outcome := 'begun';
  v_first := v.scheduled_time + v_shift;
  if v_timing ? 'recipient_time' then
    v_first := v_first
      + make_interval(hours => 24 * greatest(0, ceil(extract(epoch from now() - v_first) / 86400)::int));
  end if;
  select q.id into v_last from outbound.queue as q
  where q.company_id = p_company_id and q.campaign_id = p_campaign_id order by q.id desc limit 1;
  update outbound.campaigns as g set scheduled_time = v_first, timezone = p_timezone, stopping_at = now()
  where g.company_id = p_company_id and g.id = p_campaign_id;
  update outbound.bulk_campaigns as b set timing = b.timing || jsonb_build_object('day', v_day)
  where b.company_id = p_company_id and b.campaign_id = p_campaign_id and b.timing ? 'recipient_time';
  insert into outbound.campaign_moves (company_id, campaign_id, shift_s, upto_id)
  values (p_company_id, p_campaign_id, extract(epoch from v_shift), v_last);
  perform outbound.audit_change(
    p_company_id, p_actor, 'campaign.moved', p_campaign_id::text,
    jsonb_build_object('scheduled_time', outbound.iso_time(v.scheduled_time), 'timezone', v.timezone),
    jsonb_build_object('scheduled_time', outbound.iso_time(v_first), 'timezone', p_timezone),
    p_request_id);
end
$$;

revoke execute on function outbound.move_campaign from public;

-- Moves the next notifications of a campaign whose move is not over, in the order of their ids. Held ones stay held;

-- what may wait as long as before, it may from its new time on. A recipient's hour that has passed on the new day
-- counts on the next one; a time for all that has come meanwhile is kept. Returns how many it moved, and whether the move is over; then call it no more.
create or replace function outbound.move_notifications(
  p_company_id uuid, p_campaign_id uuid, p_limit int default 5000, out moved int, out is_over boolean
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per message.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_move outbound.campaign_moves;
  v_now outbound.campaign_moves;
  v_ids uuid[];
  v_is_own_hour boolean := exists (
    select from outbound.bulk_campaigns as b
    where b.company_id = p_company_id and b.campaign_id = p_campaign_id and b.timing ? 'recipient_time'
  );
begin
  loop
    begin
      select m.* into v_move
      from outbound.campaign_moves as m where m.company_id = p_company_id and m.campaign_id = p_campaign_id;
      moved := 0;
      is_over := not found;
      if is_over then
        return;
      end if;
      v_ids := array(
        select q.id from outbound.queue as q
        where q.company_id = p_company_id and q.campaign_id = p_campaign_id and q.id > v_move.after_id
          and q.id <= v_move.upto_id and case when q.status = 'queued' then true end
        order by q.id limit p_limit for update
      );
      moved := cardinality(v_ids);
      is_over := moved < p_limit;

      perform from outbound.campaigns as g
      where g.company_id = p_company_id and g.id = p_campaign_id for no key update;
      select m.* into v_now
      from outbound.campaign_moves as m where m.company_id = p_company_id and m.campaign_id = p_campaign_id;
      -- Another process has moved these meanwhile.
      if v_now is distinct from v_move then
        raise exception 'the campaign was moved meanwhile' using errcode = 'OB001';
      end if;
      update outbound.queue as q
      set run_at = case when q.held_run_at is null then own.due_at else q.run_at end,
        held_run_at = case when q.held_run_at is not null then own.due_at end,
        expires_at = q.expires_at + (own.due_at - coalesce(q.held_run_at, q.run_at)), is_scheduled = true
      from (
        select w.id, case when v_is_own_hour
          then w.at + make_interval(hours => 24 * greatest(0, ceil(extract(epoch from now() - w.at) / 86400)::int))
          else w.at end as due_at
        from (
          select o.id, coalesce(o.held_run_at, o.run_at) + make_interval(secs => v_move.shift_s) as at
          from unnest(v_ids) as given(id)
          join outbound.queue as o on o.company_id = p_company_id and o.id = given.id
        ) as w
      ) as own
      where q.company_id = p_company_id and q.id = own.id;
      update outbound.campaigns as g
      -- A cancellation or a pause that is under way as well clears this when it ends.
      set stopping_at = case
          when not is_over then now() when num_nonnulls(g.cancelled_at, g.paused_at) > 0 then g.stopping_at
        end
      where g.company_id = p_company_id and g.id = p_campaign_id;
      if is_over then
        delete from outbound.campaign_moves as m where m.company_id = p_company_id and m.campaign_id = p_campaign_id;
      else
        update outbound.campaign_moves as m set after_id = v_ids[moved]
        where m.company_id = p_company_id and m.campaign_id = p_campaign_id;
      end if;
      perform outbound.schedule_senders(array[g.company_id], array[g.sender_id], true)
      from outbound.campaigns as g where is_over and g.company_id = p_company_id and g.id = p_campaign_id;
      return;
    exception when sqlstate 'OB001' then
      null;
    end;
  end loop;
end
$$;

revoke execute on function outbound.move_notifications from public;

-- Holds what has not left, in steps as cancel_campaign does: at most p_limit notifications per step, after p_after.
-- From the first step on nothing more leaves until the campaign is resumed. A campaign that is over stays so; the
-- second step leaves a campaign alone that was resumed after the first. Returns how many this step held and, with the
-- last one, how many may still leave because a dispatcher has them. The first step writes the audit of p_actor, if it
-- changes anything.
--
-- A held notification keeps its status, so counters do not move. Its time is kept in held_run_at and run_at becomes
-- infinity, where the index ranges of claims and ticks never get. Its expiry stays: what is paused for too long fails
-- as `expired`. A campaign can be held for two independent reasons: an operator's pause (paused_at) and a template
-- that is not approved (held_reason). Notifications are released when the last reason is gone.
create or replace function outbound.pause_campaign(
  p_company_id uuid, p_campaign_id uuid, p_after uuid default null, p_limit int default 5000,
  p_actor text default null, p_request_id text default null
)
returns table (paused int, in_flight int, last_id uuid)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_ids uuid[];
  v_resumed boolean;
  v_is_new boolean;
  v_left int;
begin
  select array_agg(locked.id order by locked.id) into v_ids
  from (
    select q.id from outbound.queue as q
    where q.company_id = p_company_id and q.campaign_id = p_campaign_id and (p_after is null or q.id > p_after)
      and case when q.status = 'queued' and q.held_run_at is null then true end
    order by q.id limit p_limit for update
  ) as locked;
  paused := coalesce(cardinality(v_ids), 0);
  last_id := case when paused = p_limit then v_ids[p_limit] end;

  select p_after is not null and g.paused_at is null, g.paused_at is null and g.completed_at is null
  into v_resumed, v_is_new
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id for no key update;
  if v_resumed then
    paused := 0;
    last_id := null;
  else
    update outbound.queue as q set held_run_at = q.run_at, run_at = 'infinity'
    where q.company_id = p_company_id and q.id = any (v_ids);
  end if;
  update outbound.campaigns as g
  set paused_at = case when not v_resumed and g.completed_at is null
      then coalesce(g.paused_at, now()) else g.paused_at end,
    -- A cancellation or a move that is under way as well clears this when it ends.
    stopping_at = case
      when last_id is not null then now()
      when g.cancelled_at is not null or exists (
        select from outbound.campaign_moves as m where m.company_id = g.company_id and m.campaign_id = g.id
      ) then g.stopping_at
    end
  where g.company_id = p_company_id and g.id = p_campaign_id;
  if p_actor is not null and p_after is null and (v_is_new or paused > 0) then
    perform outbound.write_audit(p_company_id, p_actor, 'campaign.paused', p_campaign_id::text, null, null, p_request_id);
  end if;
  if last_id is not null then
    return next;
    return;
  end if;

  -- Notifications that came back to the queue, or were added, between the two statements above. Now that the campaign's
  -- row is locked, no more do. One that is locked elsewhere is most likely being claimed by a transaction that waits for
  -- that row: waiting for it would be a deadlock, so it counts as gone. If it stays after all, the dispatchers hold it
  -- in a while (stopping_at), and claims pass it by until then.
  if not v_resumed then
    paused := paused + outbound.hold_late_arrivals(p_company_id, array[p_campaign_id]);
  end if;

  select count(*)::int into v_left from outbound.queue as q
  where q.company_id = p_company_id and q.campaign_id = p_campaign_id
    and case when q.status = 'queued' and q.held_run_at is null then true end;
  update outbound.campaigns as g set stopping_at = now()
  where g.company_id = p_company_id and g.id = p_campaign_id and v_left > 0 and not v_resumed;
  select g.processing + v_left into in_flight
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
  perform outbound.schedule_senders(array[g.company_id], array[g.sender_id], false)
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
  return next;
end
$$;

revoke execute on function outbound.pause_campaign from public;

-- Locks the use of a campaign's key on the days on which its notifications were accepted, for refund_quota. A caller
-- that locks notifications calls it first: use comes with the key in the lock order. Returns whether any of the
-- campaign was accepted for a later time.
create or replace function outbound.lock_quota(p_company_id uuid, p_campaign_id uuid)
returns boolean
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v record;
begin
  select g.api_key_id, (g.created_at at time zone 'UTC')::date as first_day,
    (last.created_at at time zone 'UTC')::date as last_day
  into v
  from outbound.campaigns as g
  cross join lateral (
    select f.created_at from outbound.notification_facts as f
    where f.campaign_id = g.id order by f.campaign_id desc, f.id desc limit 1
  ) as last
  where g.company_id = p_company_id and g.id = p_campaign_id
    and (g.scheduled_time is not null or exists (
      select from outbound.bulk_campaigns as b
      where b.company_id = g.company_id and b.campaign_id = g.id and b.timing is not null
    ));
  if not found then
    return false;
  end if;
  perform from outbound.usage as u
  where u.company_id = p_company_id and u.api_key_id = v.api_key_id and u.day between v.first_day and v.last_day
  order by u.day for no key update;
  return true;
end
$$;

revoke execute on function outbound.lock_quota from public;

-- Gives notifications of a campaign that are about to be cancelled back to the quota of its key: those that were
-- accepted for a later time and were never claimed, to the day on which they were accepted. The caller has locked
-- them, and has called lock_quota; a day that it did not lock, because more was added meanwhile, gets nothing back if
-- it is in use.
create or replace function outbound.refund_quota(p_company_id uuid, p_campaign_id uuid, p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per message.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  with unused as (
    select (f.created_at at time zone 'UTC')::date as day, count(*)::int as notifications
    from unnest(p_ids) as given(id)
    join outbound.queue as q on q.company_id = p_company_id and q.id = given.id
    join outbound.notification_facts as f on f.company_id = q.company_id and f.id = q.id
    where q.is_scheduled and q.fence = 0 group by 1
  ),
  locked as (
    select u.company_id, u.api_key_id, u.day, unused.notifications
    from unused
    cross join lateral (
      select g.api_key_id from outbound.campaigns as g
      where g.company_id = p_company_id and g.id = p_campaign_id limit 1
    ) as g
    join outbound.usage as u on u.company_id = p_company_id and u.api_key_id = g.api_key_id and u.day = unused.day
    for no key update of u skip locked
  )
  update outbound.usage as u set notifications = greatest(0, u.notifications - locked.notifications)
  from locked
  where u.company_id = locked.company_id and u.api_key_id = locked.api_key_id and u.day = locked.day;
end
$$;

revoke execute on function outbound.refund_quota from public;

-- Ends a pause and releases what is held, unless its template holds it as well. Overdue ones may leave at once.
-- Returns how many were released, and how many a dispatcher has. Writes the audit of p_actor, if anything changes.
create or replace function outbound.resume_campaign(
  p_company_id uuid, p_campaign_id uuid, p_actor text default null, p_request_id text default null
)
returns table (resumed int, in_flight int)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_free boolean;
  v_stopped boolean;
  v_paused boolean;
begin
  loop
    begin
      select g.held_reason is null into v_free
      from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
      resumed := 0;
      if v_free then
        resumed := outbound.release_held(p_company_id, array[p_campaign_id]);
      end if;

      select g.processing, g.held_reason is not null, g.paused_at is not null into in_flight, v_stopped, v_paused
      from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id for no key update;
      -- Its template was stopped between the two statements above.
      if v_free and v_stopped then
        raise exception 'its template was stopped meanwhile' using errcode = 'OB001';
      end if;
      update outbound.campaigns as g
      set paused_at = null,
        stopping_at = case when g.cancelled_at is not null or exists (
          select from outbound.campaign_moves as m where m.company_id = g.company_id and m.campaign_id = g.id
        ) then g.stopping_at end
      where g.company_id = p_company_id and g.id = p_campaign_id and g.paused_at is not null;

      if not v_stopped then
        resumed := resumed + outbound.release_late_holds(p_company_id, array[p_campaign_id]);
        perform outbound.schedule_senders(array[g.company_id], array[g.sender_id], true)
        from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
      end if;
      if p_actor is not null and (v_paused or resumed > 0) then
        perform outbound.write_audit(
          p_company_id, p_actor, 'campaign.resumed', p_campaign_id::text, null, null, p_request_id);
      end if;
      return next;
      return;
    exception when sqlstate 'OB001' then
      null;
    end;
  end loop;
end
$$;

revoke execute on function outbound.resume_campaign from public;

-- Stores a campaign p_id of those who failed in the campaign p_of with one of p_codes, with the same content, sender and
-- type. continue_resend makes its notifications. p_name: null for the same name. p_by_operator: no key made the request;

-- the campaign counts for the key p_api_key_id or, if that is gone, for the company's present one, whatever its state
-- and its quota. p_idempotency: {endpoint, key, request_hash} or null. p_trace: the span of the request, as traceparent.
--
-- Returns outcome:
--   accepted, replayed (an earlier request with the same idempotency key), key_reused,
--   nothing (no recipient is left, or all are refused: see result),
--   running (another resend of this campaign is under way),
--   unauthorized (the key is not active any more), quota_exceeded,
--   stale (the template, the agent or the sender cannot be used any more).
-- Only `accepted` stores anything. result: {campaign_id (null unless accepted), total, processed, refused: {code: count},
-- scheduled_time}.
create or replace function outbound.begin_resend(
  p_company_id uuid, p_of uuid, p_id uuid, p_codes text[], p_name text, p_scheduled_time timestamptz, p_timezone text,
  p_api_key_id uuid, p_by_operator boolean, p_idempotency jsonb, p_trace text default null,
  out outcome text, out result json, out quota int, out quota_used int
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_key record;
  v_first record;
  v_total int;
  v_processed int;
  v_refused jsonb;
begin
  -- First: who comes second waits here for the first one's transaction, and then counts what that one has left.
  insert into outbound.resends as r (company_id, campaign_id, resend_of, codes)
  values (p_company_id, p_id, p_of, p_codes) on conflict (company_id, resend_of) do nothing;
  outcome := case when found then 'accepted' else 'running' end;

  select i.request_hash, i.answer into v_first from outbound.idempotency_keys as i
  where i.company_id = p_company_id and i.endpoint = p_idempotency ->> 'endpoint' and i.key = p_idempotency ->> 'key'
    and i.created_at > now() - interval '24 hours';
  if found then
    outcome := case when v_first.request_hash = p_idempotency ->> 'request_hash' then 'replayed' else 'key_reused' end;
    result := case outcome when 'replayed' then v_first.answer end;
  end if;

  if outcome = 'accepted' then
    select coalesce(sum(c.candidates), 0), coalesce(sum(c.candidates) filter (where c.refusal is null), 0),
      coalesce(jsonb_object_agg(c.refusal, c.candidates) filter (where c.refusal is not null), '{}')
    into v_total, v_processed, v_refused
    from (
      select f.refusal, count(*)::int as candidates
      from outbound.resend_candidates(p_company_id, p_of, p_codes, '00000000-0000-0000-0000-000000000000', null) as f
      group by f.refusal
    ) as c;
    if v_processed = 0 then
      outcome := 'nothing';
    end if;
    result := json_build_object('campaign_id', case outcome when 'accepted' then p_id end, 'total', v_total,
      'processed', v_processed, 'refused', v_refused, 'scheduled_time', outbound.iso_time(p_scheduled_time));
  end if;

  if outcome = 'accepted' then
    select k.id, k.daily_quota into v_key from outbound.api_keys as k
    where k.company_id = p_company_id
      and case when p_by_operator then k.id = p_api_key_id or k.is_current else k.id = p_api_key_id and k.is_active end
    order by k.id = p_api_key_id desc limit 1 for no key update;
    if not found then
      outcome := 'unauthorized';
    elsif not exists (
      select from outbound.campaigns as g
      join outbound.senders as s on s.company_id = g.company_id and s.id = g.sender_id and not s.locked
      left join outbound.templates as t on t.company_id = g.company_id and t.id = g.template_id
      left join outbound.voice_agents as a on a.company_id = g.company_id and a.id = g.agent_id
      where g.company_id = p_company_id and g.id = p_of
        and (g.template_id is null or t.status = 'approved' and t.shape = g.template_shape)
        and (g.agent_id is null or a.status = 'active')
    ) then
      outcome := 'stale';
    else
      quota := v_key.daily_quota;
      quota_used := (outbound.open_usage(p_company_id, v_key.id)).notifications;
      if not p_by_operator and quota_used + v_processed > quota then
        outcome := 'quota_exceeded';
      end if;
    end if;
  end if;

  if outcome <> 'accepted' then
    delete from outbound.resends as r where r.company_id = p_company_id and r.campaign_id = p_id;
    return;
  end if;
  insert into outbound.campaigns (
    company_id, id, api_key_id, channel, name, notification_type, sender_id, template_id, template_name,
    template_language, template_shape, agent_id, name_event, scheduled_time, timezone, trace, total, pending, rejected
  )
  select g.company_id, p_id, v_key.id, g.channel, coalesce(p_name, g.name), g.notification_type, g.sender_id,
    g.template_id, g.template_name, g.template_language, g.template_shape, g.agent_id, g.name_event, p_scheduled_time,
    coalesce(p_timezone, g.timezone), coalesce(p_trace, g.trace), v_processed, v_processed, v_total - v_processed
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_of;
  if v_processed > 1 then
    insert into outbound.bulk_campaigns (company_id, campaign_id) values (p_company_id, p_id);
  end if;
  update outbound.usage as u set notifications = u.notifications + v_processed
  where u.company_id = p_company_id and u.api_key_id = v_key.id and u.day = (now() at time zone 'UTC')::date;
  update outbound.resends as r set remaining = v_processed
  where r.company_id = p_company_id and r.campaign_id = p_id;
  perform outbound.store_idempotent_response(p_company_id, p_idempotency, result);
end
$$;

revoke execute on function outbound.begin_resend from public;

-- Makes the next notifications of a campaign that begin_resend has stored, at most one for each of p_ids, in one
-- transaction that locks nothing for long. Each has the message of the one that failed, which it replaces
-- (resent_as): that is never resent again. Returns whether all are made; otherwise call again.
--
-- The last step takes those off the campaign's counters that could not be made: erased or delivered since they were
-- counted, or cancelled before they were made.
create or replace function outbound.continue_resend(p_company_id uuid, p_campaign_id uuid, p_ids uuid[], p_ttl_s int)
returns boolean
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_job outbound.resends;
  v_campaign outbound.campaigns;
  v_last uuid;
  v_seen int;
  v_from uuid[];
  v_made int := 0;
  v_priority smallint;
  v_due timestamptz;
  v_is_over boolean;
begin
  select * into v_job from outbound.resends as r
  where r.company_id = p_company_id and r.campaign_id = p_campaign_id for update;
  if not found then
    return true;
  end if;

  select count(*), (array_agg(f.id order by f.id desc))[1],
    (array_agg(f.id order by f.id) filter (where f.refusal is null))[1:v_job.remaining]
  into v_seen, v_last, v_from
  from outbound.resend_candidates(
    p_company_id, v_job.resend_of, v_job.codes, v_job.after_id, cardinality(p_ids)) as f;
  v_from := array(
    select n.id from outbound.notification_facts as n
    where n.company_id = p_company_id and n.id = any (v_from) and n.status in ('failed', 'skipped')
      and n.resent_as is null and num_nonnulls(n.number, n.user_id) > 0
    order by n.id for no key update
  );
  select * into v_campaign from outbound.campaigns as g
  where g.company_id = p_company_id and g.id = p_campaign_id for no key update;

  -- As accept_notifications gives it: the platform may have changed the template's category since.
  v_priority := case
    when coalesce((
      select t.category = 'MARKETING' from outbound.templates as t
      where t.company_id = p_company_id and t.id = v_campaign.template_id limit 1
    ), v_campaign.notification_type = 'marketing') then 2
    when v_campaign.notification_type = 'transactional' then 0
    else 1
  end;
  v_due := coalesce(v_campaign.scheduled_time, now());
  if v_campaign.cancelled_at is null then
    with made as (
      insert into outbound.notification_facts (
        company_id, id, campaign_id, sender_id, voice, number, user_id, message, metadata, area
      )
      select n.company_id, p_ids[old.ord], v_campaign.id, n.sender_id, n.voice, n.number, n.user_id, n.message,
        n.metadata, coalesce(n.area, outbound.area_of(n.number), left(n.user_id, 2), '')
      from unnest(v_from) with ordinality as old(id, ord)
      join outbound.notification_facts as n on n.company_id = p_company_id and n.id = old.id
      returning company_id, id, campaign_id, sender_id, voice, area
    ),
    counted as (
      insert into outbound.history_changes (company_id, at, area, metric, campaign_ids)
      select m.company_id, now(), m.area, 'accepted', array_agg(m.campaign_id) from made as m group by 1, 3
    ),
    queued as (
      insert into outbound.queue (
        company_id, id, campaign_id, sender_id, voice, priority, is_scheduled, run_at, held_run_at, expires_at
      )
      select made.company_id, made.id, made.campaign_id, made.sender_id, made.voice, v_priority, v_due > now(),
        case when hold.is_held then 'infinity' else v_due end, case when hold.is_held then v_due end,
        v_due + make_interval(secs => p_ttl_s)
      from made
      cross join (select num_nonnulls(v_campaign.paused_at, v_campaign.held_reason) > 0 as is_held) as hold
    )
    update outbound.notification_facts as n set resent_as = p_ids[old.ord]
    from unnest(v_from) with ordinality as old(id, ord)
    where n.company_id = p_company_id and n.id = old.id;
    get diagnostics v_made = row_count;
  end if;
  v_job.remaining := v_job.remaining - v_made;
  v_is_over := v_campaign.cancelled_at is not null or v_seen < cardinality(p_ids) or v_job.remaining = 0;

  if v_is_over then
    delete from outbound.resends as r where r.company_id = p_company_id and r.campaign_id = p_campaign_id;
    update outbound.campaigns as g
    set total = g.total - v_job.remaining, pending = g.pending - v_job.remaining,
      completed_at = case when g.pending - v_job.remaining + g.processing = 0 then now() end
    where g.company_id = p_company_id and g.id = p_campaign_id and v_job.remaining > 0;
  else
    update outbound.resends as r set after_id = v_last, remaining = v_job.remaining, stepped_at = now()
    where r.company_id = p_company_id and r.campaign_id = p_campaign_id;
  end if;
  if v_made > 0 then
    perform outbound.advance_senders(array[p_company_id], array[v_campaign.sender_id], array[v_due]);
  end if;
  return v_is_over;
end
$$;

revoke execute on function outbound.continue_resend from public;

-- Stores what people wrote to senders of ours, before the webhook responds, and does what a message means at once:
--   it is a reply to the notification that its context names: replied_at, and replied of the campaign;
--   it shows which user id belongs to which number (link_user_id);
--   it may be an opt-out or an opt-in (apply_word_verdict), and an opt-out is confirmed by one company;
--   who wrote it becomes a contact, where the company learns them (named_people);
--   the company's webhook receives message.received, except of the platform's own notes (system);
--   a file that came with it is fetched and stored by a dispatcher (received_media).
-- Each once per company and message of the platform, also when it was deleted since (seen_messages); a number that
-- several companies hold brings it to each of them.
-- Messages to unknown numbers are counted and not stored.
-- p_messages: [{id, waba_id, phone_number_id, number, user_id, profile_name, username, platform_message_id,
-- context_message_id, at, kind, text, content, holds_file, folded, word_says, button_says, confirmations}, …];
-- holds_file: with a file that can be stored; folded: the text as contact_rules has its words; confirmations:
-- [{language, text}, …].
-- Returns how many were stored.
create or replace function outbound.store_inbound_messages(p_messages json)
returns int
language plpgsql security invoker set search_path = ''
-- Each sender and notification is looked up by an index, however many there are.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_foreign bigint;
  v_message record;
  v_confirmation text;
  v_confirmations jsonb[] := array[]::jsonb[];
  v_stored int := 0;
  v_with_files uuid[] := array[]::uuid[];
begin
  -- First, because it keeps two webhooks of one account from storing the same messages and people at once.
  perform outbound.record_account_events(
    array(select distinct m ->> 'waba_id' from json_array_elements(p_messages) as m order by 1));

  -- Notifications first, then campaigns, then contacts: the order of all functions.
  perform outbound.mark_replied(p_messages);

  -- In the order of all their addresses, so that two transactions hardly ever wait for each other.
  for v_message in
    select m.*, s.company_id, s.sender_id, s.sender_number, least(m.at, now()) as said_at,
      n.id as notification_id, n.campaign_id, n.metadata
    from json_to_recordset(p_messages) as m(
      id uuid, phone_number_id text, number text, user_id text, profile_name text, username text,
      platform_message_id text, context_message_id text, at timestamptz, kind text, text text, content jsonb,
      holds_file boolean, folded text, word_says text, button_says text, confirmations jsonb
    )
    cross join lateral (
      select s.company_id, s.id as sender_id, s.number as sender_number from outbound.senders as s
      where s.channel = 'whatsapp' and s.platform_id = m.phone_number_id
    ) as s
    left join lateral (
      select w.id, w.campaign_id, w.metadata from outbound.notification_facts as w
      where w.platform_message_id = m.context_message_id
        -- Written so that no index on the company matches it: it would read all that the company ever sent.
        and case when w.company_id = s.company_id then true end
      limit 1
    ) as n on true
    order by s.company_id, outbound.addresses_of(s.company_id, m.number, m.user_id), m.at, m.platform_message_id
  loop
    with seen as (
      insert into outbound.seen_messages (company_id, message_hash)
      values (v_message.company_id, sha256(convert_to(v_message.platform_message_id, 'UTF8')))
      on conflict on constraint seen_messages_pkey do nothing
      returning company_id
    )
    insert into outbound.contact_messages (
      company_id, id, sender_id, direction, number, user_id, kind, text, content, platform_message_id,
      context_message_id, campaign_id, notification_id, status, at
    )
    select seen.company_id, v_message.id, v_message.sender_id, 'in', v_message.number, v_message.user_id,
      v_message.kind, v_message.text, v_message.content, v_message.platform_message_id,
      v_message.context_message_id, v_message.campaign_id, v_message.notification_id, 'received', v_message.said_at
    from seen
    -- On any key: the same rows may be stored twice at once.
    on conflict do nothing;
    continue when not found;
    v_stored := v_stored + 1;
    if v_message.holds_file then
      insert into outbound.received_media (company_id, message_id, next_at)
      values (v_message.company_id, v_message.id, now());
      v_with_files := v_with_files || v_message.company_id;
    end if;
    -- The platform's own notes may name a former address.
    continue when v_message.kind = 'system';
    if v_message.user_id is not null then
      perform outbound.link_user_id(
        v_message.company_id, v_message.user_id, v_message.number, v_message.username, v_message.said_at);
    end if;
    if v_message.profile_name is not null then
      insert into outbound.named_people (company_id, number, user_id, person, source)
      select y.id, v_message.number, v_message.user_id, jsonb_build_object('name', left(v_message.profile_name, 200)),
        'platform'
      from outbound.companies as y where y.id = v_message.company_id and y.learn_contacts;
    end if;
    perform outbound.report_inbound_message(row_to_json(v_message));
    v_confirmation := outbound.apply_word_verdict(to_jsonb(v_message));
    if v_confirmation is not null then
      v_confirmations := v_confirmations
        || jsonb_set(to_jsonb(v_message), '{confirmation}', to_jsonb(v_confirmation));
    end if;
  end loop;
  if cardinality(v_with_files) > 0 then
    perform outbound.schedule_received_media(v_with_files, now());
  end if;
  if cardinality(v_confirmations) > 0 then
    perform outbound.confirm_opt_outs(to_jsonb(v_confirmations));
  end if;

  select count(*) into v_foreign from json_to_recordset(p_messages) as m(phone_number_id text)
  where not exists (
    select from outbound.senders as s where s.channel = 'whatsapp' and s.platform_id = m.phone_number_id
  );
  perform outbound.count_foreign_events('unknown_sender', v_foreign);
  return v_stored;
end
$$;

revoke execute on function outbound.store_inbound_messages from public;

-- Adds to campaign_pricing, and to the history what the platform charges for: p_prices is [{company_id, campaign_id, pricing: {country, category, type, billable},
-- messages}, …]. In the order of the campaigns, and of one campaign's rows, so that two at once cannot deadlock.
create or replace function outbound.count_pricing(p_prices jsonb)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.campaign_pricing as c (
    company_id, campaign_id, country, category, type, billable, messages
  )
  select p.company_id, p.campaign_id, f.country, f.category, f.type, f.billable, sum(p.messages)
  from jsonb_to_recordset(p_prices) as p(company_id uuid, campaign_id uuid, pricing jsonb, messages int)
  cross join lateral jsonb_to_record(p.pricing) as f(country text, category text, type text, billable boolean)
  group by 1, 2, 3, 4, 5, 6
  order by 2, 3, 4, 5, 6
  on conflict on constraint campaign_pricing_pkey do update set messages = c.messages + excluded.messages;

  insert into outbound.history_changes (company_id, at, area, metric, reason, campaign_ids, counts)
  select p.company_id, now(), f.country, 'priced', f.category, array_agg(p.campaign_id), array_agg(p.messages)
  from jsonb_to_recordset(p_prices) as p(company_id uuid, campaign_id uuid, pricing jsonb, messages int)
  cross join lateral jsonb_to_record(p.pricing) as f(country text, category text, billable boolean)
  where f.billable group by 1, 3, 5;
end
$$;

revoke execute on function outbound.count_pricing from public;

-- Adds a message of an operator, as post_message does, with who wrote it and a row in the audit.
create or replace function outbound.post_reply(
  p_company_id uuid, p_conversation_id uuid, p_text text, p_client_message_id uuid, p_actor text, p_request_id text
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_posted record;
begin
  select * into v_posted
  from outbound.post_message(p_company_id, p_conversation_id, 'operator', p_text, p_client_message_id);
  if not found then
    return;
  end if;
  if v_posted.outcome = 'posted' then
    update outbound.conversation_messages as m set actor = p_actor
    where m.company_id = p_company_id and m.conversation_id = p_conversation_id
      and m.sequence = (v_posted.message ->> 'sequence')::int;
    perform outbound.write_audit(p_company_id, p_actor, 'conversation.replied', p_conversation_id::text, null,
      jsonb_build_object('message_id', v_posted.message ->> 'id'), p_request_id);
  end if;
  return query select v_posted.outcome, v_posted.message, v_posted.cap, v_posted.quota, v_posted.used;
end
$$;

revoke execute on function outbound.post_reply from public;

-- As addresses_of, and with the numbers and user ids of the person's contact, if there is one: what exports and erases
-- a person means all of them. p_contact_id: the contact, in place of a number and a user id; null: these.
create or replace function outbound.addresses_of_person(p_company_id uuid, p_number text, p_user_id text, p_contact_id uuid)
returns text[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_known constant text[] := case when p_contact_id is null then outbound.addresses_of(p_company_id, p_number, p_user_id)
    else outbound.addresses_of_contact(p_company_id, p_contact_id) end;
begin
  return array(
    select unnest(v_known)
    union
    select every.address from unnest(outbound.contacts_of_addresses(p_company_id, v_known)) as c(id)
    cross join lateral unnest(outbound.addresses_of_contact(p_company_id, c.id)) as every(address)
    order by 1
  );
end
$$;

revoke execute on function outbound.addresses_of_person from public;

-- Deletes what a company knows about a person by the given addresses, and the messages p_messages, which the caller has
-- locked. Returns the counts {user_ids, suppressions, consents, messages}. A step of erase_person.
create or replace function outbound.delete_contact_data(p_company_id uuid, p_addresses text[], p_messages uuid[])
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_user_ids int;
  v_suppressions int;
  v_consents int;
begin
  delete from outbound.user_ids as u
  where u.company_id = p_company_id and (u.user_id = any (p_addresses) or u.number = any (p_addresses));
  get diagnostics v_user_ids = row_count;
  delete from outbound.number_aliases as s where s.company_id = p_company_id and s.number = any (p_addresses);
  delete from outbound.suppressions as s where s.company_id = p_company_id and s.address = any (p_addresses);
  get diagnostics v_suppressions = row_count;
  delete from outbound.consents as c where c.company_id = p_company_id and c.address = any (p_addresses);
  get diagnostics v_consents = row_count;
  delete from outbound.contact_messages as m where m.company_id = p_company_id and m.id = any (p_messages);
  delete from outbound.marketing_cooldowns as r where r.company_id = p_company_id and r.address = any (p_addresses);
  delete from outbound.marketing_sends as s where s.company_id = p_company_id and s.address = any (p_addresses);
  delete from outbound.test_recipients as t where t.company_id = p_company_id and t.number = any (p_addresses);
  return jsonb_build_object('user_ids', v_user_ids, 'suppressions', v_suppressions, 'consents', v_consents,
    'messages', cardinality(p_messages));
end
$$;

revoke execute on function outbound.delete_contact_data from public;

-- As erase_person, for the version before this one: it knows no contacts, so it has read no addresses of one.
create or replace function outbound.erase_contact(
  p_company_id uuid, p_number text, p_user_id text, p_addresses text[], p_hashes text[], p_events text[],
  p_since timestamptz, p_actor text, p_request_id text, out outcome text, out retry_after_s int, out counts jsonb
)
language sql security invoker set search_path = ''
as $$
  select * from outbound.erase_person(
    p_company_id, p_number, p_user_id, null,
    case when p_addresses = outbound.addresses_of(p_company_id, p_number, p_user_id)
      then outbound.addresses_of_person(p_company_id, p_number, p_user_id, null) else p_addresses end,
    p_hashes, p_events, p_since, p_actor, p_request_id
  )
$$;

revoke execute on function outbound.erase_contact from public;

-- Erases what is known about a person, under all the given addresses, and keeps the person suppressed by hashes of
-- them. Of a notification, only what happened and when stays; one that still waits is skipped (erased), one of unknown
-- outcome fails. The platform's message ids go too, because a WhatsApp id contains the recipient's number.
-- p_contact_id: the person's contact, in place of a number and a user id; null: these.
-- p_addresses: what addresses_of_person returned a moment ago; p_hashes: theirs.
-- p_events: the ids of outgoing events that name the person, written before p_since; later ones are searched here.
-- Returns outcome: erased (with counts); changed (the person has other addresses or notifications by now: read them
-- again); on_its_way (a message is being sent, or a call is going on: retry after retry_after_s); unknown (the company
-- has no such contact). Only `erased` changes anything.
create or replace function outbound.erase_person(
  p_company_id uuid, p_number text, p_user_id text, p_contact_id uuid, p_addresses text[], p_hashes text[],
  p_events text[], p_since timestamptz, p_actor text, p_request_id text, out outcome text, out retry_after_s int,
  out counts jsonb
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_ids uuid[];
  v_messages uuid[];
  v_contacts uuid[];
begin
  -- Accepting locks its key first: a notification that is accepted meanwhile is either seen here, or sees the hashes.
  perform from outbound.api_keys as k
  where k.company_id = p_company_id and k.is_active order by k.key_hash for no key update;
  if outbound.addresses_of_person(p_company_id, p_number, p_user_id, p_contact_id) <> p_addresses then
    outcome := 'changed';
    return;
  end if;
  select l.ids, l.retry_after_s into v_ids, retry_after_s
  from outbound.lock_notifications_to(p_company_id, p_addresses) as l;
  if v_ids is null then
    outcome := 'changed';
    return;
  end if;
  -- Out of the lock order, so only those that can be locked at once: one that is locked is being sent, or just was.
  v_messages := array(
    select m.id from outbound.contact_messages as m
    where m.company_id = p_company_id and (m.number = any (p_addresses) or m.user_id = any (p_addresses))
      and m.status <> 'sending'
    order by m.id for update skip locked
  );
  if exists (
    select from outbound.contact_messages as m
    where m.company_id = p_company_id and (m.number = any (p_addresses) or m.user_id = any (p_addresses))
      and m.id <> all (v_messages)
  ) then
    retry_after_s := greatest(retry_after_s, 5);
  end if;
  if retry_after_s is not null then
    outcome := 'on_its_way';
    return;
  end if;

  v_contacts := outbound.contacts_of_addresses(p_company_id, p_addresses) || p_contact_id;
  counts := outbound.erase_notifications(p_company_id, v_ids)
    || jsonb_build_object('events', outbound.delete_events_about(
      p_company_id, p_addresses || outbound.chats_of_contacts(p_company_id, v_contacts)
        || outbound.handoffs_of_person(p_company_id, p_addresses, v_contacts)::text[], p_events, p_since))
    || outbound.delete_contact_data(p_company_id, p_addresses, v_messages)
    || jsonb_build_object('contacts', outbound.delete_people(p_company_id, p_addresses, p_contact_id));
  -- Without an address, there was nothing but the contact.
  if p_addresses = '{}' and counts ->> 'contacts' = '0' then
    outcome := 'unknown';
    return;
  end if;
  outcome := 'erased';
  insert into outbound.erased_contacts (company_id, address_hash)
  select p_company_id, hash from unnest(p_hashes) as hash order by hash
  on conflict on constraint erased_contacts_pkey do update set erased_at = now();
  perform outbound.write_audit(p_company_id, p_actor, 'contact.erased', null, null, counts, p_request_id);
end
$$;

revoke execute on function outbound.erase_person from public;

-- Returns what a company has stored of the people with these numbers and user ids, by the address that was asked for;

-- no row for people it does not know. A number is looked up by all of its aliases.
create or replace function outbound.known_people(p_company_id uuid, p_addresses text[])
returns table (address text, timezone text, language text)
language plpgsql stable security invoker set search_path = ''
-- A batch: one look-up per address.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  return query
  select given.address, person.timezone, person.language
  from unnest(p_addresses) as given(address)
  cross join lateral (select case when given.address like '%.%' then 'user_id' else 'number' end as kind) as form
  cross join lateral unnest(
    case form.kind when 'number' then outbound.aliases_of(p_company_id, given.address) else array[given.address] end
  ) as known(address)
  cross join lateral (
    select a.contact_id from outbound.contact_addresses as a
    where a.company_id = p_company_id and a.kind = form.kind and a.address = known.address limit 1
  ) as owner
  cross join lateral (
    select c.timezone, c.language from outbound.contacts as c
    where c.company_id = p_company_id and c.id = owner.contact_id limit 1
  ) as person;
end
$$;

revoke execute on function outbound.known_people from public;

-- A person is reached under p_to instead of p_from since p_at: a new number, or a new user id. What is known of the
-- person counts under both, and the contact has both, because the old address may come back late in the platform's events. What waited in the
-- queue on WhatsApp at that time goes to the new address; calls do not, because the platform knows nothing of phone
-- lines. What was accepted later stays: the old number may be another person's by then, and the platform repeats its
-- events for days. move_contacts has locked the notifications.
create or replace function outbound.move_contact(p_company_id uuid, p_from text, p_to text, p_at timestamptz)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_aliases constant text[] := outbound.aliases_of(p_company_id, p_from);
begin
  update outbound.notification_facts as n set number = p_to
  where n.company_id = p_company_id and n.number = any (v_aliases) and not n.voice and n.status is null
    and n.created_at < p_at + interval '1 second' and outbound.is_queued(n.company_id, n.id);
  update outbound.notification_facts as n set user_id = p_to
  where n.company_id = p_company_id and n.user_id = p_from and not n.voice and n.status is null
    and n.created_at < p_at + interval '1 second' and outbound.is_queued(n.company_id, n.id);

  if p_to like '%.%' then
    insert into outbound.user_ids as u (company_id, user_id, number, username, linked_at)
    select p_company_id, p_to, o.number, o.username, case when o.number is null then '-infinity' else p_at end
    from (select p_from as user_id) as former
    left join outbound.user_ids as o on o.company_id = p_company_id and o.user_id = former.user_id
    on conflict on constraint user_ids_pkey do update
      set number = coalesce(u.number, excluded.number), username = coalesce(u.username, excluded.username),
        seen_at = now();
  else
    update outbound.user_ids as u set number = p_to, seen_at = now(), linked_at = p_at
    where u.company_id = p_company_id and u.number = p_from and u.linked_at <= p_at;
  end if;
  perform outbound.share_between_addresses(p_company_id, array(
    select distinct known.address
    from (values (p_from), (p_to)) as given(given)
    cross join lateral unnest(outbound.addresses_of(
      p_company_id, case when given.given not like '%.%' then given.given end,
      case when given.given like '%.%' then given.given end
    )) as known(address)
    order by known.address
  ));

  update outbound.contact_messages as m
  set number = case when m.number = p_from then p_to else m.number end,
    user_id = case when m.user_id = p_from then p_to else m.user_id end
  where m.company_id = p_company_id and case when m.status = 'queued' then true end
    and m.created_at < p_at + interval '1 second' and (m.number = p_from or m.user_id = p_from);

  perform outbound.lock_people(p_company_id);
  insert into outbound.contact_addresses (company_id, kind, address, contact_id)
  select p_company_id, case when p_to like '%.%' then 'user_id' else 'number' end, p_to, a.contact_id
  from outbound.contact_addresses as a
  where a.company_id = p_company_id and a.address = p_from
    and a.kind = case when p_from like '%.%' then 'user_id' else 'number' end
  on conflict on constraint contact_addresses_pkey do nothing;
end
$$;

revoke execute on function outbound.move_contact from public;

-- Records that people do not want to be written to, under every known address of each. Writes contact.opted_out for
-- each that was not suppressed in this way already.
-- p_contacts: [{number, user_id, channel, category, source, at, evidence}, …], as in the table; number or user_id, or
-- both.
-- Returns one row per contact: ord (from 1), and whether it was added; false when it was suppressed in this way already.
create or replace function outbound.suppress_contacts(p_company_id uuid, p_contacts jsonb)
returns table (ord int, added boolean)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_contact record;
  v_rows int;
begin
  -- In the order of the addresses, so that two transactions never wait for each other.
  for v_contact in
    select c.*, outbound.addresses_of(p_company_id, c.number, c.user_id) as addresses
    from rows from (
      jsonb_to_recordset(p_contacts) as (
        number text, user_id text, channel text, category text, source text, at timestamptz, evidence jsonb
      )
    ) with ordinality as c(number, user_id, channel, category, source, at, evidence, ord)
    order by addresses, ord
  loop
    insert into outbound.suppressions (company_id, address, channel, category, source, at, evidence)
    select p_company_id, address, v_contact.channel, v_contact.category, v_contact.source, v_contact.at,
      v_contact.evidence
    from unnest(v_contact.addresses) as address
    on conflict (company_id, address, channel, category, source) where lifted_at is null do nothing;
    get diagnostics v_rows = row_count;
    ord := v_contact.ord;
    added := v_rows > 0;
    -- Said again later: only evidence of a time after that lifts it.
    if v_rows < cardinality(v_contact.addresses) then
      insert into outbound.suppressions as s (company_id, address, channel, category, source, at, evidence)
      select p_company_id, address, v_contact.channel, v_contact.category, v_contact.source, v_contact.at,
        v_contact.evidence
      from unnest(v_contact.addresses) as address
      on conflict (company_id, address, channel, category, source) where lifted_at is null do update
        set at = excluded.at, evidence = coalesce(excluded.evidence, s.evidence) where s.at < excluded.at;
    end if;
    if added then
      insert into outbound.history_changes (company_id, at, area, metric, reason, campaign_ids)
      values (p_company_id, v_contact.at, coalesce(outbound.area_of(v_contact.number), left(v_contact.user_id, 2), ''),
        'opted_out', v_contact.channel, '{00000000-0000-0000-0000-000000000000}');
      perform outbound.write_event(p_company_id, 'contact.opted_out', v_contact.at, json_build_object(
        'company_id', p_company_id, 'number', v_contact.number, 'user_id', v_contact.user_id,
        'channel', v_contact.channel, 'category', v_contact.category, 'source', v_contact.source,
        'at', outbound.iso_time(v_contact.at)
      ));
    end if;
    return next;
  end loop;
end
$$;

revoke execute on function outbound.suppress_contacts from public;

-- Returns what a message to each of the contacts p_ids may use, in their order: the fields of the contact, and one number
-- and one user id, the ones that are known longest. is_gone: the contact was erased or merged. is_opted_out: the person
-- does not want such messages, by any address; p_channel: whatsapp or voice.
create or replace function outbound.audience_rows(p_company_id uuid, p_ids uuid[], p_channel text, p_is_marketing boolean)
returns table (
  contact_id uuid, is_gone boolean, is_opted_out boolean, name text, language text, timezone text, country text,
  attributes jsonb, number text, user_id text, email text
)
language plpgsql stable security invoker set search_path = ''
-- A batch: one look-up per key.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  return query
    select given.id, c.id is null, coalesce(known.is_opted_out, false), c.name, c.language, c.timezone, c.country,
      c.attributes, known.number, known.user_id, known.email
    from unnest(p_ids) with ordinality as given(id, position)
    left join lateral (
      select o.* from outbound.contacts as o where o.company_id = p_company_id and o.id = given.id limit 1
    ) as c on true
    left join lateral (
      select min(a.address) filter (where a.kind = 'number' and a.position = 1) as number,
        min(a.address) filter (where a.kind = 'user_id' and a.position = 1) as user_id,
        min(a.address) filter (where a.kind = 'email' and a.position = 1) as email,
        bool_or(a.kind in ('number', 'user_id') and exists (
          select from outbound.suppressions as s
          where s.company_id = p_company_id and s.address = a.address and s.lifted_at is null
            and s.channel in ('any', p_channel) and (s.category = 'all' or p_is_marketing)
        )) as is_opted_out
      from (
        select o.kind, o.address, row_number() over (partition by o.kind order by o.created_at, o.address) as position
        from outbound.contact_addresses as o where o.company_id = p_company_id and o.contact_id = given.id
      ) as a
    ) as known on true
    order by given.position;
end
$$;

revoke execute on function outbound.audience_rows from public;

-- Adds contacts to a list that has members (p_add), or takes them off: those of p_contact_ids, and those who have the
-- addresses p_addresses of the kinds p_kinds. Returns how many members that changed, and how many of the names are no
-- contact's. Records who did it, if it changed anything.
create or replace function outbound.change_list_members(
  p_company_id uuid, p_list_id uuid, p_contact_ids uuid[], p_kinds text[], p_addresses text[], p_add boolean,
  p_actor text, p_request_id text, out changed int, out unknown int
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per key.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_named uuid[];
begin
  select array_agg(distinct found.id), count(*) filter (where found.id is null) into v_named, unknown
  from (
    select g.id, null as kind, null as address from unnest(p_contact_ids) as g(id)
    union all
    select null, g.kind, g.address from unnest(p_kinds, p_addresses) as g(kind, address)
  ) as given
  left join lateral (
    select c.id from outbound.contacts as c where c.company_id = p_company_id and c.id = coalesce(given.id, (
      select a.contact_id from outbound.contact_addresses as a
      where a.company_id = p_company_id and a.kind = given.kind and a.address = given.address
    )) limit 1
  ) as found on true;
  v_named := array_remove(v_named, null);
  if p_add then
    insert into outbound.contact_list_members (company_id, list_id, contact_id)
    select p_company_id, p_list_id, n.id from unnest(v_named) as n(id) order by n.id
    on conflict on constraint contact_list_members_pkey do nothing;
  else
    delete from outbound.contact_list_members as m
    where m.company_id = p_company_id and m.list_id = p_list_id and m.contact_id = any (v_named);
  end if;
  get diagnostics changed = row_count;
  if changed > 0 then
    perform outbound.write_audit(p_company_id, p_actor,
      case when p_add then 'list_members.added' else 'list_members.removed' end, p_list_id::text, null,
      jsonb_build_object('members', changed), p_request_id);
  end if;
end
$$;

revoke execute on function outbound.change_list_members from public;

-- Returns the contacts to whom a campaign has sent or will send, found by any address of the person: the one that the
-- campaign has, its aliases, and the user ids and numbers that are linked to it.
create or replace function outbound.contacts_of_campaign(p_company_id uuid, p_campaign_id uuid)
returns setof uuid
language plpgsql stable security invoker set search_path = ''
-- A batch within a query (runMatching): one look-up per recipient.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set enable_nestloop = on set jit = off
as $$
begin
  return query
    select found.contact_id from outbound.notification_facts as n
    cross join lateral (
      select n.number as number, n.user_id as user_id
      union all
      select u.number, null from outbound.user_ids as u
      where u.company_id = p_company_id and u.user_id = n.user_id and u.number is not null
      union all
      select null, u.user_id from outbound.user_ids as u where u.company_id = p_company_id and u.number = n.number
      union all
      select s.platform_number, null from outbound.number_aliases as s
      where s.company_id = p_company_id and s.number = n.number
      union all
      select s.number, null from outbound.number_aliases as s
      where s.company_id = p_company_id and s.platform_number = n.number
    ) as person
    cross join lateral (values ('number', person.number), ('user_id', person.user_id)) as a(kind, address)
    cross join lateral (
      select o.contact_id from outbound.contact_addresses as o
      where o.company_id = p_company_id and o.kind = a.kind and o.address = a.address limit 1
    ) as found
    where n.campaign_id = p_campaign_id
      -- Not as an equation, by which the index of a company's notifications would look as good.
      and case when n.company_id = p_company_id then true end;
end
$$;

revoke execute on function outbound.contacts_of_campaign from public;

-- Returns the contacts who do not want to be written to on a channel (whatsapp or voice), by any of their addresses.
-- p_category: marketing, or all, for which an opt-out of marketing does not count.
create or replace function outbound.opted_out_contacts(p_company_id uuid, p_channel text, p_category text)
returns setof uuid
language plpgsql stable security invoker set search_path = ''
-- A batch within a query (runMatching): one look-up per suppression.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set enable_nestloop = on set jit = off
as $$
begin
  return query
    select a.contact_id from outbound.suppressions as s
    cross join lateral (
      select o.contact_id from outbound.contact_addresses as o
      where o.company_id = p_company_id and o.address = s.address
        and o.kind = case when s.address like '%.%' then 'user_id' else 'number' end limit 1
    ) as a
    where s.company_id = p_company_id and s.lifted_at is null and s.channel in ('any', p_channel)
      and (p_category <> 'all' or s.category = 'all');
end
$$;

revoke execute on function outbound.opted_out_contacts from public;

-- Whether a text is a day that exists, as YYYY-MM-DD.
create or replace function outbound.is_date(p_text text)
returns boolean
language sql immutable security invoker set search_path = ''
return p_text ~ '^[12]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$' and substr(p_text, 9)::int <= extract(
  day from make_date(substr(p_text, 1, 4)::int, substr(p_text, 6, 2)::int, 1) + interval '1 month - 1 day');

revoke execute on function outbound.is_date from public;

-- Returns the type that a value of an attribute has: number, boolean, date or text; null for what can be none.
create or replace function outbound.attribute_type(p_value jsonb)
returns text
language sql immutable security invoker set search_path = ''
return case jsonb_typeof(p_value)
  when 'number' then 'number' when 'boolean' then 'boolean'
  when 'string' then case when outbound.is_date(p_value #>> '{}') then 'date' else 'text' end
end;

revoke execute on function outbound.attribute_type from public;

-- Returns a value as an attribute of that type holds it: "12" of a number is 12. Null where it does not fit.
create or replace function outbound.attribute_value(p_value jsonb, p_type text)
returns jsonb
language sql immutable security invoker set search_path = ''
return case
  when jsonb_typeof(p_value) not in ('string', 'number', 'boolean') then null
  when p_type = 'text' then to_jsonb(p_value #>> '{}')
  when outbound.attribute_type(p_value) = p_type then p_value
  when p_type = 'number' and p_value #>> '{}' ~ '^-?\d{1,15}(\.\d{1,10})?$' then to_jsonb((p_value #>> '{}')::numeric)
  when p_type = 'boolean' and lower(p_value #>> '{}') in ('true', 'false') then to_jsonb((p_value #>> '{}')::boolean)
end;

revoke execute on function outbound.attribute_value from public;

-- Returns what of p_attributes ({name: value}) a company's contacts can hold, as they hold it: each value as the type of
-- its attribute, those that do not fit left out. The first value of an attribute decides its type. A company has 200
-- attributes at most; MAX_ATTRIBUTES in _shared/people/attributes.ts is the same number.
create or replace function outbound.attribute_values(p_company_id uuid, p_attributes jsonb)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_unknown text[];
begin
  if p_attributes is null or p_attributes = '{}' then
    return '{}'::jsonb;
  end if;
  v_unknown := array(
    select v.key from jsonb_each(p_attributes) as v
    where outbound.attribute_type(v.value) is not null and not exists (
      select from outbound.contact_attributes as a where a.company_id = p_company_id and a.name = v.key
    )
    order by v.key
  );
  if cardinality(v_unknown) > 0 then
    insert into outbound.contact_attributes (company_id, name, type)
    select p_company_id, u.name, outbound.attribute_type(p_attributes -> u.name)
    from unnest(v_unknown) with ordinality as u(name, ord)
    where u.ord <= 200 - (
      select count(*) from outbound.contact_attributes as a where a.company_id = p_company_id
    )
    on conflict on constraint contact_attributes_pkey do nothing;
  end if;
  return coalesce((
    select jsonb_object_agg(fitting.name, fitting.value) from (
      select v.key as name, outbound.attribute_value(v.value, a.type) as value
      from jsonb_each(p_attributes) as v
      cross join lateral (
        select o.type from outbound.contact_attributes as o
        where o.company_id = p_company_id and o.name = v.key limit 1
      ) as a
    ) as fitting
    where fitting.value is not null
  ), '{}'::jsonb);
end
$$;

revoke execute on function outbound.attribute_values from public;

-- Returns the first p_limit entries of a contact's timeline before (p_at, p_id), newest first; null: from the newest on.
-- kind, and what its id names: notification (at: when it was accepted), message, chat (a conversation on the website),
-- opt_out (a suppression), consent, change (a row of the audit). Each kind is read by an index in its order, up to a page
-- of each: what lies behind costs nothing.
create or replace function outbound.contact_timeline(
  p_company_id uuid, p_contact_id uuid, p_at timestamptz, p_id uuid, p_limit int
)
returns table (at timestamptz, id uuid, kind text)
language plpgsql stable security invoker set search_path = ''
-- A page: each kind by its index in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
declare
  v_at constant timestamptz := coalesce(p_at, 'infinity');
  v_id constant uuid := coalesce(p_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  -- The ids of notifications begin with their milliseconds: no later one is before (p_at, p_id).
  v_before constant uuid := case when p_at is null then v_id
    else outbound.first_id_at(date_trunc('milliseconds', p_at) + interval '1 millisecond') end;
  v_addresses constant text[] := outbound.addresses_of_contact(p_company_id, p_contact_id);
begin
  return query
  select entry.at, entry.id, entry.kind from (
    select found.* from unnest(v_addresses) as known(address)
    cross join lateral (
      (
        select outbound.time_of_id(n.id) as at, n.id, 'notification' as kind from outbound.notification_facts as n
        where n.company_id = p_company_id and n.number = known.address and n.id < v_before
          and (outbound.time_of_id(n.id), n.id) < (v_at, v_id)
        order by n.id desc limit p_limit
      )
      union all
      (
        select outbound.time_of_id(n.id), n.id, 'notification' from outbound.notification_facts as n
        where n.company_id = p_company_id and n.user_id = known.address and n.id < v_before
          and (outbound.time_of_id(n.id), n.id) < (v_at, v_id)
        order by n.id desc limit p_limit
      )
      union all
      (
        select m.at, m.id, 'message' from outbound.contact_messages as m
        where m.company_id = p_company_id and m.number = known.address and (m.at, m.id) < (v_at, v_id)
        order by m.at desc fetch first p_limit rows with ties
      )
      union all
      (
        select m.at, m.id, 'message' from outbound.contact_messages as m
        where m.company_id = p_company_id and m.user_id = known.address and (m.at, m.id) < (v_at, v_id)
        order by m.at desc fetch first p_limit rows with ties
      )
      union all
      (
        select s.created_at, s.id, 'opt_out' from outbound.suppressions as s
        where s.company_id = p_company_id and s.address = known.address and (s.created_at, s.id) < (v_at, v_id)
        order by s.created_at desc fetch first p_limit rows with ties
      )
      union all
      (
        select c.consented_at, c.id, 'consent' from outbound.consents as c
        where c.company_id = p_company_id and c.address = known.address and (c.consented_at, c.id) < (v_at, v_id)
        order by c.consented_at desc fetch first p_limit rows with ties
      )
    ) as found
    -- A message to a number and a user id at once is found under both.
    union
    (
      select v.created_at, v.id, 'chat' from outbound.conversations as v
      where v.company_id = p_company_id and v.contact_id = p_contact_id and (v.created_at, v.id) < (v_at, v_id)
      order by v.created_at desc fetch first p_limit rows with ties
    )
    union
    (
      select l.at, l.id, 'change' from outbound.audit_log as l
      where l.company_id = p_company_id and l.subject = p_contact_id::text and (l.at, l.id) < (v_at, v_id)
      order by l.at desc fetch first p_limit rows with ties
    )
  ) as entry
  order by entry.at desc, entry.id desc limit p_limit;
end
$$;

revoke execute on function outbound.contact_timeline from public;

-- Returns the numbers and user ids of a contact, with every alias and linked user id.
create or replace function outbound.addresses_of_contact(p_company_id uuid, p_contact_id uuid)
returns text[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    select distinct every.address from (
      select a.kind, a.address from outbound.contact_addresses as a
      where a.company_id = p_company_id and a.contact_id = p_contact_id and a.kind in ('number', 'user_id')
      offset 0 -- each is looked up by itself, also by a plan that was made for an empty table
    ) as a
    cross join lateral unnest(outbound.addresses_of(
      p_company_id, case when a.kind = 'number' then a.address end, case when a.kind = 'user_id' then a.address end
    )) as every(address)
    order by every.address
  );
end
$$;

revoke execute on function outbound.addresses_of_contact from public;

-- Returns when an id of ours was made, which begins with its milliseconds.
create or replace function outbound.time_of_id(p_id uuid)
returns timestamptz
language sql immutable parallel safe security invoker set search_path = ''
return to_timestamp(('x' || substr(replace(p_id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0);

revoke execute on function outbound.time_of_id from public;

-- Returns the contacts that addresses belong to, each once: first those of the addresses themselves, in their order,
-- then those of aliases of the numbers and of linked user ids. p_addresses: [{kind, address}, …].
create or replace function outbound.contacts_of(p_company_id uuid, p_addresses jsonb)
returns uuid[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    select found.contact_id from (
      select a.contact_id, min(known.rank) as rank
      from (
        select g.value ->> 'kind' as kind, g.value ->> 'address' as address, g.ord as rank
        from jsonb_array_elements(p_addresses) with ordinality as g(value, ord)
        union all
        select case when other.address like '%.%' then 'user_id' else 'number' end, other.address, g.ord + 1000000
        from jsonb_array_elements(p_addresses) with ordinality as g(value, ord)
        cross join lateral unnest(outbound.addresses_of(
          p_company_id, case when g.value ->> 'kind' = 'number' then g.value ->> 'address' end,
          case when g.value ->> 'kind' = 'user_id' then g.value ->> 'address' end
        )) as other(address)
        where g.value ->> 'kind' in ('number', 'user_id')
      ) as known
      cross join lateral (
        select o.contact_id from outbound.contact_addresses as o
        where o.company_id = p_company_id and o.kind = known.kind and o.address = known.address limit 1
      ) as a
      group by a.contact_id
    ) as found
    order by found.rank, found.contact_id
  );
end
$$;

revoke execute on function outbound.contacts_of from public;

-- Deletes the contacts of a person, with all their addresses, their places in lists and their chats on the website, what
-- they left for handoffs, and what requests have named that is no contact yet: those of p_addresses, and p_contact_id.
-- Returns how many contacts. A step of erase_person.
create or replace function outbound.delete_people(p_company_id uuid, p_addresses text[], p_contact_id uuid)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_ids uuid[];
  v_contacts int;
begin
  -- First, as the dispatcher does, which then makes contacts of them.
  delete from outbound.named_people as n
  where n.company_id = p_company_id and (n.number = any (p_addresses) or n.user_id = any (p_addresses));
  perform outbound.lock_people(p_company_id);
  v_ids := outbound.contacts_of_addresses(p_company_id, p_addresses) || p_contact_id;
  update outbound.handoffs as h set contact = null, reason = null
  where h.company_id = p_company_id and h.id = any (outbound.handoffs_of_person(p_company_id, p_addresses, v_ids));
  delete from outbound.conversations as v
  using unnest(v_ids) as c(id)
  where v.company_id = p_company_id and v.contact_id = c.id;
  delete from outbound.contacts as c where c.company_id = p_company_id and c.id = any (v_ids);
  get diagnostics v_contacts = row_count;
  return v_contacts;
end
$$;

revoke execute on function outbound.delete_people from public;

-- Returns the contacts that numbers and user ids belong to.
create or replace function outbound.contacts_of_addresses(p_company_id uuid, p_addresses text[])
returns uuid[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    select distinct a.contact_id from unnest(p_addresses) as known(address)
    cross join lateral (
      select o.contact_id from outbound.contact_addresses as o
      where o.company_id = p_company_id and o.address = known.address
        and o.kind = case when known.address like '%.%' then 'user_id' else 'number' end limit 1
    ) as a
    order by a.contact_id
  );
end
$$;

revoke execute on function outbound.contacts_of_addresses from public;

-- Returns the ids of contacts' chats on the website, by which events name them.
create or replace function outbound.chats_of_contacts(p_company_id uuid, p_contacts uuid[])
returns text[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    select v.id::text from unnest(p_contacts) as c(id)
    cross join lateral (
      select o.id from outbound.conversations as o
      where o.company_id = p_company_id and o.contact_id = c.id
      offset 0 -- one look-up per contact, also by a plan that was made for an empty table
    ) as v
  );
end
$$;

revoke execute on function outbound.chats_of_contacts from public;

-- Returns the handoffs for which a visitor of a voice widget left one of the numbers, in any spelling with its country
-- code, or an e-mail address of the contacts.
create or replace function outbound.handoffs_of_person(p_company_id uuid, p_addresses text[], p_contacts uuid[])
returns uuid[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    select h.id from unnest(p_addresses) as known(address)
    cross join lateral (
      select o.id from outbound.handoffs as o
      where o.company_id = p_company_id and o.contact is not null
        and ltrim(regexp_replace(o.contact ->> 'number', '[^0-9]', '', 'g'), '0') = known.address
      offset 0 -- one look-up per address, also by a plan that was made for an empty table
    ) as h
    union
    select h.id from unnest(p_contacts) as c(id)
    cross join lateral (
      select a.address from outbound.contact_addresses as a
      where a.company_id = p_company_id and a.contact_id = c.id and a.kind = 'email' offset 0
    ) as known
    cross join lateral (
      select o.id from outbound.handoffs as o
      where o.company_id = p_company_id and o.contact is not null and lower(o.contact ->> 'email') = known.address offset 0
    ) as h
  );
end
$$;

revoke execute on function outbound.handoffs_of_person from public;

-- Returns a UUIDv7 (RFC 9562): later ones are greater, to the millisecond. Rows that are made together lie together in the
-- table and in its indexes, and are read in that order without a sort. One more contact beside 200,000 writes 0.7 kB of WAL
-- after a checkpoint, and 2.5 kB with an id by chance, because that is on a page of its own.
create or replace function outbound.uuidv7()
returns uuid
language sql volatile security invoker set search_path = ''
return encode(
  -- The version is 4 before: 0100 becomes 0111.
  set_bit(set_bit(
    overlay(uuid_send(gen_random_uuid())
      placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
    52, 1), 53, 1),
  'hex')::uuid;
revoke execute on function outbound.uuidv7 from public;

-- Records people whom a company has come to know, and returns the contact of each, in their order (ord, from 1).
-- A person is found by any of their addresses, aliases of the numbers and linked user ids included, else made. Fills what
-- the contact lacks (of tags and addresses: adds), or what is given wins (overwrite); last_seen_at becomes now.
-- Two people may share an e-mail address: it finds no contact that has another number or user id (person_among).
-- Where the addresses belong to several contacts, they stay apart, and the first is the person: to merge is a person's
-- decision. Only what a website has signed (visitor) makes one contact of them (contacts_of_visitor).
-- p_people: [{addresses: [{kind, address}, …], name, language, timezone, country, attributes: {name: value}, tags,
-- overwrite, hashes}, …]; hashes are those of erased_contacts: people who were erased are not learned again from what a
-- request or the platform names (send, platform), and contact_id is null.
-- changed: whether anything but last_seen_at is new.
create or replace function outbound.learn_contacts(p_company_id uuid, p_people jsonb, p_source text)
returns table (ord int, contact_id uuid, created boolean, changed boolean)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_person record;
  v_found uuid[];
begin
  perform outbound.lock_people(p_company_id);
  for v_person in
    select p.* from rows from (jsonb_to_recordset(p_people) as (
      addresses jsonb, name text, language text, timezone text, country text, attributes jsonb, tags text[],
      overwrite boolean, hashes text[]
    )) with ordinality as p(addresses, name, language, timezone, country, attributes, tags, overwrite, hashes, ord)
    order by p.ord
  loop
    ord := v_person.ord;
    v_found := outbound.contacts_of(p_company_id, v_person.addresses);
    if p_source = 'visitor' then
      v_found := outbound.contacts_of_visitor(p_company_id, v_found, v_person.addresses);
    end if;
    contact_id := case when p_source = 'visitor' then v_found[1]
      else outbound.person_among(p_company_id, v_found, v_person.addresses) end;
    created := contact_id is null;
    if created then
      if p_source in ('send', 'platform') and exists (
        select from outbound.erased_contacts as e
        where e.company_id = p_company_id and e.address_hash = any (v_person.hashes)
      ) then
        created := false;
        changed := false;
        return next;
        continue;
      end if;
      contact_id := outbound.uuidv7();
    elsif p_source = 'visitor' then
      perform outbound.merge_contacts(p_company_id, contact_id, other)
      from unnest(v_found[2:]) with ordinality as o(other, position) order by o.position;
    end if;
    changed := outbound.fill_contact(p_company_id, contact_id, p_source, to_jsonb(v_person)) or created
      or cardinality(v_found) > 1 and p_source = 'visitor';
    return next;
  end loop;
end
$$;

revoke execute on function outbound.learn_contacts from public;

-- Adds to a contact what p_person, an element of learn_contacts, says, and makes the contact where there is none. Returns
-- whether anything but last_seen_at is new.
create or replace function outbound.fill_contact(p_company_id uuid, p_contact_id uuid, p_source text, p_person jsonb)
returns boolean
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_person record;
  v_before outbound.contacts;
  v_after outbound.contacts;
  v_values jsonb;
  v_addresses int;
begin
  select p.* into v_person from jsonb_to_record(p_person) as p(
    addresses jsonb, name text, language text, timezone text, country text, attributes jsonb, tags text[],
    overwrite boolean
  );
  v_values := outbound.attribute_values(p_company_id, v_person.attributes);
  select c.* into v_before from outbound.contacts as c
  where c.company_id = p_company_id and c.id = p_contact_id for no key update;
  if not found then
    v_before.attributes := '{}';
    v_before.tags := '{}';
  end if;
  v_after := v_before;
  if v_person.overwrite then
    v_after.name := coalesce(v_person.name, v_before.name);
    v_after.language := coalesce(v_person.language, v_before.language);
    v_after.timezone := coalesce(v_person.timezone, v_before.timezone);
    v_after.country := coalesce(v_person.country, v_before.country);
    v_after.attributes := v_before.attributes || v_values;
  else
    v_after.name := coalesce(v_before.name, v_person.name);
    v_after.language := coalesce(v_before.language, v_person.language);
    v_after.timezone := coalesce(v_before.timezone, v_person.timezone);
    v_after.country := coalesce(v_before.country, v_person.country);
    v_after.attributes := v_values || v_before.attributes;
  end if;
  if cardinality(v_person.tags) > 0 then
    v_after.tags := outbound.all_tags(v_before.tags, v_person.tags);
  end if;
  if v_before.id is null then
    insert into outbound.contacts (company_id, id, source, name, language, timezone, country, attributes, tags)
    values (p_company_id, p_contact_id, p_source, v_after.name, v_after.language, v_after.timezone, v_after.country,
      v_after.attributes, v_after.tags);
  else
    update outbound.contacts as c
    set name = v_after.name, language = v_after.language, timezone = v_after.timezone, country = v_after.country,
      attributes = v_after.attributes, tags = v_after.tags, last_seen_at = now(),
      updated_at = case when v_after is distinct from v_before then now() else c.updated_at end
    where c.company_id = p_company_id and c.id = p_contact_id;
  end if;

  insert into outbound.contact_addresses (company_id, kind, address, contact_id)
  select p_company_id, g.kind, g.address, p_contact_id
  from jsonb_to_recordset(v_person.addresses) as g(kind text, address text)
  on conflict on constraint contact_addresses_pkey do nothing;
  get diagnostics v_addresses = row_count;
  return v_addresses > 0 or v_after is distinct from v_before;
end
$$;

revoke execute on function outbound.fill_contact from public;

-- Returns those of the contacts that addresses belong to which are the visitor who was signed with them: websites sign the
-- e-mail address that a person has typed, so by it alone only a contact without any other address is the visitor.
create or replace function outbound.contacts_of_visitor(p_company_id uuid, p_found uuid[], p_addresses jsonb)
returns uuid[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_known constant uuid[] := outbound.contacts_of(p_company_id, (
    select coalesce(jsonb_agg(a.value), '[]') from jsonb_array_elements(p_addresses) as a
    where a.value ->> 'kind' <> 'email'
  ));
begin
  return array(
    select f.id from unnest(p_found) with ordinality as f(id, position)
    where f.id = any (v_known) or not exists (
      select from outbound.contact_addresses as a
      where a.company_id = p_company_id and a.contact_id = f.id and a.kind <> 'email'
    )
    order by f.position
  );
end
$$;

revoke execute on function outbound.contacts_of_visitor from public;

-- Returns which of the contacts that addresses belong to is the person: the first that has one of the numbers and user
-- ids, else the first that has none. Without numbers and user ids, the first.
create or replace function outbound.person_among(p_company_id uuid, p_found uuid[], p_addresses jsonb)
returns uuid
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_reached constant jsonb := (
    select jsonb_agg(a.value) from jsonb_array_elements(p_addresses) as a
    where a.value ->> 'kind' in ('number', 'user_id')
  );
begin
  if v_reached is null or v_reached = p_addresses or cardinality(p_found) = 0 then
    return p_found[1];
  end if;
  return coalesce((outbound.contacts_of(p_company_id, v_reached))[1], (
    select f.id from unnest(p_found) with ordinality as f(id, position)
    where not exists (
      select from outbound.contact_addresses as a
      where a.company_id = p_company_id and a.contact_id = f.id and a.kind in ('number', 'user_id')
    )
    order by f.position limit 1
  ));
end
$$;

revoke execute on function outbound.person_among from public;

-- Lets one transaction at a time change who a company's contacts are and which addresses they have. A
-- transaction that finds a contact by several addresses decides by all of them, and rows that do not exist yet cannot
-- be locked.
create or replace function outbound.lock_people(p_company_id uuid)
returns void
language sql security invoker set search_path = ''
as $$ select pg_advisory_xact_lock(hashtextextended('people ' || p_company_id, 0)) $$;

revoke execute on function outbound.lock_people from public;

-- Makes one contact of two: p_from's addresses, tags, places in lists and conversations go to p_into, which also gets
-- what it lacks, and p_from is deleted. Returns whether both existed. The caller has locked the people of the company.
create or replace function outbound.merge_contacts(p_company_id uuid, p_into uuid, p_from uuid)
returns boolean
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_into outbound.contacts;
  v_from outbound.contacts;
begin
  select c.* into v_into from outbound.contacts as c where c.company_id = p_company_id and c.id = p_into for update;
  select c.* into v_from from outbound.contacts as c where c.company_id = p_company_id and c.id = p_from for update;
  if v_into.id is null or v_from.id is null or p_into = p_from then
    return false;
  end if;
  update outbound.contact_addresses as a set contact_id = p_into
  where a.company_id = p_company_id and a.contact_id = p_from;
  update outbound.conversations as v set contact_id = p_into
  where v.company_id = p_company_id and v.contact_id = p_from;
  insert into outbound.contact_list_members (company_id, list_id, contact_id, added_at)
  select m.company_id, m.list_id, p_into, m.added_at from outbound.contact_list_members as m
  where m.company_id = p_company_id and m.contact_id = p_from
  order by m.list_id
  on conflict on constraint contact_list_members_pkey do nothing;
  update outbound.contacts as c
  set name = coalesce(v_into.name, v_from.name), language = coalesce(v_into.language, v_from.language),
    timezone = coalesce(v_into.timezone, v_from.timezone), country = coalesce(v_into.country, v_from.country),
    attributes = v_from.attributes || v_into.attributes,
    tags = outbound.all_tags(v_into.tags, v_from.tags),
    first_seen_at = least(v_into.first_seen_at, v_from.first_seen_at),
    last_seen_at = greatest(v_into.last_seen_at, v_from.last_seen_at), updated_at = now()
  where c.company_id = p_company_id and c.id = p_into;
  delete from outbound.contacts as c where c.company_id = p_company_id and c.id = p_from;
  return true;
end
$$;

revoke execute on function outbound.merge_contacts from public;

-- Returns the tags of both, in their order, each once; at most 50 of a contact.
create or replace function outbound.all_tags(p_tags text[], p_more text[])
returns text[]
language sql immutable security invoker set search_path = ''
return array(select distinct tag from unnest(p_tags || p_more) as tag order by tag limit 50);

revoke execute on function outbound.all_tags from public;

-- Keeps whom accepted requests have named, until a dispatcher makes contacts of them (take_named_people). p_people:
-- [{ord (of the request), company_id, number, user_id, person}, …]; p_accepted: the requests that were accepted. Called in
-- the statement that accepts them.
create or replace function outbound.name_people(p_people json, p_accepted int[])
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.named_people (company_id, number, user_id, person, source)
  select n.company_id, n.number, n.user_id, n.person, 'send'
  from json_to_recordset(p_people) as n(ord int, company_id uuid, number text, user_id text, person jsonb)
  where n.ord = any (p_accepted)
$$;

revoke execute on function outbound.name_people from public;

-- Takes up to p_limit of them, the oldest first: the caller makes contacts of them in the same transaction. Those that
-- another dispatcher has taken are left to it.
create or replace function outbound.take_named_people(p_limit int)
returns table (company_id uuid, number text, user_id text, person jsonb, source text)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  with taken as (
    delete from outbound.named_people as n where n.ctid = any (array(
      select o.ctid from outbound.named_people as o order by o.created_at, o.id limit p_limit for update skip locked
    ))
    returning n.*
  )
  select t.company_id, t.number, t.user_id, t.person, t.source from taken as t order by t.created_at, t.id;
end
$$;

revoke execute on function outbound.take_named_people from public;

-- Returns the entries of a page of contact_timeline, each as its kind shows it; null for what was deleted meanwhile. at
-- is text, with microseconds.
create or replace function outbound.read_timeline(
  p_company_id uuid, p_contact_id uuid, p_at timestamptz, p_id uuid, p_limit int
)
returns table (at text, id uuid, kind text, entry json)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  select to_char(t.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), t.id, t.kind,
    case t.kind
      when 'notification' then outbound.describe_notification(p_company_id, t.id)
      when 'message' then (
        select json_build_object('direction', m.direction, 'message_kind', m.kind, 'text', m.text, 'content', m.content,
          'status', m.status, 'purpose', m.purpose, 'sender_id', m.sender_id, 'campaign_id', m.campaign_id,
          'notification_id', m.notification_id, 'code', m.error_code, 'reason', m.error_reason)
        from outbound.contact_messages as m where m.company_id = p_company_id and m.id = t.id
      )
      when 'chat' then (
        select json_build_object('conversation_id', v.id, 'widget_id', v.widget_id, 'status', v.status,
          'messages', v.last_sequence, 'last_message_at', outbound.iso_time(v.last_message_at), 'page_url', v.page_url)
        from outbound.conversations as v where v.company_id = p_company_id and v.id = t.id
      )
      when 'opt_out' then (
        select json_build_object('address', s.address, 'channel', s.channel, 'category', s.category, 'source', s.source,
          'said_at', outbound.iso_time(s.at), 'lifted_at', outbound.iso_time(s.lifted_at), 'lifted_by', s.lifted_by)
        from outbound.suppressions as s where s.company_id = p_company_id and s.id = t.id
      )
      when 'consent' then (
        select json_build_object('address', c.address, 'channel', c.channel, 'category', c.category, 'status', c.status,
          'method', c.method, 'detail', c.detail, 'source', c.source)
        from outbound.consents as c where c.company_id = p_company_id and c.id = t.id
      )
      when 'change' then (
        select json_build_object('actor', l.actor, 'action', l.action, 'after', l.after)
        from outbound.audit_log as l where l.company_id = p_company_id and l.id = t.id
      )
    end
  from outbound.contact_timeline(p_company_id, p_contact_id, p_at, p_id, p_limit) as t
  order by t.at desc, t.id desc;
end
$$;

revoke execute on function outbound.read_timeline from public;

-- Returns a notification with its tries and its call, and the components of its template as long as they have the form
-- that was sent.
create or replace function outbound.describe_notification(p_company_id uuid, p_id uuid)
returns json
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return (
    select json_build_object('campaign_id', n.campaign_id, 'campaign_name', g.name, 'channel', g.channel,
      'address', coalesce(n.number, n.user_id), 'status', n.status, 'code', n.error_code, 'reason', n.error_reason,
      'sent_at', outbound.iso_time(n.sent_at), 'delivered_at', outbound.iso_time(n.delivered_at),
      'read_at', outbound.iso_time(n.read_at), 'replied_at', outbound.iso_time(n.replied_at),
      'failed_at', outbound.iso_time(n.failed_at), 'skipped_at', outbound.iso_time(n.skipped_at),
      'template_name', g.template_name, 'message', n.message,
      'components', (
        select t.components from outbound.templates as t
        where t.company_id = p_company_id and t.id = g.template_id and t.shape = g.template_shape
      ),
      'attempts', array(
        select json_build_object('started_at', outbound.iso_time(a.started_at),
          'finished_at', outbound.iso_time(a.finished_at), 'outcome', a.outcome, 'code', a.error_code,
          'reason', a.reason)
        from outbound.delivery_history as a
        where a.company_id = p_company_id and a.notification_id = n.id order by a.fence
      ),
      'call', (
        select json_build_object('outcome', k.outcome, 'duration_s', k.duration_s, 'summary', k.summary)
        from outbound.calls as k where n.voice and k.company_id = n.company_id and k.notification_id = n.id
      ))
    from outbound.notifications as n
    join outbound.campaigns as g on g.company_id = n.company_id and g.id = n.campaign_id
    where n.company_id = p_company_id and n.id = p_id
  );
end
$$;

revoke execute on function outbound.describe_notification from public;

-- Returns the values of p_people, as learn_contacts takes them, that their attribute cannot hold: the person (ord, from
-- 1), the attribute and its type.
create or replace function outbound.unfit_attributes(p_company_id uuid, p_people jsonb)
returns table (ord int, name text, type text)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  select p.ord::int, v.key, a.type
  from jsonb_array_elements(p_people) with ordinality as p(person, ord)
  cross join lateral jsonb_each(nullif(p.person -> 'attributes', 'null')) as v
  cross join lateral (
    select o.type from outbound.contact_attributes as o
    where o.company_id = p_company_id and o.name = v.key limit 1
  ) as a
  where v.value <> 'null'
    and outbound.attribute_value(v.value, a.type) is null
  order by p.ord, v.key;
end
$$;

revoke execute on function outbound.unfit_attributes from public;

-- Returns the first p_limit contacts of a page that meet the filters, out of the 2,000 that follow p_after (the last
-- contact of the page before), newest first; and whether none are left behind those. A filter that many contacts meet
-- has its page here; findRare (contact_list.ts) reads what few meet by its own index.
-- p_text: a part of a name or an address, folded; p_part: of a number, as digits. Null: no filter.
create or replace function outbound.walk_contacts(
  p_company_id uuid, p_text text, p_part text, p_tag text, p_list_id uuid, p_after uuid, p_limit int,
  out ids uuid[], out is_last boolean
)
language plpgsql stable security invoker set search_path = ''
-- A page: by the company's index in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
declare
  v_at timestamptz := 'infinity'::timestamptz;
  v_walked int;
begin
  if p_after is not null then
    v_at := (select c.first_seen_at from outbound.contacts as c where c.company_id = p_company_id and c.id = p_after);
  end if;
  with walked as materialized (
    select c.id, c.name, c.tags from outbound.contacts as c
    where c.company_id = p_company_id
      and (c.first_seen_at, c.id) < (v_at, coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
    order by c.first_seen_at desc, c.id desc limit 2000
  )
  select array(
    -- In the order of the walk.
    select w.id from walked as w
    where (p_tag is null or p_tag = any (w.tags))
      and (p_list_id is null or exists (
        select from outbound.contact_list_members as m
        where m.company_id = p_company_id and m.list_id = p_list_id and m.contact_id = w.id
      ))
      and (p_text is null or position(p_text in outbound.fold_text(w.name)) > 0 or exists (
        select from outbound.contact_addresses as a
        where a.company_id = p_company_id and a.contact_id = w.id
          and (position(p_text in outbound.fold_text(a.address)) > 0 or position(p_part in a.address) > 0)
      ))
    limit p_limit
  ), (select count(*) from walked)
  into ids, v_walked;
  is_last := v_walked < 2000;
end
$$;

revoke execute on function outbound.walk_contacts from public;

-- Returns the last message of a person: its id, to which sender, and when; if p_sender_id is null to any sender of the
-- company. A message of the platform itself (system) opens no window.
create or replace function outbound.last_inbound(p_company_id uuid, p_number text, p_user_id text, p_sender_id uuid)
returns table (id uuid, sender_id uuid, number text, user_id text, at timestamptz)
-- In SQL, which plans each call: a plan that was made while there were few messages reads all of the company's.
language sql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  select found.id, found.sender_id, found.number, found.user_id, found.at
  from unnest(outbound.addresses_of(p_company_id, p_number, p_user_id)) as known(address)
  cross join lateral (
    (
      select m.id, m.sender_id, m.number, m.user_id, m.at from outbound.contact_messages as m
      where m.company_id = p_company_id and m.number = known.address and m.direction = 'in' and m.kind <> 'system'
        and (p_sender_id is null or m.sender_id = p_sender_id)
      order by m.at desc limit 1
    )
    union all
    (
      select m.id, m.sender_id, m.number, m.user_id, m.at from outbound.contact_messages as m
      where m.company_id = p_company_id and m.user_id = known.address and m.direction = 'in' and m.kind <> 'system'
        and (p_sender_id is null or m.sender_id = p_sender_id)
      order by m.at desc limit 1
    )
  ) as found
  order by found.at desc limit 1
$$;

revoke execute on function outbound.last_inbound from public;

-- Queues a reply to a person who wrote within 24 hours to the sender: for so long the platform takes messages that are
-- no template. p_reply: {id, number, user_id, recipient_id, kind, text, content, reply_to, actor}; recipient_id: a sender
-- by id, number or the platform's id, or null for the one that the person last wrote to; reply_to: one of our messages;

-- actor: who replies, as in audit_log.
-- p_idempotency: {endpoint, key, request_hash} or null.
-- outcome: queued, replayed (answer: the first response), key_reused, unknown_sender, sender_locked (reason),
-- window_closed (last_message_at; null if the person never wrote), unknown_message. Only queued stores anything.
create or replace function outbound.queue_reply(p_company_id uuid, p_reply jsonb, p_idempotency jsonb)
returns table (
  outcome text, answer json, reason text, last_message_at timestamptz, window_closes_at timestamptz
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_reply record;
  v_sender_id uuid;
  v_sender record;
  v_last record;
  v_context text;
  v_first record;
begin
  select * into v_reply from jsonb_to_record(p_reply) as r(
    id uuid, number text, user_id text, recipient_id text, kind text, text text, content jsonb, reply_to uuid,
    trace text, actor text
  );
  for v_round in 1..2 loop
    select i.request_hash, i.answer into v_first from outbound.idempotency_keys as i
    where i.company_id = p_company_id and i.endpoint = p_idempotency ->> 'endpoint'
      and i.key = p_idempotency ->> 'key' and i.created_at > now() - interval '24 hours';
    if found then
      return query select
        case when v_first.request_hash = p_idempotency ->> 'request_hash' then 'replayed' else 'key_reused' end,
        v_first.answer, null::text, null::timestamptz, null::timestamptz;
      return;
    end if;

    v_sender_id := null;
    if v_reply.recipient_id is not null then
      select s.id into v_sender_id from outbound.senders as s
      where s.company_id = p_company_id and s.channel = 'whatsapp'
        and v_reply.recipient_id in (s.id::text, s.number, s.platform_id)
      limit 1;
      if not found then
        return query select 'unknown_sender', null::json, null::text, null::timestamptz, null::timestamptz;
        return;
      end if;
    end if;
    -- Keep the message that opens the window: the person may be erased meanwhile. erase_person steps back from a
    -- message that is locked; one that it has locked is gone afterwards.
    loop
      select l.* into v_last
      from outbound.last_inbound(p_company_id, v_reply.number, v_reply.user_id, v_sender_id) as l;
      exit when v_last.id is null;
      -- With its time, because an index by time may look as good for the id, and would be read whole.
      perform from outbound.contact_messages as m
      where m.company_id = p_company_id and m.at = v_last.at and m.id = v_last.id for share;
      exit when found;
    end loop;
    if v_last.at is null or v_last.at <= now() - interval '24 hours' then
      return query select 'window_closed', null::json, null::text, v_last.at, v_last.at + interval '24 hours';
      return;
    end if;
    select s.id, s.locked, s.stopped_reason into v_sender from outbound.senders as s
    where s.company_id = p_company_id and s.id = v_last.sender_id;
    if v_sender.locked then
      return query select 'sender_locked', null::json, v_sender.stopped_reason, null::timestamptz, null::timestamptz;
      return;
    end if;
    if v_reply.reply_to is not null then
      select m.platform_message_id into v_context from outbound.contact_messages as m
      where m.company_id = p_company_id and m.id = v_reply.reply_to and m.sender_id = v_last.sender_id
        and m.platform_message_id is not null
        and array[m.number, m.user_id] && outbound.addresses_of(p_company_id, v_reply.number, v_reply.user_id);
      if not found then
        return query select 'unknown_message', null::json, null::text, null::timestamptz, null::timestamptz;
        return;
      end if;
    end if;

    answer := json_build_object(
      'message_id', v_reply.id, 'status', 'queued',
      'window_closes_at', outbound.iso_time(v_last.at + interval '24 hours'));
    if p_idempotency is not null then
      insert into outbound.idempotency_keys as i (company_id, endpoint, key, request_hash, answer)
      values (
        p_company_id, p_idempotency ->> 'endpoint', p_idempotency ->> 'key', p_idempotency ->> 'request_hash', answer
      )
      on conflict on constraint idempotency_keys_pkey do update
        set request_hash = excluded.request_hash, answer = excluded.answer, created_at = now()
        where i.created_at <= now() - interval '24 hours';
      -- Another request with the same key was stored in the meantime: its answer is the first.
      continue when not found;
    end if;
    insert into outbound.contact_messages (
      company_id, id, sender_id, direction, number, user_id, kind, text, content, context_message_id, status,
      run_at, expires_at, at, trace, actor
    )
    values (
      p_company_id, v_reply.id, v_last.sender_id, 'out', coalesce(v_reply.number, v_last.number),
      coalesce(v_reply.user_id, v_last.user_id), v_reply.kind, v_reply.text, v_reply.content, v_context, 'queued',
      now(), v_last.at + interval '24 hours', now(), v_reply.trace,
      v_reply.actor
    );
    perform outbound.schedule_replies(array[p_company_id], array[v_last.sender_id], array[now()]);
    return query select 'queued', answer, null::text, v_last.at, v_last.at + interval '24 hours';
    return;
  end loop;
end
$$;

revoke execute on function outbound.queue_reply from public;

-- Returns the messages of a company's conversations whose beginning contains a text, of at least three characters, the
-- newest first, with their conversations. Of each kind it looks at 1,000 messages at most (is_complete: at all), so that
-- a word which every message has costs no more.
create or replace function outbound.search_messages(p_company_id uuid, p_text text, p_limit int)
returns table (
  message_id uuid, conversation_id uuid, kind text, from_contact boolean, text text, at timestamptz, is_complete boolean
)
language sql stable security invoker set search_path = ''
as $$
  with sought as materialized (
    select outbound.search_terms(p_company_id, p_text) as terms,
      '%' || replace(replace(replace(outbound.fold_text(p_text), '\', '\\'), '%', '\%'), '_', '\_') || '%' as pattern
  ),
  written as materialized (
    select m.id, m.sender_id, m.number, m.user_id, m.direction, m.text, m.at
    from outbound.contact_messages as m
    where outbound.search_terms(m.company_id, left(m.text, 500)) @> (select s.terms from sought as s)
      -- Written so that no index on the company matches it: it would read all of the company's messages.
      and m.text is not null and case when m.company_id = p_company_id then true end
      and outbound.fold_text(left(m.text, 500)) like (select s.pattern from sought as s)
    limit 1000
  ),
  chatted as materialized (
    select m.id, m.conversation_id, m.author, m.text, m.created_at
    from outbound.conversation_messages as m
    where outbound.search_terms(m.company_id, left(m.text, 500)) @> (select s.terms from sought as s)
      and case when m.company_id = p_company_id then true end
      and outbound.fold_text(left(m.text, 500)) like (select s.pattern from sought as s)
    limit 1000
  ),
  newest as materialized (
    select w.id, null::uuid as conversation_id, w.sender_id, w.number, w.user_id, w.direction = 'in' as from_contact,
      w.text, w.at
    from written as w
    union all
    select c.id, c.conversation_id, null, null, null, c.author = 'visitor', c.text, c.created_at from chatted as c
    order by 8 desc, 1 desc limit p_limit
  )
  select n.id, coalesce(n.conversation_id, t.id), case when n.sender_id is null then 'chat' else 'whatsapp' end,
    n.from_contact, n.text, n.at,
    (select count(*) from written) < 1000 and (select count(*) from chatted) < 1000
  from newest as n
  left join lateral (
    select o.id from unnest(outbound.addresses_of(p_company_id, n.number, n.user_id)) as known(address)
    cross join lateral (
      select t.id from outbound.contact_threads as t
      where t.sender_id = n.sender_id and t.address = known.address and t.company_id = p_company_id limit 1
    ) as o
    limit 1
  ) as t on n.sender_id is not null
  where coalesce(n.conversation_id, t.id) is not null
  order by n.at desc, n.id desc
$$;

revoke execute on function outbound.search_messages from public;

-- Adds a file whose object is in the media store. p_file: {id, kind, content_type, bytes, sha256, file_name, message_id};
-- message_id: the message of a person that it came with. Where the company has the file already, returns that one, and
-- the new object is left over. Returns null when the message was deleted meanwhile, or the upload took too long: the
-- object is left over then too. Its room is reserved already (expect_media).
create or replace function outbound.add_media_file(p_company_id uuid, p_file jsonb, p_actor text, p_request_id text)
returns uuid
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_file outbound.media_files := jsonb_populate_record(null::outbound.media_files, p_file);
  v_id uuid;
  v_is_new boolean;
begin
  if v_file.message_id is not null then
    -- An erasure of the person waits for this, and then finds the file.
    perform from outbound.contact_messages as m
    where m.company_id = p_company_id and m.id = v_file.message_id for key share;
    if not found then
      update outbound.media_leftovers as l set due_at = now()
      where l.company_id = p_company_id and l.media_id = v_file.id;
      return null;
    end if;
  end if;
  -- One that is due is about to be deleted.
  perform from outbound.media_leftovers as l
  where l.company_id = p_company_id and l.media_id = v_file.id and l.due_at > now() for update;
  if not found then
    return null;
  end if;
  insert into outbound.media_files (
    company_id, id, kind, content_type, bytes, sha256, file_name, message_id, created_by
  )
  values (
    p_company_id, v_file.id, v_file.kind, v_file.content_type, v_file.bytes, v_file.sha256, v_file.file_name,
    v_file.message_id, p_actor
  )
  -- On either key: of the content, and of the message.
  on conflict do nothing;
  v_is_new := found;
  if v_file.message_id is not null then
    delete from outbound.received_media as r
    where r.company_id = p_company_id and r.message_id = v_file.message_id;
  end if;
  if v_is_new then
    delete from outbound.media_leftovers as l where l.company_id = p_company_id and l.media_id = v_file.id;
    if v_file.message_id is null then
      perform outbound.write_audit(p_company_id, p_actor, 'media.added', v_file.id::text, null,
        jsonb_build_object('kind', v_file.kind, 'content_type', v_file.content_type, 'bytes', v_file.bytes), p_request_id);
    end if;
    return v_file.id;
  end if;
  if v_file.message_id is null then
    select f.id into v_id from outbound.media_files as f
    where f.company_id = p_company_id and f.sha256 = v_file.sha256 and f.message_id is null;
  else
    select f.id into v_id from outbound.media_files as f
    where f.company_id = p_company_id and f.message_id = v_file.message_id;
  end if;
  update outbound.media_leftovers as l set due_at = now()
  where l.company_id = p_company_id and l.media_id = v_file.id;
  return v_id;
end
$$;

revoke execute on function outbound.add_media_file from public;

-- Returns what became of the file of a person's message: {state, content_type, bytes, error_code, error_reason};
-- docs/media.md lists the states.
create or replace function outbound.attachment_of(p_company_id uuid, p_message_id uuid)
returns jsonb
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return '{"content_type": null, "bytes": null, "error_code": null, "error_reason": null}'::jsonb || coalesce(
    (
      select jsonb_build_object('state', 'stored', 'content_type', f.content_type, 'bytes', f.bytes)
      from outbound.media_files as f where f.company_id = p_company_id and f.message_id = p_message_id
    ),
    (
      select jsonb_build_object(
        'state', case when r.next_at is null then 'not_stored' else 'waiting' end,
        'error_code', r.error_code, 'error_reason', r.error_reason
      )
      from outbound.received_media as r where r.company_id = p_company_id and r.message_id = p_message_id
    ),
    '{"state": "on_platform"}'
  );
end
$$;

revoke execute on function outbound.attachment_of from public;

-- Leases up to p_limit files that people sent and that are due to be fetched, for p_lease: one per company, those first
-- whose turn came first, and none of p_except. A company's next turn comes behind all that are due. Where the companies
-- of a round have nothing to fetch, the next ones are looked at. Passes by companies of which a message is being stored.
create or replace function outbound.claim_received_media(p_limit int, p_lease interval, p_except uuid[])
returns table (
  company_id uuid, message_id uuid, attempt int, created_at timestamptz, kind text, content jsonb, sender_id uuid,
  platform_id text, token_sealed text
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per company.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
declare
  v_companies uuid[];
  v_due_from constant timestamptz := outbound.due_from('received_media');
  v_is_idle boolean;
begin
  for v_round in 1..10 loop
    -- In a statement of its own: what was stored before its company's row was released is seen by the next one.
    select array_agg(s.company_id) into v_companies
    from (
      select s.company_id from outbound.received_media_schedule as s
      where s.due_at >= v_due_from and s.due_at <= now() and s.company_id <> all (p_except)
      order by s.due_at limit p_limit for update skip locked
    ) as s;
    exit when v_companies is null;
    return query
    with due as materialized (
      select r.company_id, r.message_id from unnest(v_companies) as w(company_id)
      cross join lateral (
        select q.company_id, q.message_id from outbound.received_media as q
        where q.company_id = w.company_id and q.next_at <= now()
        order by q.next_at limit 1 for update skip locked
      ) as r
    ),
    leased as (
      update outbound.received_media as r set attempt = r.attempt + 1, next_at = clock_timestamp() + p_lease
      from due where r.company_id = due.company_id and r.message_id = due.message_id
      returning r.company_id, r.message_id, r.attempt, r.created_at
    )
    select l.company_id, l.message_id, l.attempt, l.created_at, m.kind, m.content, s.id, s.platform_id, s.token_sealed
    from leased as l
    join outbound.contact_messages as m on m.company_id = l.company_id and m.id = l.message_id
    join outbound.senders as s on s.company_id = m.company_id and s.id = m.sender_id;
    v_is_idle := not found;
    perform outbound.reschedule_received_media(v_companies);
    exit when not v_is_idle;
  end loop;
end
$$;

revoke execute on function outbound.claim_received_media from public;

-- Says when claims look at these companies again, by what waits for them now. A step of claim_received_media, which has
-- locked their schedule.
create or replace function outbound.reschedule_received_media(p_companies uuid[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per company.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  with next as materialized (
    select w.company_id, r.next_at from unnest(p_companies) as w(company_id)
    left join lateral (
      select q.next_at from outbound.received_media as q
      where q.company_id = w.company_id and q.next_at is not null order by q.next_at limit 1
    ) as r on true
  ),
  idle as (
    delete from outbound.received_media_schedule as s using next
    where s.company_id = next.company_id and next.next_at is null
  )
  update outbound.received_media_schedule as s set due_at = greatest(next.next_at, clock_timestamp())
  from next where s.company_id = next.company_id and next.next_at is not null;
end
$$;

revoke execute on function outbound.reschedule_received_media from public;

-- Reserves room for an object that is about to be stored, and has it deleted in an hour, unless its file is added before
-- (add_media_file). Returns false where the company would then have more than p_max_bytes in the media store.
create or replace function outbound.expect_media(p_company_id uuid, p_media_id uuid, p_bytes int, p_max_bytes bigint)
returns boolean
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.media_usage as u (company_id, bytes)
  select p_company_id, p_bytes where p_bytes <= p_max_bytes
  on conflict on constraint media_usage_pkey do update set bytes = u.bytes + excluded.bytes
    where u.bytes + excluded.bytes <= p_max_bytes;
  if not found then
    return false;
  end if;
  insert into outbound.media_leftovers (company_id, media_id, bytes, due_at)
  values (p_company_id, p_media_id, p_bytes, now() + interval '1 hour');
  return true;
end
$$;

revoke execute on function outbound.expect_media from public;

-- Records why a file that a person sent could not be stored, by the holder of its lease (p_attempt). It is fetched again
-- p_retry_in later, or never where that is null.
create or replace function outbound.fail_received_media(
  p_company_id uuid, p_message_id uuid, p_attempt int, p_code text, p_reason text, p_retry_in interval
)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  update outbound.received_media as r
  set next_at = clock_timestamp() + p_retry_in, error_code = p_code, error_reason = p_reason
  where r.company_id = p_company_id and r.message_id = p_message_id
    and r.attempt = p_attempt and r.next_at is not null;
  if found and p_retry_in is not null then
    perform outbound.schedule_received_media(array[p_company_id], clock_timestamp() + p_retry_in);
  end if;
end
$$;

revoke execute on function outbound.fail_received_media from public;

-- Makes claims look at the files of these companies at a time, at none that is past (due_from), unless they look earlier
-- anyway.
create or replace function outbound.schedule_received_media(p_companies uuid[], p_at timestamptz)
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.received_media_schedule as s (company_id, due_at)
  select w.company_id, greatest(p_at, clock_timestamp()) from unnest(p_companies) as w(company_id)
  group by w.company_id order by w.company_id
  on conflict on constraint received_media_schedule_pkey do update set due_at = least(s.due_at, excluded.due_at)
$$;

revoke execute on function outbound.schedule_received_media from public;

-- Takes up to p_limit objects that are due to be deleted from the media store, for five minutes: a process that dies
-- leaves them to the next one.
create or replace function outbound.take_media_leftovers(p_limit int)
returns table (company_id uuid, media_id uuid)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
#variable_conflict use_column
begin
  return query
  update outbound.media_leftovers as l set due_at = now() + interval '5 minutes'
  where l.ctid = any (array(
    select o.ctid from outbound.media_leftovers as o where o.due_at <= now()
    order by o.due_at limit p_limit for update skip locked))
  returning l.company_id, l.media_id;
end
$$;

revoke execute on function outbound.take_media_leftovers from public;

-- Compares what companies have spent this month with their budgets: those of which nothing is known for a minute, or
-- that of p_company_id. Lets their senders wait, or leave again: when the limit is raised, or the month is over. Returns
-- how many it checked.
create or replace function outbound.check_budgets(p_company_id uuid default null, p_limit int default 100)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_month constant timestamptz := date_trunc('month', now(), 'UTC');
  v_budget outbound.budgets;
  v_spent numeric;
  v_is_new boolean;
  v_is_warned boolean;
  v_is_reached boolean;
  v_count int := 0;
begin
  for v_budget in
    select b.* from outbound.budgets as b
    where b.checked_at < case when p_company_id is null then now() - interval '1 minute' else 'infinity' end
      and (p_company_id is null or b.company_id = p_company_id)
    order by b.checked_at limit p_limit for no key update skip locked
  loop
    v_count := v_count + 1;
    v_is_new := v_budget.month <> (v_month at time zone 'UTC')::date;
    v_spent := outbound.cost_since(v_budget.company_id, v_month, v_budget.currency);
    v_is_warned := coalesce(v_spent >= v_budget.warn_amount, false);
    v_is_reached := coalesce(v_spent >= v_budget.limit_amount, false);
    update outbound.budgets as b
    set month = (v_month at time zone 'UTC')::date, spent = v_spent, checked_at = now(),
      warned_at = case when v_is_warned then coalesce(case when not v_is_new then b.warned_at end, now()) end,
      reached_at = case when v_is_reached then coalesce(case when not v_is_new then b.reached_at end, now()) end
    where b.company_id = v_budget.company_id;
    if v_is_warned and (v_is_new or v_budget.warned_at is null) then
      perform outbound.write_audit(v_budget.company_id, 'platform', 'budget.warned', null, null,
        jsonb_build_object('spent', v_spent, 'currency', v_budget.currency), null);
    end if;
    if v_is_reached and (v_is_new or v_budget.reached_at is null) then
      perform outbound.write_audit(v_budget.company_id, 'platform', 'budget.reached', null, null,
        jsonb_build_object('spent', v_spent, 'currency', v_budget.currency), null);
    end if;
    perform outbound.hold_senders_over_budget(v_budget.company_id, v_is_reached);
  end loop;
  return v_count;
end
$$;

revoke execute on function outbound.check_budgets from public;

-- Marks the numbers of a company that send messages as over budget, or not: its calls have no known cost. Those that
-- are marked so already stay as they are.
create or replace function outbound.hold_senders_over_budget(p_company_id uuid, p_is_over boolean)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  perform from outbound.senders as s
  where s.company_id = p_company_id and s.channel = 'whatsapp' and (s.over_budget is true) <> p_is_over
  order by s.id for no key update;
  update outbound.senders as s set over_budget = nullif(p_is_over, false)
  where s.company_id = p_company_id and s.channel = 'whatsapp' and (s.over_budget is true) <> p_is_over;
end
$$;

revoke execute on function outbound.hold_senders_over_budget from public;

-- Returns what a company's messages cost since p_from, by the rates in p_currency of the days on which they were priced.
create or replace function outbound.cost_since(p_company_id uuid, p_from timestamptz, p_currency text)
returns numeric
language sql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  with priced as materialized (
    select h.area as country, h.reason as category, (h.hour at time zone 'UTC')::date as day, sum(h.priced) as messages
    from outbound.history as h
    where h.company_id = p_company_id and h.hour >= p_from and h.priced <> 0 group by 1, 2, 3
  )
  select coalesce(sum(p.messages * r.rate), 0)
  from (
    select c.category, c.day, array_agg(c.country) as countries from priced as c group by 1, 2
  ) as asked
  cross join lateral outbound.rates_of(asked.countries, asked.category, p_currency, asked.day) as r
  join priced as p on p.category = asked.category and p.day = asked.day and p.country = r.country
$$;

revoke execute on function outbound.cost_since from public;

-- Adds the oldest p_limit changes of history_changes to the history, and deletes them. Returns whether there are more
-- for another call, in a transaction of its own. One caller at a time; dispatchers and pg_cron call it every few
-- seconds.
--
-- The campaign of a change says its template, sender and channel. Campaigns of a single message, as each request
-- for one contact makes, share a row. What is of no company any more is dropped.
create or replace function outbound.fold_history(p_limit int default 1000)
returns boolean
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per campaign.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_none constant uuid := '00000000-0000-0000-0000-000000000000'::uuid;
  v_from constant timestamptz := outbound.due_from('history');
  v_hours_from constant timestamptz := outbound.history_hours_from();
  v_taken int;
  v_rows outbound.history[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('outbound.history', 0)) then
    return false;
  end if;
  with taken as materialized (
    delete from outbound.history_changes as c where c.ctid = any (array(
      select o.ctid from outbound.history_changes as o where o.written_at >= v_from
      order by o.written_at limit p_limit for update skip locked))
    returning c.company_id, c.at, c.area, c.metric, c.reason, c.campaign_ids, c.counts
  ),
  summed as (
    select t.company_id, of.campaign_id, t.area, t.metric, t.reason, sum(coalesce(of.count, 1))::int as count,
      date_trunc(case when t.at < v_hours_from then 'day' else 'hour' end, t.at, 'UTC') as hour
    from taken as t cross join lateral unnest(t.campaign_ids, t.counts) as of(campaign_id, count)
    group by 1, 2, 3, 4, 5, 7 having sum(coalesce(of.count, 1)) <> 0
  ),
  -- One look-up per campaign, whatever happened to it.
  campaign as materialized (
    select s.company_id, s.campaign_id, array_agg(s.hour) as hours, array_agg(s.area) as areas,
      array_agg(s.metric) as metrics, array_agg(s.reason) as reasons, array_agg(s.count) as counts
    from summed as s group by 1, 2
  ),
  named as (
    select c.company_id, of.hour, case when g.keeps_history then c.campaign_id else v_none end as campaign_id,
      coalesce(g.template_id, v_none) as template_id, coalesce(g.sender_id, v_none) as sender_id,
      coalesce(g.channel, of.reason) as channel, of.area, of.metric,
      case when of.metric = 'opted_out' then '' else of.reason end as reason, of.count
    from campaign as c
    left join lateral (
      select a.template_id, a.sender_id, a.channel, exists (
        select from outbound.bulk_campaigns as b where b.company_id = a.company_id and b.campaign_id = a.id
      ) as keeps_history
      from outbound.campaigns as a where a.company_id = c.company_id and a.id = c.campaign_id limit 1
    ) as g on true
    cross join lateral unnest(c.hours, c.areas, c.metrics, c.reasons, c.counts) as of(hour, area, metric, reason, count)
    where g.channel is not null or c.campaign_id = v_none and exists (
      select from outbound.companies as o where o.id = c.company_id offset 0
    )
  )
  select count(*), array(
    select row(n.company_id, n.hour, n.campaign_id, n.template_id, n.sender_id, n.channel, n.area, n.reason,
      case n.metric when 'accepted' then n.count else 0 end, case n.metric when 'sent' then n.count else 0 end,
      case n.metric when 'delivered' then n.count else 0 end, case n.metric when 'read' then n.count else 0 end,
      case n.metric when 'replied' then n.count else 0 end, case n.metric when 'failed' then n.count else 0 end,
      case n.metric when 'skipped' then n.count else 0 end, case n.metric when 'cancelled' then n.count else 0 end,
      case n.metric when 'priced' then n.count else 0 end, case n.metric when 'opted_out' then n.count else 0 end
    )::outbound.history from named as n
  )
  into v_taken, v_rows from taken;
  perform outbound.add_to_history(v_rows);
  return v_taken = p_limit;
end
$$;

revoke execute on function outbound.fold_history from public;

-- Adds rows to the history; several may be of the same hour and key. A step of fold_history and clean_up_history.
create or replace function outbound.add_to_history(p_rows outbound.history[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  insert into outbound.history as h (
    company_id, hour, campaign_id, template_id, sender_id, channel, area, reason, accepted, sent, delivered, read,
    replied, failed, skipped, cancelled, priced, opted_out
  )
  select r.company_id, r.hour, r.campaign_id, r.template_id, r.sender_id, r.channel, r.area, r.reason, sum(r.accepted),
    sum(r.sent), sum(r.delivered), sum(r.read), sum(r.replied), sum(r.failed), sum(r.skipped), sum(r.cancelled),
    sum(r.priced), sum(r.opted_out)
  from unnest(p_rows) as r group by 1, 2, 3, 4, 5, 6, 7, 8
  on conflict on constraint history_pkey do update
  set accepted = h.accepted + excluded.accepted, sent = h.sent + excluded.sent,
    delivered = h.delivered + excluded.delivered, read = h.read + excluded.read,
    replied = h.replied + excluded.replied, failed = h.failed + excluded.failed,
    skipped = h.skipped + excluded.skipped, cancelled = h.cancelled + excluded.cancelled,
    priced = h.priced + excluded.priced, opted_out = h.opted_out + excluded.opted_out;
end
$$;

revoke execute on function outbound.add_to_history from public;

-- Returns the time before which the history has days instead of hours.
create or replace function outbound.history_hours_from()
returns timestamptz
language sql stable security invoker set search_path = ''
return date_trunc('day', now(), 'UTC') - outbound.history_hours_kept();

revoke execute on function outbound.history_hours_from from public;

-- Returns a company's history from p_from to p_to, exclusive: one row per step and key, and one for each category,
-- country and day of what was priced, in the order of their steps; at most p_limit.
-- p_by: company, campaign, template, sender, country, reason or channel, which the key names; null is all campaigns of
-- one message, calls, and opt-outs where they are of no such thing. By reason, only what failed or was skipped.
-- p_step: hour or day, as p_timezone has it. A day that the history keeps as a whole, in UTC, counts as the same date.
-- p_campaign_id, p_template_id, p_sender_id: only theirs; null for all.
create or replace function outbound.read_history(
  p_company_id uuid, p_by text, p_from timestamptz, p_to timestamptz, p_step text, p_timezone text, p_campaign_id uuid,
  p_template_id uuid, p_sender_id uuid, p_limit int
)
returns table (
  start timestamptz, key text, name text, category text, country text, day text, accepted int, sent int, delivered int,
  read int, replied int, failed int, skipped int, cancelled int, opted_out int, priced int
)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_none constant uuid := '00000000-0000-0000-0000-000000000000'::uuid;
  v_hours_from constant timestamptz := outbound.history_hours_from();
  -- The range for days that are kept as a whole.
  v_day_from constant timestamptz := date_trunc('day', p_from, p_timezone) at time zone p_timezone at time zone 'UTC';
  v_day_to constant timestamptz := date_trunc('day', p_to + interval '1 day - 1 microsecond', p_timezone)
    at time zone p_timezone at time zone 'UTC';
begin
  return query
  with found as materialized (
    select h.* from outbound.history as h
    where p_campaign_id is null and h.company_id = p_company_id
      and h.hour >= least(p_from, v_day_from) and h.hour < greatest(p_to, v_day_to)
    union all
    select h.* from outbound.history as h
    where p_campaign_id is not null and h.company_id = p_company_id and h.campaign_id = p_campaign_id
      and h.hour >= least(p_from, v_day_from) and h.hour < greatest(p_to, v_day_to)
  ),
  grouped as materialized (
    select b.start, b.key, p.category, p.country, p.day, sum(h.accepted)::int as accepted, sum(h.sent)::int as sent,
      sum(h.delivered)::int as delivered, sum(h.read)::int as read, sum(h.replied)::int as replied,
      sum(h.failed)::int as failed, sum(h.skipped)::int as skipped, sum(h.cancelled)::int as cancelled,
      sum(h.opted_out)::int as opted_out, sum(h.priced)::int as priced
    from found as h
    cross join lateral (
      select case
          when h.hour < v_hours_from then date_trunc('day', h.hour at time zone 'UTC') at time zone p_timezone
          else date_trunc(p_step, h.hour, p_timezone)
        end as start,
        case p_by
          when 'company' then p_company_id::text when 'campaign' then nullif(h.campaign_id, v_none)::text
          when 'template' then nullif(h.template_id, v_none)::text when 'sender' then nullif(h.sender_id, v_none)::text
          when 'country' then h.area when 'channel' then h.channel else h.reason
        end as key
    ) as b
    left join lateral (
      select h.reason as category, h.area as country, (h.hour at time zone 'UTC')::date::text as day where h.priced <> 0
    ) as p on true
    where (p_template_id is null or h.template_id = p_template_id)
      and (p_sender_id is null or h.sender_id = p_sender_id)
      and (p_by <> 'reason' or h.failed <> 0 or h.skipped <> 0)
      and case when h.hour < v_hours_from then h.hour >= v_day_from and h.hour < v_day_to
        else h.hour >= p_from and h.hour < p_to end
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5 limit p_limit
  )
  select g.start, g.key, coalesce(c.name, t.name, s.name, o.name), g.category, g.country, g.day, g.accepted, g.sent,
    g.delivered, g.read, g.replied, g.failed, g.skipped, g.cancelled, g.opted_out, g.priced
  from grouped as g
  left join lateral (
    select a.name from outbound.campaigns as a
    where p_by = 'campaign' and a.company_id = p_company_id and a.id = g.key::uuid limit 1
  ) as c on true
  left join lateral (
    select a.name || ' (' || a.language || ')' as name from outbound.templates as a
    where p_by = 'template' and a.company_id = p_company_id and a.id = g.key::uuid limit 1
  ) as t on true
  left join lateral (
    select a.number as name from outbound.senders as a
    where p_by = 'sender' and a.company_id = p_company_id and a.id = g.key::uuid limit 1
  ) as s on true
  left join lateral (
    select a.name from outbound.companies as a where p_by = 'company' and a.id = p_company_id limit 1
  ) as o on true
  order by g.start, g.key, g.category, g.country, g.day;
end
$$;

revoke execute on function outbound.read_history from public;

-- Returns until when every change is part of the history that read_history returns.
create or replace function outbound.history_until()
returns timestamptz
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return coalesce((
    select c.written_at from outbound.history_changes as c where c.written_at >= outbound.due_from('history')
    order by c.written_at limit 1
  ), now());
end
$$;

revoke execute on function outbound.history_until from public;

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
  v_deleted constant jsonb := outbound.clean_up_requests(p_limit) || outbound.clean_up_platform_events(p_limit)
    || outbound.clean_up_outgoing_events(p_limit) || outbound.clean_up_conversations(p_limit)
    || outbound.clean_up_marketing(p_limit) || outbound.clean_up_records(p_limit) || outbound.clean_up_history(p_limit)
    || outbound.apply_retention(p_limit);
begin
  return v_deleted || jsonb_build_object('more', exists (
    select from jsonb_each_text(v_deleted) as kind where kind.value::int >= p_limit
  ));
end
$$;

revoke execute on function outbound.clean_up from public;

-- Deletes what of the history is older than history_kept(), and turns hours that are older than history_hours_kept()
-- into days. It waits for no fold, and no fold for it. A step of clean_up.
create or replace function outbound.clean_up_history(p_limit int)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_days int;
  v_hours int;
  v_rows outbound.history[];
  v_sender_history int;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('outbound.history', 0)) then
    return '{}'::jsonb;
  end if;
  delete from outbound.history as h where h.ctid = any (array(
    select o.ctid from outbound.history as o
    where (date_trunc('day', o.hour at time zone 'UTC') = o.hour at time zone 'UTC') = true
      and o.hour < now() - outbound.history_kept()
    order by o.hour limit p_limit for update skip locked));
  get diagnostics v_days = row_count;

  with taken as materialized (
    delete from outbound.history as h where h.ctid = any (array(
      select o.ctid from outbound.history as o
      where (date_trunc('day', o.hour at time zone 'UTC') = o.hour at time zone 'UTC') = false
        and o.hour < outbound.history_hours_from()
      order by o.hour limit p_limit for update skip locked))
    returning h.*
  )
  select count(*), array_agg(row(t.company_id, date_trunc('day', t.hour, 'UTC'), t.campaign_id, t.template_id,
    t.sender_id, t.channel, t.area, t.reason, t.accepted, t.sent, t.delivered, t.read, t.replied, t.failed, t.skipped,
    t.cancelled, t.priced, t.opted_out)::outbound.history)
  into v_hours, v_rows from taken as t;
  perform outbound.add_to_history(v_rows);

  delete from outbound.sender_history as s where s.ctid = any (array(
    select o.ctid from outbound.sender_history as o where o.at < now() - outbound.history_kept()
    order by o.at limit p_limit for update skip locked));
  get diagnostics v_sender_history = row_count;
  return jsonb_build_object('history', v_days, 'history_hours', v_hours, 'sender_history', v_sender_history);
end
$$;

revoke execute on function outbound.clean_up_history from public;

-- Sends a request to the dispatch function when a message, a reply or an event waits to be sent, a file that a person
-- sent waits to be stored, a dispatcher that died or the platform left a reply's outcome open, a call or a voice session
-- has to be checked, or the webhook has to be probed before a message's window ends. Needs pg_net and an address: Vault's secrets outbound_dispatch_url and
-- outbound_dispatch_secret, or the settings row dispatch {"url": …, "secret": …}. Returns whether a request was
-- queued. pg_net sends it after the commit.
create or replace function outbound.invoke_dispatch()
returns boolean
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_url text;
  v_secret text;
begin
  if to_regnamespace('net') is null or not (
    exists (
      select from outbound.sender_schedule as t
      where t.due_at <= now() and t.due_at >= outbound.due_from('senders')
    )
    or exists (select 1 from outbound.calls as k where k.check_at <= now() - interval '2 minutes')
    or exists (select 1 from outbound.voice_sessions as v where v.check_at <= now() - interval '2 minutes')
    or exists (
      select 1 from outbound.reply_schedule as s
      where s.due_at <= now() and s.due_at >= outbound.due_from('replies') and exists (
        select from outbound.senders as o
        where o.company_id = s.company_id and o.id = s.sender_id and outbound.may_reply(o)
      )
    )
    or exists (
      select 1 from outbound.received_media_schedule as s
      where s.due_at <= now() and s.due_at >= outbound.due_from('received_media')
    )
    -- By its order: any other index on what is queued would lead to all of it.
    or coalesce((
      select m.expires_at from outbound.contact_messages as m where m.status = 'queued' order by m.expires_at limit 1
    ) <= now(), false)
    or exists (
      select 1 from outbound.contact_messages as m
      where m.status in ('sending', 'unconfirmed') and m.lease_until <= now() limit 1
    )
    or exists (
      select 1 from outbound.queue as n
      where n.status = 'unconfirmed' and not n.voice and n.lease_until >= outbound.leases_from()
        and n.lease_until <= now() + interval '30 seconds' limit 1
    )
    or exists (
      select 1 from outbound.endpoints_to_serve(outbound.due_companies(64, 64)) as e
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

revoke execute on function outbound.invoke_dispatch from public;

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

-- The job of pg_cron takes the steps of this version from now on.
do $$
begin
  perform outbound.schedule_jobs();
end
$$;

-- Disables a template after the platform refused a message because of the template itself, in an attempt that began at
-- p_at; not if it was approved since. The platform's own event, with its time, may still arrive, so this sets no
-- status_at. settle_templates then holds its campaigns.
--
-- The platform's times are whole seconds, so within one second it is unknown whether it refused or approved first. Then
-- the approval holds: if the refusal was the later one, the next message is refused too, and stops the template. The
-- other way around, a usable template would be held until the next sync.
create or replace function outbound.stop_template(
  p_company_id uuid, p_template_id uuid, p_reason text, p_at timestamptz default clock_timestamp()
)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.templates as t
  set status = 'disabled', rejected_reason = p_reason, refused_at = date_trunc('second', p_at),
    reported_at = now(), updated_at = now()
  where t.company_id = p_company_id and t.id = p_template_id and t.status = 'approved'
    and t.status_at < date_trunc('second', p_at)
$$;
revoke execute on function outbound.stop_template from public;

-- Applies up to p_limit stored events about accounts to their senders, and ends restrictions whose time is over. By
-- the platform's times: an event from before the last known change of its kind, or from before an operator resumed the
-- sender, changes nothing.
--   disabled: locks the sender, whatever it was stopped for.
--   restricted: stops an active sender, until the restriction ends or is lifted. Lifts no lock.
--   active: releases a sender that an event of the account or a lock has stopped, not
--     one that was stopped for anything else, such as its token. The platform's times are whole seconds: one of the
--     second of the lock holds, as in stop_template.
-- Of several events the last one counts, but a restriction does not hide that the account was disabled just before.
-- Returns how many events were applied; 0 also when another transaction applies them.
create or replace function outbound.apply_account_events(p_limit int default 1000)
returns int
language plpgsql security invoker set search_path = ''
-- By indexes, also when the tables were empty when statistics were last taken.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_events bigint[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('outbound.account_events', 0)) then
    return 0;
  end if;
  v_events := array(
    select e.id from outbound.account_events as e
    where e.applied_at is null order by e.occurred_at, e.id limit p_limit
  );
  if cardinality(v_events) = 0 and not exists (select from outbound.senders as s where s.stopped_until <= now()) then
    return 0;
  end if;

  -- Lock all senders at once, in their order: the update locks their turns, and no sender may be locked after those.
  perform from (
    select named.company_id, named.id from (
      select s.company_id, s.id from outbound.account_events as e
      join outbound.senders as s on s.waba_id = e.waba_id and (e.number is null or e.number = s.number)
      where e.id = any (v_events)
      union
      select s.company_id, s.id from outbound.senders as s where s.stopped_until <= now()
    ) as named
    order by named.id
  ) as named
  cross join lateral (
    select from outbound.senders as s where s.company_id = named.company_id and s.id = named.id for no key update
  ) as locked;

  with event as materialized (
    select s.company_id, s.id as sender_id, e.id, e.status, e.reason, e.until, e.messaging_limit, e.quality, e.notice,
      e.occurred_at, e.status is not null and e.occurred_at >= s.account_status_at as says_status,
      e.messaging_limit is not null and e.occurred_at >= s.messaging_limit_at as says_limit,
      e.quality is not null and e.occurred_at >= s.quality_at as says_quality,
      e.notice is not null and e.occurred_at >= s.platform_notice_at as says_notice,
      e.status = 'active' and e.occurred_at >= s.account_status_at
        and (s.stopped_by_account or date_trunc('second', s.stopped_at) <= e.occurred_at) as lifts
    from outbound.account_events as e
    join outbound.senders as s on s.waba_id = e.waba_id and (e.number is null or e.number = s.number)
    where e.id = any (v_events)
  ),
  verdict as (
    select distinct on (e.company_id, e.sender_id) e.company_id, e.sender_id, e.status, e.reason, e.until, e.occurred_at
    from event as e
    where e.says_status and (e.status <> 'restricted' or coalesce(e.until > now(), true)) and not exists (
      select from event as l
      where l.company_id = e.company_id and l.sender_id = e.sender_id and l.says_status and l.status = 'active'
        and (l.occurred_at, l.id) > (e.occurred_at, e.id)
    )
    order by e.company_id, e.sender_id, e.status = 'disabled' desc, e.occurred_at desc, e.id desc
  ),
  reported as (
    select e.company_id, e.sender_id, bool_or(e.lifts) as lifted,
      max(e.occurred_at) filter (where e.says_status) as status_at,
      (array_agg(e.messaging_limit order by e.occurred_at desc, e.id desc) filter (where e.says_limit))[1]
        as messaging_limit,
      max(e.occurred_at) filter (where e.says_limit) as messaging_limit_at,
      (array_agg(e.quality order by e.occurred_at desc, e.id desc) filter (where e.says_quality))[1] as quality,
      max(e.occurred_at) filter (where e.says_quality) as quality_at,
      (array_agg(e.notice order by e.occurred_at desc, e.id desc) filter (where e.says_notice))[1] as notice,
      max(e.occurred_at) filter (where e.says_notice) as notice_at
    from event as e group by e.company_id, e.sender_id
  ),
  change as (
    select s.company_id, s.id, v.reason, v.until, reported.status_at, reported.messaging_limit, reported.messaging_limit_at,
      reported.quality, reported.quality_at, reported.notice, reported.notice_at,
      case
        when v.status = 'disabled' then 'lock'
        when v.status = 'restricted' and (s.status = 'active' or released.is_free) then 'stop'
        when v.status = 'restricted' and s.stopped_by_account and not s.locked then 'stop'
        when released.is_free or s.stopped_until <= now() then 'release'
        else 'none'
      end as does
    from outbound.senders as s
    left join reported on reported.company_id = s.company_id and reported.sender_id = s.id
    left join verdict as v on v.company_id = s.company_id and v.sender_id = s.id
    cross join lateral (
      select coalesce(reported.lifted, false) and (s.stopped_by_account or s.locked) as is_free
    ) as released
    where reported.sender_id is not null or s.stopped_until <= now()
  )
  update outbound.senders as s
  set status = case c.does when 'none' then s.status when 'release' then 'active' else 'stopped' end,
    stopped_reason = case c.does when 'none' then s.stopped_reason when 'release' then null else c.reason end,
    stopped_code = case c.does when 'none' then s.stopped_code end,
    stopped_at = case c.does when 'none' then s.stopped_at when 'release' then null else now() end,
    locked = case c.does when 'none' then s.locked else c.does = 'lock' end,
    stopped_by_account = case c.does when 'none' then s.stopped_by_account else c.does in ('lock', 'stop') end,
    stopped_until = case c.does when 'none' then s.stopped_until when 'stop' then c.until end,
    account_status_at = coalesce(c.status_at, s.account_status_at),
    messaging_limit = coalesce(c.messaging_limit, s.messaging_limit),
    messaging_limit_at = coalesce(c.messaging_limit_at, s.messaging_limit_at),
    quality = coalesce(c.quality, s.quality),
    quality_at = coalesce(c.quality_at, s.quality_at),
    platform_notice = coalesce(c.notice, s.platform_notice),
    platform_notice_at = coalesce(c.notice_at, s.platform_notice_at)
  from change as c
  where s.company_id = c.company_id and s.id = c.id;

  update outbound.account_events as e set applied_at = now() where e.id = any (v_events);
  return cardinality(v_events);
end
$$;
revoke execute on function outbound.apply_account_events from public;

-- Functions that the last release's call, and today's do not: a call that is under way while the migrations are applied
-- still needs them. The next release drops all of these.

-- decide_unconfirmed, which reads the last time without ticks itself.
create or replace function outbound.settle_unconfirmed(
  p_limit int, p_window interval, p_leases_from timestamptz, p_missed_ticks interval, p_awake_since timestamptz,
  out again int, out failed int, out moves jsonb, out requeued_companies uuid[], out requeued uuid[],
  out planned_companies uuid[], out planned_senders uuid[], out silent_accounts jsonb
)
language sql security invoker set search_path = ''
as $$ select * from outbound.decide_unconfirmed(p_limit, p_window, p_leases_from) $$;
revoke execute on function outbound.settle_unconfirmed from public;

-- mark_tick. The last time without ticks was for settle_unconfirmed only.
create or replace function outbound.record_tick(p_by text, out missed_ticks interval, out awake_since timestamptz)
language sql security invoker set search_path = ''
as $$
  select outbound.mark_tick(p_by);
  select null::interval, null::timestamptz;
$$;
revoke execute on function outbound.record_tick from public;

-- campaign_difference of a request and a campaign that have no timing of their own.
create or replace function outbound.campaign_mismatch(p_campaign outbound.campaigns, p_request outbound.campaigns)
returns json
language sql stable security invoker set search_path = ''
as $$ select outbound.campaign_difference(p_campaign, p_request, '{}', '{}') $$;
revoke execute on function outbound.campaign_mismatch from public;

reset check_function_bodies;
