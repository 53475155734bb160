-- Erases what is known about a person, under all the given addresses, and keeps the person suppressed by hashes of
-- them. Of a notification, only what happened and when stays; one that still waits is skipped (erased), one of unknown
-- outcome fails. The platform's message ids go too, because a WhatsApp id contains the recipient's number.
-- p_addresses: what addresses_of returned a moment ago; p_hashes: theirs.
-- p_events: the ids of outgoing events that name the person, written before p_since; later ones are searched here.
-- Returns outcome: erased (with counts); changed (the person has other addresses or notifications by now: read them
-- again); on_its_way (a message is being sent, or a call is going on: retry after retry_after_s). Only `erased`
-- changes anything.
create function outbound.erase_contact(
  p_company_id uuid, p_number text, p_user_id text, p_addresses text[], p_hashes text[], p_events text[],
  p_since timestamptz, p_actor text, p_request_id text, out outcome text, out retry_after_s int, out counts jsonb
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_ids uuid[];
  v_messages uuid[];
  v_calls int;
  v_moves jsonb;
  v_rows int;
  v_patterns constant text[] := array(select '%"' || a || '"%' from unnest(p_addresses) as a);
begin
  -- Accepting locks its key first: a notification that is accepted meanwhile is either seen here, or sees the hashes.
  perform from outbound.api_keys as k
  where k.company_id = p_company_id and k.is_active order by k.key_hash for no key update;
  if outbound.addresses_of(p_company_id, p_number, p_user_id) <> p_addresses then
    outcome := 'changed';
    return;
  end if;

  v_ids := array(
    select n.id from outbound.notification_facts as n where n.company_id = p_company_id and n.number = any (p_addresses)
    union
    select n.id from outbound.notification_facts as n where n.company_id = p_company_id and n.user_id = any (p_addresses)
  );
  perform from outbound.queue as q
  where q.company_id = p_company_id and q.id = any (v_ids) order by q.id for update;
  perform from outbound.notification_facts as n
  where n.company_id = p_company_id and n.id = any (v_ids) order by n.id for update;
  select max(case when n.voice then 30 else 5 end) into retry_after_s
  from outbound.notifications as n
  where n.company_id = p_company_id and n.id = any (v_ids)
    and (n.status = 'sending' or n.voice and n.status = any (outbound.ongoing_call_states()));
  -- A resend, which locks no key, made one of these while they were being locked.
  if exists (
    select from unnest(p_addresses) as a(address)
    cross join lateral (
      select from outbound.notification_facts as n
      where n.company_id = p_company_id and n.number = a.address and n.id <> all (v_ids) limit 1
    ) as made
  ) or exists (
    select from unnest(p_addresses) as a(address)
    cross join lateral (
      select from outbound.notification_facts as n
      where n.company_id = p_company_id and n.user_id = a.address and n.id <> all (v_ids) limit 1
    ) as made
  ) then
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
  outcome := 'erased';

  with gone as (
    delete from outbound.queue as q where q.company_id = p_company_id and q.id = any (v_ids)
    returning q.id, q.status, q.attempt, q.fence, q.claimed_at
  ),
  settled as (
    select n.id, n.campaign_id, gone.status as was, coalesce(gone.attempt, n.attempt) as attempt,
      coalesce(gone.fence, n.fence) as fence, coalesce(gone.claimed_at, n.claimed_at) as claimed_at
    from outbound.notification_facts as n left join gone on gone.id = n.id
    where n.company_id = p_company_id and n.id = any (v_ids)
  ),
  erased as (
    update outbound.notification_facts as n
    set number = null, user_id = null, message = '{}', metadata = null, platform_message_id = null,
      status = case s.was when 'queued' then 'skipped' when 'unconfirmed' then 'failed' else n.status end,
      attempt = s.attempt, fence = s.fence, claimed_at = s.claimed_at,
      skipped_at = case when s.was = 'queued' then now() else n.skipped_at end,
      failed_at = case when s.was = 'unconfirmed' then now() else n.failed_at end,
      error_code = case s.was when 'queued' then 'erased' when 'unconfirmed' then 'outcome_unknown' else n.error_code end,
      error_reason = case s.was when 'queued' then 'The recipient was erased'
        when 'unconfirmed' then 'The platform had not said whether it took the message when its recipient was erased'
        else n.error_reason end
    from settled as s
    where n.company_id = p_company_id and n.id = s.id
    returning n.campaign_id, s.was
  )
  select jsonb_build_object(
      'notifications', count(*), 'skipped', count(*) filter (where e.was = 'queued'),
      'failed', count(*) filter (where e.was = 'unconfirmed')
    ),
    jsonb_agg(jsonb_build_object('company_id', p_company_id, 'campaign_id', e.campaign_id,
      'pending', - (e.was = 'queued')::int, 'skipped', (e.was = 'queued')::int,
      'processing', - (e.was = 'unconfirmed')::int, 'failed', (e.was = 'unconfirmed')::int
    )) filter (where e.was is not null)
  into counts, v_moves from erased as e;

  update outbound.delivery_attempts as a set platform_message_id = null
  where a.company_id = p_company_id and a.notification_id = any (v_ids) and a.platform_message_id is not null;

  update outbound.calls as k set transcript = null, summary = null
  where k.company_id = p_company_id and k.notification_id = any (v_ids);
  get diagnostics v_calls = row_count;

  if v_moves is not null then
    perform outbound.move_campaign_counters(v_moves);
  end if;

  with named as (
    select e.id from outbound.outgoing_events as e where e.company_id = p_company_id and e.id = any (p_events)
    union
    select e.id from outbound.outgoing_events as e
    where e.company_id = p_company_id and e.created_at >= p_since and e.payload::text like any (v_patterns)
  )
  select array_agg(named.id) into p_events from named;
  delete from outbound.webhook_deliveries as d where d.company_id = p_company_id and d.event_id = any (p_events);
  delete from outbound.outgoing_events as e where e.company_id = p_company_id and e.id = any (p_events);
  get diagnostics v_rows = row_count;
  counts := counts || jsonb_build_object('calls', v_calls, 'events', v_rows);

  delete from outbound.user_ids as u
  where u.company_id = p_company_id and (u.user_id = any (p_addresses) or u.number = any (p_addresses));
  get diagnostics v_rows = row_count;
  counts := counts || jsonb_build_object('user_ids', v_rows);
  delete from outbound.number_aliases as s where s.company_id = p_company_id and s.number = any (p_addresses);
  delete from outbound.suppressions as s where s.company_id = p_company_id and s.address = any (p_addresses);
  get diagnostics v_rows = row_count;
  counts := counts || jsonb_build_object('suppressions', v_rows);
  delete from outbound.consents as c where c.company_id = p_company_id and c.address = any (p_addresses);
  get diagnostics v_rows = row_count;
  counts := counts || jsonb_build_object('consents', v_rows, 'messages', cardinality(v_messages));
  delete from outbound.contact_messages as m where m.company_id = p_company_id and m.id = any (v_messages);
  delete from outbound.marketing_cooldowns as r where r.company_id = p_company_id and r.address = any (p_addresses);
  delete from outbound.marketing_sends as s where s.company_id = p_company_id and s.address = any (p_addresses);

  insert into outbound.erased_contacts (company_id, address_hash)
  select p_company_id, hash from unnest(p_hashes) as hash order by hash
  on conflict on constraint erased_contacts_pkey do update set erased_at = now();
  perform outbound.write_audit(p_company_id, p_actor, 'contact.erased', null, null, counts, p_request_id);
end
$$;
revoke execute on function outbound.erase_contact from public;
