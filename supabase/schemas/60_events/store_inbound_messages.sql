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
create function outbound.store_inbound_messages(p_messages json)
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

-- Does what a stored message says about marketing, if anything: an opt-out suppresses marketing on all channels, or on
-- WhatsApp alone if the company has that rule. An opt-in lifts the person's own opt-outs, and is a consent if there
-- were any: otherwise "start" is only how people greet a bot. What others suppressed stays. A company's own words go
-- before those of all companies. An opt-out that comes late changes nothing if an opt-in of a later time lifted
-- another.
-- p_message: a row of store_inbound_messages. Returns the text that confirms the opt-out; null: none.
create function outbound.apply_word_verdict(p_message jsonb)
returns text
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_message record;
  v_rules outbound.contact_rules;
  v_says text;
  v_source text := 'button';
  v_addresses text[];
  v_channel text;
  v_own_before boolean;
  v_evidence jsonb;
begin
  select * into v_message from jsonb_to_record(p_message) as m(
    company_id uuid, id uuid, sender_id uuid, campaign_id uuid, number text, user_id text,
    platform_message_id text, said_at timestamptz, text text, folded text, word_says text, button_says text,
    confirmations jsonb
  );
  if v_message.button_says is null and v_message.folded is null then
    return null;
  end if;
  select * into v_rules from outbound.contact_rules as r where r.company_id = v_message.company_id;
  v_says := v_message.button_says;
  if v_says is null then
    v_source := 'keyword';
    v_says := case
      when v_message.folded = any (v_rules.opt_out_words) then 'opt_out'
      when v_message.folded = any (v_rules.opt_in_words) then 'opt_in'
      when coalesce(v_rules.use_default_words, true) then v_message.word_says
    end;
  end if;
  if v_says is null then
    return null;
  end if;
  v_evidence := jsonb_build_object(
    'text', left(v_message.text, 200), 'message_id', v_message.id,
    'platform_message_id', v_message.platform_message_id);
  if v_says = 'opt_in' then
    if (
      select l.lifted > 0 from outbound.lift_suppressions(
        v_message.company_id, v_message.number, v_message.user_id, 'any', 'marketing', '{keyword,button}',
        v_message.said_at, v_source, v_evidence
      ) as l
    ) then
      perform outbound.record_consents(v_message.company_id, jsonb_build_array(jsonb_build_object(
        'number', v_message.number, 'user_id', v_message.user_id, 'channel', 'whatsapp', 'category', 'marketing',
        'status', 'granted', 'method', 'message', 'detail', left(v_message.text, 200),
        'consented_at', v_message.said_at, 'source', v_source
      )));
    end if;
    return null;
  end if;

  v_addresses := outbound.addresses_of(v_message.company_id, v_message.number, v_message.user_id);
  -- Lateral, here and below: one look-up per address. Otherwise, without statistics, a scan of all of the company's.
  if exists (
    select from unnest(v_addresses) as known(address)
    cross join lateral (
      select from outbound.consents as c
      where c.company_id = v_message.company_id and c.address = known.address
        and (c.channel = 'any' or c.source in ('keyword', 'button'))
        and c.category = 'marketing' and c.status = 'granted' and c.consented_at > v_message.said_at limit 1
    ) as later
  ) then
    return null;
  end if;
  v_channel := case when v_rules.opt_out_stops_calls is false then 'whatsapp' else 'any' end;
  v_own_before := exists (
    select from unnest(v_addresses) as known(address)
    cross join lateral (
      select from outbound.suppressions as s
      where s.company_id = v_message.company_id and s.address = known.address and s.lifted_at is null
        and s.channel in ('any', v_channel) and s.source in ('keyword', 'button') limit 1
    ) as own
  );
  if (
    select o.added from outbound.suppress_contacts(v_message.company_id, jsonb_build_array(jsonb_build_object(
      'number', v_message.number, 'user_id', v_message.user_id, 'channel', v_channel, 'category', 'marketing',
      'source', v_source, 'at', v_message.said_at, 'evidence', v_evidence
    ))) as o
  ) and not v_own_before then
    return outbound.opt_out_confirmation(p_message, v_rules.opt_out_confirmation);
  end if;
  return null;
end
$$;
revoke execute on function outbound.apply_word_verdict from public;

-- Returns the confirmation of an opt-out: the company's own text, or one in the language of the template that the
-- message replies to, or of the word. Null if the company's text is empty, or the platform's window has closed.
create function outbound.opt_out_confirmation(p_message jsonb, p_own_text text)
returns text
language sql stable security invoker set search_path = ''
as $$
  select chosen.text
  from jsonb_to_record(p_message) as m(
    company_id uuid, campaign_id uuid, said_at timestamptz, confirmations jsonb
  )
  left join outbound.campaigns as g on g.company_id = m.company_id and g.id = m.campaign_id
  cross join lateral (
    select coalesce(p_own_text, (
      select c.value ->> 'text' from jsonb_array_elements(m.confirmations) with ordinality as c(value, ord)
      order by c.value ->> 'language' is distinct from split_part(g.template_language, '_', 1), c.ord limit 1
    )) as text
  ) as chosen
  where chosen.text <> '' and m.said_at > now() - interval '24 hours'
$$;
revoke execute on function outbound.opt_out_confirmation from public;

-- Queues the confirmations of opt-outs, one per message of the platform. Of several companies that hold the number, the
-- one confirms whose notification the message replies to, else the first by id: the person wrote once, to one number.
create function outbound.confirm_opt_outs(p_messages jsonb)
returns void
language sql security invoker set search_path = ''
as $$
  with queued as (
    insert into outbound.contact_messages (
      company_id, id, sender_id, direction, number, user_id, kind, text, context_message_id, status, purpose, run_at,
      expires_at, at
    )
    select distinct on (m.platform_message_id) m.company_id, gen_random_uuid(), m.sender_id, 'out', m.number, m.user_id,
      'text', m.confirmation, m.platform_message_id, 'queued', 'opt_out_confirmation', now(),
      m.said_at + interval '24 hours', now()
    from jsonb_to_recordset(p_messages) as m(
      company_id uuid, sender_id uuid, notification_id uuid, number text, user_id text, platform_message_id text,
      said_at timestamptz, confirmation text
    )
    order by m.platform_message_id, m.notification_id is null, m.company_id
    returning company_id, sender_id
  )
  select outbound.schedule_replies(array_agg(q.company_id), array_agg(q.sender_id), array_agg(now()))
  from queued as q having count(*) > 0
$$;
revoke execute on function outbound.confirm_opt_outs from public;
