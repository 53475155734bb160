set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.api_keys drop constraint api_keys_retired_check;

-- Further keys are shown once, so their text is not stored.
alter table outbound.api_keys alter column key_sealed drop not null;

alter table outbound.api_keys add column name text;

alter table outbound.api_keys add column sender_ids uuid[];

alter table outbound.api_keys add column expires_at timestamp with time zone;

alter table outbound.api_keys add column old_key_hash text;

alter table outbound.api_keys add column old_expires_at timestamp with time zone;

alter table outbound.api_keys add column last_used_address text;

alter table outbound.api_keys add constraint api_keys_kind_check CHECK ((is_current OR (name IS NOT NULL) OR (NOT is_active)));

alter table outbound.api_keys add constraint api_keys_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100)));

alter table outbound.api_keys add constraint api_keys_old_check CHECK (((old_key_hash IS NULL) = (old_expires_at IS NULL)));

alter table outbound.api_keys add constraint api_keys_sealed_check CHECK (((NOT is_current) OR ((key_sealed IS NOT NULL) AND (name IS NULL))));

alter table outbound.api_keys add constraint api_keys_senders_check CHECK ((cardinality(sender_ids) > 0));

create unique index api_keys_old_key_hash_idx on outbound.api_keys (old_key_hash) where old_key_hash is not null;

-- Returns the key with this hash, if it passes now: it is active, not expired, and the hash is that of its text, or of the
-- one before its last rotation while that one passes too.
create or replace function outbound.find_key(p_key_hash text)
returns setof outbound.api_keys
language plpgsql stable rows 1 security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query select * from outbound.api_keys as k
  where k.key_hash = p_key_hash and k.is_active and (k.expires_at > now()) is not false;
  if not found then
    return query select * from outbound.api_keys as k
    where k.old_key_hash = p_key_hash and k.old_expires_at > now() and k.is_active
      and (k.expires_at > now()) is not false;
  end if;
end
$$;

revoke execute on function outbound.find_key from public;

-- Returns the first response to a request with this idempotency key, if it is less than 24 hours old. A key that is
-- limited to senders finds those of their campaigns.
create or replace function outbound.read_idempotent_response(p_key_hash text, p_endpoint text, p_key text)
returns table (request_hash text, answer json)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_key outbound.api_keys;
begin
  select * into v_key from outbound.find_key(p_key_hash);
  return query select i.request_hash, i.answer from outbound.idempotency_keys as i
  where i.company_id = v_key.company_id and i.endpoint = p_endpoint and i.key = p_key
    and i.created_at > now() - interval '24 hours'
    and (v_key.sender_ids is null or exists (
      select from outbound.campaigns as g
      where g.company_id = i.company_id and g.id = (i.answer ->> 'inquiry_set_id')::uuid
        and g.sender_id = any (v_key.sender_ids) offset 0
    ));
end
$$;

revoke execute on function outbound.read_idempotent_response from public;

-- Returns what a presented key may do, and counts one request against its rate.
-- outcome: ok, unauthorized (no key passes: find_key), rate_limited.
-- p_cost 0 checks without counting. reset_s: seconds until the window ends.
create or replace function outbound.use_access_key(p_key_hash text, p_cost int default 1)
returns table (
  outcome text, company_id uuid, api_key_id uuid, permissions text[], api_access boolean,
  rate_limit int, remaining int, reset_s int
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_key record;
  v_usage outbound.usage;
begin
  select k.company_id, k.id, k.permissions, k.rate_limit, k.last_used_at, c.api_access into v_key
  from outbound.find_key(p_key_hash) as k
  cross join lateral (select y.api_access from outbound.companies as y where y.id = k.company_id limit 1) as c;
  if not found then
    return query select 'unauthorized', null::uuid, null::uuid, null::text[], null::boolean, 0, 0, 0;
    return;
  end if;
  -- Lock the key first, then the usage row, in the same order as accept_notifications.
  if v_key.last_used_at is null or v_key.last_used_at < now() - interval '1 minute' then
    update outbound.api_keys as k set last_used_at = now()
    where k.company_id = v_key.company_id and k.id = v_key.id;
  end if;
  v_usage := outbound.open_usage(v_key.company_id, v_key.id);
  if p_cost > 0 and v_usage.requests + p_cost <= v_key.rate_limit then
    update outbound.usage as u set requests = u.requests + p_cost, day_requests = u.day_requests + p_cost
    where u.company_id = v_key.company_id and u.api_key_id = v_key.id and u.day = v_usage.day;
    v_usage.requests := v_usage.requests + p_cost;
    outcome := 'ok';
  else
    outcome := case when p_cost = 0 then 'ok' else 'rate_limited' end;
  end if;
  return query select outcome, v_key.company_id, v_key.id, v_key.permissions, v_key.api_access,
    v_key.rate_limit, greatest(v_key.rate_limit - v_usage.requests, 0),
    outbound.seconds_until(v_usage.window_start + interval '1 minute');
end
$$;

revoke execute on function outbound.use_access_key from public;

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
    where k.is_active and k.key_hash = any (p_key_hashes) and (k.expires_at > now()) is not false
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

-- Returns what campaigns say about the requests of a batch that add to them (accept_notifications describes both), at
-- the ord of the request: campaign_not_found, campaign_cancelled, campaign_mismatch with the difference, or null; and
-- whether the campaign is paused and the request does not know it. A campaign of a sender that the key may not use is
-- not found. p_hashes, p_keys: those of check_requests. Reads only; called only if a request adds to a campaign.
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
        and (g.sender_id = any ((p_keys[array_position(p_hashes, r.key_hash)]).sender_ids)) is not false
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
        when not k.permission = any ((k.key).permissions) or k.sender_id <> all ((k.key).sender_ids) then 'forbidden'
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
      select from outbound.webhooks as w
      where w.company_id = v_key.company_id and w.is_active
        and coalesce('flow.triggered' = any (w.event_types), true)
    );
end
$$;

revoke execute on function outbound.send_context from public;

-- Returns the company of a key that a page shows, and one of its widgets. The key is the company's own access key (by
-- its hash) or a publishable one. No row when the key is not valid; no widget when it does not exist, is off, or
-- belongs to another company. A key that is limited to senders opens no widgets. Using a widget does not count against
-- the rate of the company's key: visitors are not the company's backend.
create or replace function outbound.widget_for_key(p_key text, p_key_hash text, p_widget_id uuid)
returns table (
  company_id uuid, company_name text, api_access boolean, publishable boolean,
  widget_id uuid, kind text, config jsonb, allowed_origins text[]
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_company uuid;
  v_key uuid;
  v_publishable boolean := false;
begin
  select k.company_id, k.id into v_company, v_key from outbound.find_key(p_key_hash) as k where k.sender_ids is null;
  if found then
    update outbound.api_keys as k set last_used_at = now()
    where k.company_id = v_company and k.id = v_key
      and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute');
  else
    select p.company_id into v_company from outbound.publishable_keys as p where p.key = p_key and p.is_active;
    v_publishable := true;
  end if;
  return query select c.id, c.name, c.api_access, v_publishable, w.id, w.kind, w.config, w.allowed_origins
  from outbound.companies as c
  left join outbound.widgets as w on w.company_id = c.id and w.id = p_widget_id and w.is_active
  where c.id = v_company;
end
$$;

revoke execute on function outbound.widget_for_key from public;

reset check_function_bodies;
