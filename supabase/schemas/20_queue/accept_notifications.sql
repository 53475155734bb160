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
create function outbound.accept_notifications(p_key_hashes text[], p_sources json, p_requests json,
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
