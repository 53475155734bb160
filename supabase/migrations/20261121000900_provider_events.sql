-- What the platform tells us: stored first (store_provider_events, before the
-- webhook is answered), applied in batches afterwards. Duplicates, disorder and
-- events about messages that are not ours are normal.

-- When the platform last reported anything about an account, and when the webhook last refused a report about one of
-- the account's messages. With webhook_probe, all that tick() knows of whether it could have heard; see there.
create table outbound.account_signals (
  company_id uuid not null,
  waba_id text not null,
  event_at timestamptz not null default '-infinity',
  refused_at timestamptz not null default '-infinity',
  -- The last time none was accepted for a while: from the last report before it, at most 10 s before the first that was
  -- refused, until the first that was accepted.
  refused_since timestamptz,
  accepted_at timestamptz,
  constraint account_signals_pkey primary key (company_id, waba_id),
  constraint account_signals_company_fkey foreign key (company_id) references outbound.companies (id) on delete cascade
) with (fillfactor = 50);
alter table outbound.account_signals enable row level security;

-- One row: the signed requests with which dispatchers find out whether our own webhook can be reached from outside.
create table outbound.webhook_probe (
  only_row boolean not null default true,
  -- Of the latest probe. Only a webhook that works on this very database can confirm it.
  nonce uuid,
  begun_at timestamptz not null default '-infinity',
  -- When the latest probe that came back was begun, and the latest that did not.
  returned_at timestamptz not null default '-infinity',
  failed_at timestamptz not null default '-infinity',
  -- The last time none came back for a while: from the last one before it, at most 10 s before the first that did not,
  -- until the first that did.
  failing_since timestamptz,
  recovered_at timestamptz,
  constraint webhook_probe_pkey primary key (only_row),
  constraint webhook_probe_only_check check (only_row)
);
alter table outbound.webhook_probe enable row level security;
insert into outbound.webhook_probe default values;

-- Notes that the platform reported something about these accounts. Ten times a second for each account at most: the
-- rows are read before they are locked, so that the webhook's processes do not wait for each other.
create function outbound.note_account_events(p_waba_ids text[])
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.account_signals as a (company_id, waba_id, event_at)
  select distinct s.company_id, s.waba_id, now()
  from outbound.senders as s
  left join outbound.account_signals as k on k.company_id = s.company_id and k.waba_id = s.waba_id
  where s.waba_id = any (p_waba_ids)
    and (k.event_at is null or k.event_at < now() - interval '100 milliseconds' or k.event_at <= k.refused_at)
  order by s.company_id, s.waba_id
  on conflict on constraint account_signals_pkey do update
    set event_at = greatest(a.event_at, excluded.event_at),
      accepted_at = case when a.refused_at > a.event_at then excluded.event_at else a.accepted_at end;
end
$$;
revoke execute on function outbound.note_account_events from public;

-- Notes that the webhook refused the signature of a report about these notifications, and returns their accounts.
-- Strangers may post whatever they like: a report counts only if it names a notification of ours, whose id nobody but
-- its company and the platform knows. So a stranger holds up nothing, and a company nothing but its own messages.
create function outbound.note_refused_events(p_companies uuid[], p_ids uuid[])
returns table (company_id uuid, waba_id text)
language plpgsql security invoker set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  insert into outbound.account_signals as a (company_id, waba_id, refused_at, refused_since)
  select distinct s.company_id, s.waba_id, now(), now()
  from unnest(p_companies, p_ids) as named(company_id, id)
  cross join lateral (
    select o.company_id, o.sender_id from outbound.notifications as o
    where o.company_id = named.company_id and o.id = named.id
  ) as n
  join outbound.senders as s on s.company_id = n.company_id and s.id = n.sender_id
  where s.waba_id is not null
  order by s.company_id, s.waba_id
  on conflict on constraint account_signals_pkey do update
    set refused_at = excluded.refused_at,
      refused_since = case when a.refused_at > a.event_at then a.refused_since else greatest(a.event_at, excluded.refused_since - interval '10 seconds') end
  returning a.company_id, a.waba_id;
end
$$;
revoke execute on function outbound.note_refused_events from public;

-- Begins a probe of the webhook, while messages wait for the platform's word; otherwise once an hour, so that it is known
-- whether probes come back here at all, or once a minute until they do. Not if one was begun less than p_every ago, by
-- whomever. Returns the nonce that the probe has to carry, or null.
create function outbound.begin_webhook_probe(p_every interval)
returns uuid
-- Without statistics all messages ever sent would be read for the few that are unconfirmed.
language sql security invoker set search_path = '' set enable_seqscan = off
as $$
  update outbound.webhook_probe as w set nonce = gen_random_uuid(), begun_at = clock_timestamp()
  where w.begun_at <= clock_timestamp() - p_every
    and (
      w.begun_at <= now() - case when w.failed_at > w.returned_at then interval '1 minute' else interval '1 hour' end
      or exists (select from outbound.notifications as n where n.status = 'unconfirmed' and not n.voice)
    )
  returning w.nonce
$$;
revoke execute on function outbound.begin_webhook_probe from public;

-- For the webhook: the probe with this nonce came back.
create function outbound.confirm_webhook_probe(p_nonce uuid)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.webhook_probe as w
  set returned_at = w.begun_at, recovered_at = case when w.failed_at > w.returned_at then w.begun_at else w.recovered_at end
  where w.nonce = p_nonce
$$;
revoke execute on function outbound.confirm_webhook_probe from public;

-- For the dispatcher whose probe is over: whether it came back; null when another was begun since.
create function outbound.end_webhook_probe(p_nonce uuid)
returns boolean
language sql security invoker set search_path = ''
as $$
  with failed as (
    update outbound.webhook_probe as w
    set failed_at = w.begun_at,
      failing_since = case when w.failed_at > w.returned_at then w.failing_since
        else greatest(w.returned_at, w.begun_at - interval '10 seconds') end
    where w.nonce = p_nonce and w.returned_at < w.begun_at
  )
  select w.returned_at = w.begun_at from outbound.webhook_probe as w where w.nonce = p_nonce
$$;
revoke execute on function outbound.end_webhook_probe from public;

-- Counts events that are about messages of other systems. To be called last: every caller waits here for the others.
create function outbound.count_foreign_events(p_reason text, p_events bigint)
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.foreign_events as f (day, reason, events)
  select (now() at time zone 'UTC')::date, p_reason, p_events where p_events > 0
  on conflict on constraint foreign_events_pkey do update set events = f.events + excluded.events
$$;
revoke execute on function outbound.count_foreign_events from public;

-- p_events: [{dedupe_key, channel, account_id, phone_number_id, foreign_reference, provider_message_id, company_id,
-- notification_id, fence, status, occurred_at, error_code, retryable, reason, call}, …]. Returns how many were new.
--
-- An account may be shared with other systems, so events about their messages come here too. Such an event is counted
-- and not stored: no sender of ours has its number (or its account, where the number is missing) and its reference
-- names no company of ours; or it carries a reference that we did not write (foreign_reference).
create function outbound.store_provider_events(p_events jsonb)
returns int
language plpgsql security invoker set search_path = ''
-- Each sender is looked up by an index, however many there are.
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  v_named_accounts text[];
  v_companies uuid[];
  v_numbers text[];
  v_accounts text[];
  v_unknown_senders bigint;
  v_unknown_messages bigint;
  v_stored int;
begin
  -- Each is looked up once, however many events are about it.
  v_named_accounts := array(select distinct e ->> 'account_id' from jsonb_array_elements(p_events) as e);
  v_accounts := array(
    select distinct s.waba_id from outbound.senders as s where s.waba_id = any (v_named_accounts)
  );
  v_numbers := array(
    select distinct s.provider_id from outbound.senders as s
    where s.channel = 'whatsapp' and s.provider_id = any (
      array(select distinct e ->> 'phone_number_id' from jsonb_array_elements(p_events) as e)
    )
  );
  v_companies := array(
    select c.id from outbound.companies as c
    where c.id = any (array(select distinct (e ->> 'company_id')::uuid from jsonb_array_elements(p_events) as e))
  );
  perform outbound.note_account_events(v_named_accounts);

  with event as materialized (
    select e.*, coalesce(e.foreign_reference, false) as is_foreign,
      coalesce(e.channel <> 'whatsapp' or e.company_id = any (v_companies)
        or case when e.phone_number_id is null then e.account_id = any (v_accounts)
          else e.phone_number_id = any (v_numbers) end, false) as is_of_ours
    from jsonb_to_recordset(p_events) as e(
      dedupe_key text, channel text, account_id text, phone_number_id text, foreign_reference boolean,
      provider_message_id text, company_id uuid, notification_id uuid, fence int, status text, occurred_at timestamptz,
      error_code text, retryable boolean, reason text, call json
    )
  ),
  stored as (
    insert into outbound.provider_events (
      dedupe_key, channel, account_id, provider_message_id, company_id, notification_id, fence, status, occurred_at,
      error_code, retryable, reason, call
    )
    select e.dedupe_key, e.channel, e.account_id, e.provider_message_id, e.company_id, e.notification_id,
      e.fence, e.status, e.occurred_at, e.error_code, coalesce(e.retryable, false), e.reason, e.call
    from event as e where e.is_of_ours and not e.is_foreign
    order by e.dedupe_key
    on conflict on constraint provider_events_dedupe_key do nothing
    returning 1
  )
  select count(*) filter (where not e.is_of_ours), count(*) filter (where e.is_of_ours and e.is_foreign),
    (select count(*)::int from stored)
  into v_unknown_senders, v_unknown_messages, v_stored
  from event as e;
  perform outbound.count_foreign_events('unknown_message', v_unknown_messages);
  perform outbound.count_foreign_events('unknown_sender', v_unknown_senders);
  return v_stored;
end
$$;
revoke execute on function outbound.store_provider_events from public;

-- Joins up to p_limit waiting events to their notifications, by our reference
-- or else by the platform's message id, and moves each notification once:
--   read, delivered: facts, and facts only grow; they overrule everything but a cancellation.
--   sent: settles sending and unconfirmed, calls off a second try that has not left, and overrules our own
--     outcome_unknown and expired; not when the same message is known to have failed.
--   failed, for the very message that counts as sent: it failed after all. An earlier try's failure is out of date.
--   failed for good, before anything was sent: failed. What failed as outcome_unknown gets its real reason.
--   failed for now: an unconfirmed one is queued again; a try under way will hear for itself.
-- Events that match nothing wait and are tried again for a day. Returns how many events were dealt with.
create function outbound.apply_provider_events(p_limit int default 1000)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_events bigint[];
  v_calls bigint[];
  v_settled bigint[];
  v_companies uuid[];
  v_requeued uuid[];
  v_moves jsonb;
begin
  select array_agg(waiting.id), array_agg(waiting.id) filter (where waiting.channel = 'voice') into v_events, v_calls
  from (
    select e.id, e.channel from outbound.provider_events as e
    where e.applied_at is null and e.apply_at <= now()
    order by e.apply_at, e.id limit p_limit for update skip locked
  ) as waiting;
  if v_events is null then
    return 0;
  end if;

  if v_calls is not null then
    -- First, so that what is reported about a notification that moves can say how its call went.
    perform outbound.record_calls(v_calls);
  end if;

  with event as materialized (
    select e.id, e.occurred_at, e.error_code, e.retryable, e.reason, e.provider_message_id,
      case when e.status = 'sent' and (
        select f.applied_at is not null from outbound.provider_events as f
        where f.dedupe_key = e.channel || ':' || e.provider_message_id || ':failed'
      ) then 'outdated' else e.status end as status,
      coalesce(by_reference.company_id, by_message.company_id) as company_id,
      coalesce(by_reference.id, by_message.id) as notification_id
    from outbound.provider_events as e
    left join outbound.notifications as by_reference
      on by_reference.company_id = e.company_id and by_reference.id = e.notification_id
    -- Lateral: one look-up an event. As a join it becomes, without statistics, a scan of everything ever sent.
    left join lateral (
      select n.company_id, n.id from outbound.notifications as n
      where by_reference.id is null and n.provider_message_id = e.provider_message_id
      limit 1
    ) as by_message on true
    where e.id = any (v_events)
  ),
  fact as (
    select e.company_id, e.notification_id,
      min(e.occurred_at) filter (where e.status in ('sent', 'delivered', 'read')) as sent_at,
      min(e.occurred_at) filter (where e.status in ('delivered', 'read')) as delivered_at,
      min(e.occurred_at) filter (where e.status = 'read') as read_at,
      min(e.occurred_at) filter (where e.status = 'failed') as failed_at,
      bool_or(e.status = 'failed' and not e.retryable) as refused_for_good,
      bool_or(e.status = 'failed' and e.retryable) as refused_for_now,
      array_agg(e.provider_message_id) filter (where e.status = 'failed') as failed_messages,
      array_agg(e.provider_message_id) filter (where e.status = 'sent') as sent_messages,
      max(e.error_code) filter (where e.status = 'failed') as error_code,
      max(e.reason) filter (where e.status = 'failed') as reason,
      max(e.provider_message_id) filter (where e.status <> 'failed' or not e.retryable) as provider_message_id
    from event as e
    where e.notification_id is not null
    group by e.company_id, e.notification_id
  ),
  held as (
    select n.company_id, n.id, n.campaign_id, n.status as was, f.sent_at, f.delivered_at, f.read_at, f.failed_at,
      f.error_code, f.reason, f.provider_message_id,
      case
        when n.status = 'cancelled' or n.status = 'scheduled' or (n.status = 'queued' and n.attempt = 0) then n.status
        when n.status = 'read' or f.read_at is not null then 'read'
        when n.status = 'delivered' or f.delivered_at is not null then 'delivered'
        when n.status = 'sent'
          then case when n.provider_message_id = any (f.failed_messages) then 'failed' else 'sent' end
        when n.status = 'failed' and coalesce(n.error_code not in ('outcome_unknown', 'expired'), true) then 'failed'
        when f.refused_for_good or f.failed_messages && f.sent_messages then 'failed'
        when f.sent_at is not null then 'sent'
        when n.status = 'unconfirmed' and f.refused_for_now
          then case when n.attempt < 5 and n.expires_at > now() then 'queued' else 'failed' end
        else n.status
      end as becomes,
      n.status = 'failed' and n.error_code = 'outcome_unknown' and f.refused_for_good as explained
    from fact as f
    join outbound.notifications as n on n.company_id = f.company_id and n.id = f.notification_id
    order by n.id for update of n
  ),
  moved as (
    update outbound.notifications as n
    set status = held.becomes,
      worker = case when held.becomes = 'sending' then n.worker end,
      lease_until = case when held.becomes in ('sending', 'unconfirmed') then n.lease_until end,
      run_at = case when held.was = 'unconfirmed' and held.becomes = 'queued' then now() + interval '10 seconds'
        else n.run_at end,
      provider_message_id = coalesce(n.provider_message_id, held.provider_message_id),
      sent_at = case when held.becomes in ('sent', 'delivered', 'read')
        then coalesce(n.sent_at, held.sent_at, held.delivered_at, held.read_at, now()) else n.sent_at end,
      delivered_at = case when held.becomes in ('delivered', 'read')
        then coalesce(n.delivered_at, held.delivered_at, held.read_at) end,
      read_at = case when held.becomes = 'read' then coalesce(n.read_at, held.read_at) end,
      failed_at = case when held.becomes = 'failed' then coalesce(n.failed_at, held.failed_at, now()) end,
      error_code = case when held.becomes in ('failed', 'queued') then held.error_code
        when held.becomes in ('sent', 'delivered', 'read') then null else n.error_code end,
      error_reason = case when held.becomes in ('failed', 'queued')
          then coalesce(held.reason, 'The platform reported a failure without a reason')
        when held.becomes in ('sent', 'delivered', 'read') then null else n.error_reason end
    from held
    where n.company_id = held.company_id and n.id = held.id and (held.was <> held.becomes or held.explained)
    returning n.company_id, n.id, n.campaign_id, held.was, held.becomes
  )
  select (
    -- A failure that may pass of a try still under way is looked at again when the try is over.
    select array_agg(e.id) from event as e
    join held on held.company_id = e.company_id and held.id = e.notification_id
    where not (e.retryable and held.becomes = 'sending')
  ), jsonb_agg(jsonb_build_object('company_id', m.company_id, 'campaign_id', m.campaign_id,
    'pending', (m.becomes = 'queued')::int - (m.was = 'queued')::int,
    'processing', - (m.was in ('sending', 'unconfirmed'))::int,
    'sent', (m.becomes in ('sent', 'delivered', 'read'))::int - (m.was in ('sent', 'delivered', 'read'))::int,
    'delivered', (m.becomes in ('delivered', 'read'))::int - (m.was in ('delivered', 'read'))::int,
    'read', (m.becomes = 'read')::int - (m.was = 'read')::int,
    'failed', (m.becomes = 'failed')::int - (m.was = 'failed')::int
  )),
    array_agg(m.company_id) filter (where m.becomes = 'queued'), array_agg(m.id) filter (where m.becomes = 'queued')
  into v_settled, v_moves, v_companies, v_requeued
  from moved as m;
  if v_moves is not null then
    perform outbound.move_campaign_counters(v_moves);
  end if;
  if v_requeued is not null then
    perform outbound.stop_requeued(v_companies, v_requeued);
  end if;

  -- What is not settled, or matches nothing yet, comes again: after five seconds, then after twice as long each time.
  update outbound.provider_events as e
  set applied_at = case when looked.settled or e.received_at < now() - interval '1 day' then now() end,
    apply_at = case when looked.settled then e.apply_at
      else now() + greatest(interval '5 seconds', now() - e.received_at) end
  from (
    select waiting.id, waiting.id = any (coalesce(v_settled, '{}')) as settled from unnest(v_events) as waiting(id)
  ) as looked
  where e.id = looked.id;
  return cardinality(v_events);
end
$$;
revoke execute on function outbound.apply_provider_events from public;

-- One at a time writes what the platform says about templates, many of them in one transaction: two would wait for
-- each other's rows crosswise.
create function outbound.template_lock()
returns bigint
language sql immutable security invoker set search_path = ''
as $$ select hashtextextended('outbound.templates', 0) $$;
revoke execute on function outbound.template_lock from public;

-- What the platform reported about templates, stored before it is answered. p_events: [{dedupe_key, account_id,
-- provider_template_id, name, language, kind, status, reason, category, quality, occurred_at}, …]. A clock that is
-- far ahead would have us ignore all that follows. Events of accounts that no sender of ours has are counted and not
-- stored. Returns how many were new.
create function outbound.store_template_events(p_events jsonb)
returns int
language plpgsql security invoker set search_path = ''
-- Each sender is looked up by an index, however many there are.
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  v_foreign bigint;
  v_stored int;
begin
  perform outbound.note_account_events(array(select distinct e ->> 'account_id' from jsonb_array_elements(p_events) as e));

  with event as materialized (
    select e.*, exists (select from outbound.senders as s where s.waba_id = e.account_id) as is_ours
    from jsonb_to_recordset(p_events) as e(
      dedupe_key text, account_id text, provider_template_id text, name text, language text, kind text, status text,
      reason text, category text, quality text, occurred_at timestamptz
    )
  ),
  stored as (
    insert into outbound.template_events (
      dedupe_key, account_id, provider_template_id, name, language, kind, status, reason, category, quality, occurred_at
    )
    select e.dedupe_key, e.account_id, e.provider_template_id, e.name, e.language, e.kind, e.status, e.reason,
      e.category, e.quality, least(e.occurred_at, now() + interval '1 minute')
    from event as e where e.is_ours
    order by e.dedupe_key
    on conflict on constraint template_events_dedupe_key do nothing
    returning 1
  )
  select count(*) filter (where not e.is_ours), (select count(*)::int from stored) into v_foreign, v_stored
  from event as e;
  perform outbound.count_foreign_events('unknown_sender', v_foreign);
  return v_stored;
end
$$;
revoke execute on function outbound.store_template_events from public;

-- Applies up to p_limit stored events in the order they happened; matched by account, name and language (written en-US
-- or en_US), or by id. What happened before the last known change of the same kind is out of date, and so is an approval
-- from before a refused message; any other state explains that refusal. An event about a template we do not have, or
-- about its parts, has the account read anew. Returns how many events were dealt with; 0 also when somebody else is at it.
create function outbound.apply_template_events(p_limit int default 1000)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_event outbound.template_events;
  v_templates outbound.templates[];
  v_count int := 0;
begin
  if not pg_try_advisory_xact_lock(outbound.template_lock()) then
    return 0;
  end if;
  for v_event in
    select e.* from outbound.template_events as e
    where e.applied_at is null order by e.occurred_at, e.id limit p_limit
  loop
    v_templates := array(
      select o from outbound.templates as o
      where o.waba_id = v_event.account_id and o.name = v_event.name
        and replace(o.language, '-', '_') = replace(v_event.language, '-', '_')
      order by o.company_id, o.id for no key update
    );
    -- Apart from the above, because it reads all templates of the account.
    if cardinality(v_templates) = 0 then
      v_templates := array(
        select o from outbound.templates as o
        where o.waba_id = v_event.account_id and o.provider_template_id = v_event.provider_template_id
        order by o.company_id, o.id for no key update
      );
    end if;
    update outbound.templates as t
    set status = n.status, rejected_reason = n.reason, category = n.category, quality = n.quality,
      status_at = case when n.says_status then v_event.occurred_at else t.status_at end,
      category_at = case when n.says_category then v_event.occurred_at else t.category_at end,
      quality_at = case when n.says_quality then v_event.occurred_at else t.quality_at end,
      told_at = now(),
      updated_at = case when (t.status, t.rejected_reason, t.category, t.quality)
        is distinct from (n.status, n.reason, n.category, n.quality) then now() else t.updated_at end
    from unnest(v_templates) as o
    cross join lateral (
      select o.status_at <= v_event.occurred_at and v_event.kind = 'status'
          and (v_event.status <> 'approved' or o.refused_at <= v_event.occurred_at) as says_status,
        o.category_at <= v_event.occurred_at and v_event.category is not null as says_category,
        o.quality_at <= v_event.occurred_at and v_event.kind = 'quality' as says_quality
    ) as says
    cross join lateral (
      select says.*,
        case when says.says_status then v_event.status else o.status end as status,
        case when says.says_status
          then case when v_event.status <> 'approved' then nullif(v_event.reason, 'NONE') end
          else o.rejected_reason end as reason,
        case when says.says_category then v_event.category else o.category end as category,
        case when says.says_quality then v_event.quality else o.quality end as quality
    ) as n
    where t.company_id = o.company_id and t.id = o.id;
    if v_event.kind = 'components' or cardinality(v_templates) = 0 then
      with locked as (
        select s.company_id, s.id from outbound.senders as s
        where s.waba_id = v_event.account_id and not s.templates_wanted order by s.id for no key update
      )
      update outbound.senders as s set templates_wanted = true
      from locked where s.company_id = locked.company_id and s.id = locked.id;
    end if;
    update outbound.template_events as e set applied_at = now() where e.id = v_event.id;
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;
revoke execute on function outbound.apply_template_events from public;

-- What of a template's review a list that was begun at p_listed_at changes: nothing when we were told of it since. The
-- platform gives reasons for rejections only, so a reason we have stays as long as the state does.
create function outbound.listed(p_ours outbound.templates, p_theirs outbound.templates, p_listed_at timestamptz)
returns table (category text, status text, rejected_reason text, quality text)
language sql immutable security invoker set search_path = ''
as $$
  select case when t.told then p_ours.category else p_theirs.category end,
    case when t.told then p_ours.status else p_theirs.status end,
    case
      when t.told then p_ours.rejected_reason
      when p_theirs.status = 'approved' then null
      else coalesce(p_theirs.rejected_reason,
        case when p_ours.status = p_theirs.status then p_ours.rejected_reason end)
    end,
    case when t.told then p_ours.quality else coalesce(p_theirs.quality, p_ours.quality) end
  from (select p_ours.told_at > p_listed_at as told) as t
$$;
revoke execute on function outbound.listed from public;

-- Brings our copy of an account's templates in line with p_templates, the complete list the platform gave:
-- [{provider_template_id, name, language, category, status, rejected_reason, quality, parameter_format, components}, …].
-- One the platform no longer has becomes disabled; p_listed_at is when the platform began to list, and one that was
-- made since is left alone, as are the state, category and quality of one we were told of since. Returns how many rows
-- were written.
create function outbound.sync_templates(
  p_company_id uuid, p_waba_id text, p_templates jsonb, p_listed_at timestamptz default now()
)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_written int;
  v_gone int;
begin
  perform pg_advisory_xact_lock(outbound.template_lock());

  insert into outbound.templates as t (
    company_id, waba_id, provider_template_id, name, language, category, status, rejected_reason, quality,
    parameter_format, components
  )
  select distinct on (p.name, p.language) p_company_id, p_waba_id, p.provider_template_id, p.name, p.language,
    p.category, p.status, p.rejected_reason, p.quality, p.parameter_format, p.components
  from jsonb_to_recordset(p_templates) as p(
    provider_template_id text, name text, language text, category text, status text, rejected_reason text,
    quality text, parameter_format text, components jsonb
  )
  order by p.name, p.language
  on conflict on constraint templates_name_key do update
    set (provider_template_id, parameter_format, components, updated_at)
      = (excluded.provider_template_id, excluded.parameter_format, excluded.components, now()),
      (category, status, rejected_reason, quality)
      = (select l.category, l.status, l.rejected_reason, l.quality from outbound.listed(t, excluded, p_listed_at) as l),
      -- The platform's clock and ours may differ: an event from about the same time still counts.
      status_at = case when t.status <> excluded.status and t.told_at <= p_listed_at
        then p_listed_at - interval '10 seconds' else t.status_at end
    where (t.provider_template_id, t.parameter_format, t.components)
      is distinct from (excluded.provider_template_id, excluded.parameter_format, excluded.components)
      or (t.category, t.status, t.rejected_reason, t.quality) is distinct from
        (select (l.category, l.status, l.rejected_reason, l.quality) from outbound.listed(t, excluded, p_listed_at) as l);
  get diagnostics v_written = row_count;

  update outbound.templates as t
  set status = 'disabled', rejected_reason = 'No longer on the platform', updated_at = now(),
    status_at = p_listed_at - interval '10 seconds'
  where t.company_id = p_company_id and t.waba_id = p_waba_id and t.status <> 'disabled'
    and t.created_at <= p_listed_at and t.told_at <= p_listed_at
    -- Hashed whatever the planner expects; as an anti-join it may compare each of 6,000 with every other.
    and (t.name, t.language) not in (
      select p.name, p.language from jsonb_to_recordset(p_templates) as p(name text, language text)
      where p.name is not null and p.language is not null
    );
  get diagnostics v_gone = row_count;
  return v_written + v_gone;
end
$$;
revoke execute on function outbound.sync_templates from public;

-- Takes a template out of use after the platform refused it for what it is, not for whom it went to, in a try that
-- began at p_at; not when it was approved since. The platform's report of what became of it, and when, may still be on
-- its way, so this sets no status_at. Its campaigns are held by settle_templates.
create function outbound.stop_template(
  p_company_id uuid, p_template_id uuid, p_reason text, p_at timestamptz default clock_timestamp()
)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.templates as t
  set status = 'disabled', rejected_reason = p_reason, refused_at = p_at, told_at = now(), updated_at = now()
  where t.company_id = p_company_id and t.id = p_template_id and t.status = 'approved' and t.status_at <= p_at
$$;
revoke execute on function outbound.stop_template from public;

-- An operator overrules our copy of a template's state until the platform's next word on it.
create function outbound.set_template_status(p_company_id uuid, p_template_id uuid, p_status text)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.templates as t
  set status = p_status, status_at = now(), told_at = now(), updated_at = now(),
    rejected_reason = case when p_status in ('rejected', 'disabled') then t.rejected_reason end
  where t.company_id = p_company_id and t.id = p_template_id
$$;
revoke execute on function outbound.set_template_status from public;

-- Has the templates of a sender's account read anew.
create function outbound.want_templates(p_company_id uuid, p_sender_id uuid)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  update outbound.senders as s set templates_wanted = true
  where s.company_id = p_company_id and s.id = p_sender_id and not s.templates_wanted;
end
$$;
revoke execute on function outbound.want_templates from public;

-- What the platform reported about business accounts and their numbers, stored as events about templates are. p_events:
-- [{dedupe_key, account_id, number, status, reason, until, messaging_limit, quality, notice, occurred_at}, …].
create function outbound.store_account_events(p_events jsonb)
returns int
language plpgsql security invoker set search_path = ''
-- Each sender is looked up by an index, however many there are.
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  v_foreign bigint;
  v_stored int;
begin
  perform outbound.note_account_events(array(select distinct e ->> 'account_id' from jsonb_array_elements(p_events) as e));

  with event as materialized (
    select e.*, exists (select from outbound.senders as s where s.waba_id = e.account_id) as is_ours
    from jsonb_to_recordset(p_events) as e(
      dedupe_key text, account_id text, number text, status text, reason text, until timestamptz, messaging_limit text,
      quality text, notice text, occurred_at timestamptz
    )
  ),
  stored as (
    insert into outbound.account_events (
      dedupe_key, account_id, number, status, reason, until, messaging_limit, quality, notice, occurred_at
    )
    select e.dedupe_key, e.account_id, e.number, e.status, e.reason, e.until, e.messaging_limit, e.quality, e.notice,
      least(e.occurred_at, now() + interval '1 minute')
    from event as e where e.is_ours
    order by e.dedupe_key
    on conflict on constraint account_events_dedupe_key do nothing
    returning 1
  )
  select count(*) filter (where not e.is_ours), (select count(*)::int from stored) into v_foreign, v_stored
  from event as e;
  perform outbound.count_foreign_events('unknown_sender', v_foreign);
  return v_stored;
end
$$;
revoke execute on function outbound.store_account_events from public;

-- Applies up to p_limit stored events about accounts to their senders, and ends restrictions whose time is over. By the
-- platform's times: an event from before the last known change of its kind, or from before an operator resumed the
-- sender, changes nothing.
--   disabled: stops the sender for good, whatever it was stopped for.
--   restricted: stops a sender that sends, until the restriction ends or is lifted. Lifts no lock.
--   active: releases what an event of the account or a locked account (stopped_for_good) has stopped, not what was
--     stopped for anything else, such as its token.
-- Of several events the last one counts, but a restriction does not hide that the account was disabled just before.
-- Returns how many events were dealt with; 0 also when somebody else is at it.
create function outbound.apply_account_events(p_limit int default 1000)
returns int
language plpgsql security invoker set search_path = ''
-- By indexes also when the tables were empty when statistics were last taken.
set plan_cache_mode = force_generic_plan set enable_seqscan = off
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

  -- All senders at once, in their order: after the update their turns are locked, and no sender may be locked then.
  perform from (
    select named.company_id, named.id from (
      select s.company_id, s.id from outbound.account_events as e
      join outbound.senders as s on s.waba_id = e.account_id and (e.number is null or e.number = s.number)
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
        and (s.stopped_by_account or s.stopped_at <= e.occurred_at) as lifts
    from outbound.account_events as e
    join outbound.senders as s on s.waba_id = e.account_id and (e.number is null or e.number = s.number)
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
  said as (
    select e.company_id, e.sender_id, bool_or(e.lifts) as lifted,
      max(e.occurred_at) filter (where e.says_status) as status_at,
      (array_agg(e.messaging_limit order by e.occurred_at desc, e.id desc) filter (where e.says_limit))[1] as messaging_limit,
      max(e.occurred_at) filter (where e.says_limit) as messaging_limit_at,
      (array_agg(e.quality order by e.occurred_at desc, e.id desc) filter (where e.says_quality))[1] as quality,
      max(e.occurred_at) filter (where e.says_quality) as quality_at,
      (array_agg(e.notice order by e.occurred_at desc, e.id desc) filter (where e.says_notice))[1] as notice,
      max(e.occurred_at) filter (where e.says_notice) as notice_at
    from event as e group by e.company_id, e.sender_id
  ),
  change as (
    select s.company_id, s.id, v.reason, v.until, said.status_at, said.messaging_limit, said.messaging_limit_at,
      said.quality, said.quality_at, said.notice, said.notice_at,
      case
        when v.status = 'disabled' then 'lock'
        when v.status = 'restricted' and (s.status = 'active' or released.is_free) then 'stop'
        when v.status = 'restricted' and s.stopped_by_account and not s.stopped_for_good then 'stop'
        when released.is_free or s.stopped_until <= now() then 'release'
        else 'none'
      end as does
    from outbound.senders as s
    left join said on said.company_id = s.company_id and said.sender_id = s.id
    left join verdict as v on v.company_id = s.company_id and v.sender_id = s.id
    cross join lateral (
      select coalesce(said.lifted, false) and (s.stopped_by_account or s.stopped_for_good) as is_free
    ) as released
    where said.sender_id is not null or s.stopped_until <= now()
  )
  update outbound.senders as s
  set status = case c.does when 'none' then s.status when 'release' then 'active' else 'stopped' end,
    stopped_reason = case c.does when 'none' then s.stopped_reason when 'release' then null else c.reason end,
    stopped_at = case c.does when 'none' then s.stopped_at when 'release' then null else now() end,
    stopped_for_good = case c.does when 'none' then s.stopped_for_good else c.does = 'lock' end,
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
