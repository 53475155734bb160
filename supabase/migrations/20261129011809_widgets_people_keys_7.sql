set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.media_usage add column visitor_bytes bigint default 0 not null;

-- Deletes the bodies of the requests of a company's keys, which may name a person who is erased. A body that is on its way
-- to the table is not stored any more, nor is one of a request that ends within ten seconds: it may have begun before, and
-- clocks differ. They are few: trim_request_bodies sees to it.
create or replace function outbound.delete_request_bodies(p_company_id uuid)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  update outbound.recorded_bodies as r set since = clock_timestamp() + interval '10 seconds' where r.company_id = p_company_id;
  delete from outbound.key_request_bodies as b where b.company_id = p_company_id;
end
$$;

revoke execute on function outbound.delete_request_bodies from public;

-- Keeps the last 1000 bodies of a company.
create or replace function outbound.trim_request_bodies(p_company_id uuid)
returns void
language sql security invoker set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  delete from outbound.key_request_bodies as b where b.ctid = any (array(
    select o.ctid from outbound.key_request_bodies as o where o.company_id = p_company_id
    order by o.created_at desc offset 1000 for update skip locked
  ))
$$;

revoke execute on function outbound.trim_request_bodies from public;

-- Writes key.expiring for keys that end soon, for up to p_limit of those that are due, the oldest first, and plans their
-- next warning. Returns how many.
create or replace function outbound.report_expiring_keys(p_limit int)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_key record;
  v_count int := 0;
begin
  for v_key in
    select k.company_id, k.id, k.name, k.expires_at from outbound.api_keys as k
    where k.warn_at <= now() order by k.warn_at limit p_limit for no key update skip locked
  loop
    update outbound.api_keys as k set warn_at = outbound.next_key_warning(v_key.expires_at)
    where k.company_id = v_key.company_id and k.id = v_key.id;
    if v_key.expires_at > now() then
      v_count := v_count + 1;
      perform outbound.write_event(v_key.company_id, 'key.expiring', now(), json_build_object(
        'company_id', v_key.company_id, 'key_id', v_key.id, 'name', v_key.name,
        'expires_at', outbound.iso_time(v_key.expires_at)
      ));
    end if;
  end loop;
  return v_count;
end
$$;

revoke execute on function outbound.report_expiring_keys from public;

-- Returns the chores of a dispatcher that have something to do, by name: one look by small indexes instead of a query
-- per chore, most of which would find nothing. A chore that is named may still find nothing, because what waits is not
-- due or is locked; one that is not named would find nothing. In a database that is not the one that works only the
-- tick, which says so.
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
  if not outbound.is_active_cell() then
    return array['tick'];
  end if;
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
        or exists (select from outbound.conversations as v where v.follow_up_at <= now())
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
        or exists (select from outbound.due_endpoints(1, 1))
      ),
      ('pushes', exists (select from outbound.push_notices as p where p.run_at <= now())),
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

-- Does one step of what time alone brings about, or returns {busy} while another caller does one, {standby} in a database
-- that is not the one that works:
--   rescue: what a dead worker left (rescued), hand-overs that were not taken, and replies that were not read;
--   settle: what the platform said nothing of (resent, failed_unknown), and silent_accounts, [{company_id, waba_id,
--     messages, refused}, …]: accounts whose messages wait because no event of theirs can arrive;
--   expire: what is too late (expired);
--   close: campaigns that are over, deliveries that a dead worker left, and warnings of keys that end soon;
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
  if not outbound.is_active_cell() then
    return jsonb_build_object('standby', true);
  end if;
  if not pg_try_advisory_xact_lock(hashtextextended('outbound.tick', 0)) then
    return jsonb_build_object('busy', true);
  end if;

  case p_step
    when 'rescue' then
      perform outbound.mark_tick(p_by);
      perform outbound.expire_handoffs(p_limit);
      perform outbound.follow_up_conversations(p_limit);
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
      perform outbound.report_expiring_keys(100);
      perform outbound.close_campaigns(p_limit);
      perform outbound.schedule_lost_deliveries(outbound.leases_from());

    when 'schedules' then
      v_did := jsonb_build_object('repaired_turns', outbound.keep_schedules());
  end case;
  return v_did;
end
$$;

revoke execute on function outbound.tick_step from public;

-- Adds a message and reports it to the company's webhook. The conversation's row is the lock: numbers have no gaps,
-- and a repeated client_message_id finds the first message. outcome: posted, repeated, closed, quota (with the cap
-- that the visitor reached, as use_visitor_quota returns it), or no row when there is no such conversation. A
-- visitor's message, and a machine's to a visitor, counts with its bytes and 256 more for its row. content: what the
-- message has beside its text. Who writes has read all before; a machine reads nothing for the members. A reply of a
-- person ends those of a machine.
create or replace function outbound.add_message(
  p_company_id uuid, p_conversation_id uuid, p_author text, p_text text, p_client_message_id uuid, p_content jsonb
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_conversation outbound.conversations;
  v_message outbound.conversation_messages;
  v_is_machine constant boolean := coalesce(p_content #> '{sender,is_machine}' = 'true', false);
  v_by_member constant boolean := p_author = 'operator' and not v_is_machine;
  v_bytes constant int := case when p_author = 'visitor' or v_is_machine then octet_length(p_text) + octet_length(p_content::text) + 256 else 0 end;
  v_left int;
  v_reached record;
begin
  select * into v_conversation from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id
  for no key update;
  if not found then
    return;
  end if;
  select * into v_message from outbound.conversation_messages as m
  where m.company_id = p_company_id and m.conversation_id = p_conversation_id
    and m.client_message_id = p_client_message_id;
  if found then
    return query select 'repeated', outbound.describe_message(v_message), null::text, null::int, null::int;
    return;
  end if;
  if v_conversation.status <> 'open' then
    return query select 'closed', null::jsonb, null::text, null::int, null::int;
    return;
  end if;
  v_left := v_conversation.stored_bytes_left - v_bytes;
  if v_left < 0 then
    select * into v_reached from outbound.use_visitor_quota(
      p_company_id, v_conversation.widget_id, null, null, null, outbound.stored_bytes_per_piece());
    if v_reached.cap is not null then
      return query select 'quota', null::jsonb, v_reached.cap, v_reached.quota, v_reached.used;
      return;
    end if;
    v_left := v_left + outbound.stored_bytes_per_piece();
  end if;
  insert into outbound.conversation_messages
    (company_id, conversation_id, sequence, author, text, client_message_id, content)
  values
    (p_company_id, p_conversation_id, v_conversation.last_sequence + 1, p_author, p_text, p_client_message_id, p_content)
  returning * into v_message;
  update outbound.conversations as c
  set last_sequence = v_message.sequence, last_author = p_author, last_message_at = v_message.created_at,
    stored_bytes_left = v_left,
    visitor_typing_until = case when p_author = 'visitor' then null else c.visitor_typing_until end,
    operator_typing_until = case when p_author = 'operator' then null else c.operator_typing_until end,
    visitor_read = case when p_author = 'visitor' then v_message.sequence else c.visitor_read end,
    operator_read = case when v_by_member then v_message.sequence else c.operator_read end,
    follow_up_at = case
      when p_author = 'visitor' then null
      when v_by_member then coalesce(c.follow_up_at, outbound.follow_up_due(c.company_id, c.widget_id))
      else c.follow_up_at
    end,
    assistant = case when v_by_member then 'silent' else c.assistant end
  where c.company_id = p_company_id and c.id = p_conversation_id;
  perform outbound.report_message(v_conversation, v_message);
  return query select 'posted', outbound.describe_message(v_message), null::text, null::int, null::int;
end
$$;

revoke execute on function outbound.add_message from public;

-- Adds a visitor's message, as add_message does, and in the same transaction a machine's reply. p_reply: null for none,
-- else {text, content, fits}; fits is false when the machine has nothing to say about the question. The reply is left
-- out where a person takes care of the conversation, for a repeated message, and where the visitor's storage is used up;
-- one that does not fit also where the conversation waits for a person already.
-- A conversation that waits for a person goes on waiting, whatever a machine replies.
create or replace function outbound.add_visitor_message(
  p_company_id uuid, p_conversation_id uuid, p_text text, p_client_message_id uuid, p_content jsonb, p_reply jsonb
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_before outbound.conversations;
  v_may_reply boolean;
  v_fits boolean;
  v_assistant text;
  v_posted record;
  v_reply record;
begin
  select * into v_before from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id
  for no key update;
  v_fits := (p_reply ->> 'fits')::boolean;
  v_may_reply := p_reply is not null and v_before.assistant <> 'silent' and v_before.assigned_to is null
    and (v_fits or v_before.last_author is distinct from 'visitor');
  v_assistant := case when v_before.assistant = 'silent' then 'silent' when v_may_reply and v_fits then 'replying'
    else 'idle' end;
  -- Before the message is reported: it decides who is notified.
  perform outbound.set_assistant(p_company_id, p_conversation_id, v_assistant);
  select * into v_posted from outbound.add_message(
    p_company_id, p_conversation_id, 'visitor', p_text, p_client_message_id, p_content);
  if v_posted.outcome is distinct from 'posted' then
    perform outbound.set_assistant(p_company_id, p_conversation_id, v_before.assistant);
  elsif v_may_reply then
    select * into v_reply from outbound.add_message(
      p_company_id, p_conversation_id, 'operator', p_reply ->> 'text', null, p_reply -> 'content');
    perform outbound.set_machine_author(
      p_company_id, p_conversation_id, (v_reply.message ->> 'sequence')::int);
    if v_fits and v_reply.outcome <> 'posted' then
      perform outbound.set_assistant(p_company_id, p_conversation_id, 'idle');
      perform outbound.notify_members(p_company_id, 'chat', p_conversation_id, null);
    end if;
    if not v_fits or v_before.last_author = 'visitor' then
      update outbound.conversations as c set last_author = 'visitor'
      where c.company_id = p_company_id and c.id = p_conversation_id;
    end if;
  end if;
  return query select v_posted.outcome, v_posted.message, v_posted.cap, v_posted.quota, v_posted.used
    where v_posted.outcome is not null;
end
$$;

revoke execute on function outbound.add_visitor_message from public;

-- Sets who replies to a conversation's visitor, if that changes.
create or replace function outbound.set_assistant(p_company_id uuid, p_conversation_id uuid, p_assistant text)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.conversations as c set assistant = p_assistant
  where c.company_id = p_company_id and c.id = p_conversation_id and c.assistant <> p_assistant
$$;

revoke execute on function outbound.set_assistant from public;

-- Records that the service wrote a message itself.
create or replace function outbound.set_machine_author(p_company_id uuid, p_conversation_id uuid, p_sequence int)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.conversation_messages as m set actor = 'assistant'
  where m.company_id = p_company_id and m.conversation_id = p_conversation_id and m.sequence = p_sequence
$$;

revoke execute on function outbound.set_machine_author from public;

-- Opens a conversation and counts it. p_consent: what the visitor accepted, {text, link}, or null. Returns its id, or the
-- cap that was reached as use_visitor_quota does.
create or replace function outbound.begin_conversation(
  p_company_id uuid, p_widget_id uuid, p_user_id uuid, p_token_hash text, p_language text, p_page_url text,
  p_page_title text, p_consent jsonb
)
returns table (id uuid, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_reached record;
  v_id uuid;
begin
  select * into v_reached from outbound.use_visitor_quota(
    p_company_id, p_widget_id, null, null, 1, outbound.stored_bytes_per_piece());
  if v_reached.cap is null then
    insert into outbound.conversations as c (
      company_id, widget_id, user_id, token_hash, language, page_url, page_title, stored_bytes_left, consent
    )
    values (
      p_company_id, p_widget_id, p_user_id, p_token_hash, p_language, p_page_url, p_page_title,
      outbound.stored_bytes_per_piece(), p_consent || jsonb_build_object('accepted_at', outbound.iso_time(now()))
    )
    returning c.id into v_id;
  end if;
  return query select v_id, v_reached.cap, v_reached.quota, v_reached.used;
end
$$;

revoke execute on function outbound.begin_conversation from public;

-- Returns the company's documents that contain any word of a question but the most common ones of its language, the
-- best first, each with its best passages. words: how many words of the question count; found: how many of them, in any
-- form, the document has. By the company's index, not by the one of words, which holds those of all companies.
create or replace function outbound.find_passages(p_company_id uuid, p_question text, p_language regconfig, p_limit int)
returns table (title text, text text, url text, words int, found int)
language sql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  with word as materialized (
    select plainto_tsquery('simple', w.lexeme) || plainto_tsquery(p_language, w.lexeme) as forms
    from unnest(to_tsvector('simple', p_question)) as w
    where to_tsvector(p_language, w.lexeme) <> ''::tsvector
  ),
  question as materialized (
    select string_agg(w.forms::text, ' | ')::tsquery as any_word, count(*)::int as words from word as w
  ),
  best as materialized (
    select d.title, d.content, d.url, d.id, d.language, d.search, q.any_word, q.words,
      ts_rank(d.search, q.any_word) as rank
    from question as q
    join outbound.knowledge_documents as d on d.search @@ q.any_word
    where d.company_id = p_company_id
    order by rank desc, d.id
    limit p_limit
  )
  select b.title,
    case when length(b.content) <= 1000 then b.content else ts_headline(
      outbound.text_search_config(b.language), b.content, b.any_word,
      'MaxFragments=3, MaxWords=60, MinWords=20, StartSel="", StopSel="", FragmentDelimiter=" … "') end,
    b.url, b.words, (select count(*)::int from word as w where b.search @@ w.forms)
  from best as b order by b.rank desc, b.id
$$;

revoke execute on function outbound.find_passages from public;

-- Reports up to p_limit conversations with a reply that the visitor has not read in time, the oldest first. A step of
-- tick: those that are locked wait for the next one.
create or replace function outbound.follow_up_conversations(p_limit int)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_conversation outbound.conversations;
begin
  for v_conversation in
    select c.* from outbound.conversations as c
    where c.follow_up_at <= now()
    order by c.follow_up_at limit least(p_limit, 500) for no key update skip locked
  loop
    update outbound.conversations as c set follow_up_at = null
    where c.company_id = v_conversation.company_id and c.id = v_conversation.id;
    perform outbound.report_follow_up(v_conversation);
  end loop;
end
$$;

revoke execute on function outbound.follow_up_conversations from public;

-- Writes conversation.follow_up with the e-mail address of the visitor and the last 30 messages, each cut at 1,000
-- characters, if there are an address and a reply that is not read. A signed address comes before a typed one.
create or replace function outbound.report_follow_up(p_conversation outbound.conversations)
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  v_signed constant text := (
    select a.address from outbound.contact_addresses as a
    where a.company_id = p_conversation.company_id and a.contact_id = p_conversation.contact_id and a.kind = 'email'
    order by a.created_at desc, a.address limit 1
  );
  v_messages jsonb;
begin
  if coalesce(v_signed, p_conversation.visitor_email) is null then
    return;
  end if;
  select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
    'sequence', m.sequence, 'author', m.author, 'sender', m.content #>> '{sender,name}', 'text', left(m.text, 1000),
    'is_read', m.author <> 'operator' or m.sequence <= p_conversation.visitor_read,
    'created_at', outbound.iso_time(m.created_at))) order by m.sequence), '[]')
  into v_messages
  from outbound.conversation_messages as m
  where m.company_id = p_conversation.company_id and m.conversation_id = p_conversation.id
    and m.sequence > p_conversation.last_sequence - 30;
  if not v_messages @> '[{"is_read": false}]' then
    return;
  end if;
  perform outbound.write_event(p_conversation.company_id, 'conversation.follow_up', now(), json_build_object(
    'company_id', p_conversation.company_id, 'conversation_id', p_conversation.id,
    'widget_id', p_conversation.widget_id, 'user_id', p_conversation.user_id,
    'email', coalesce(v_signed, p_conversation.visitor_email), 'is_signed', v_signed is not null,
    'language', p_conversation.language, 'page_url', p_conversation.page_url,
    'page_title', p_conversation.page_title, 'messages', v_messages,
    'has_more', p_conversation.last_sequence > 30));
end
$$;

revoke execute on function outbound.report_follow_up from public;

-- Returns when a reply of now is followed up by e-mail, unless the visitor reads it before; null for a widget that sends
-- no follow-ups. The default is that of the configuration (_shared/widgets/widget_config.ts).
create or replace function outbound.follow_up_due(p_company_id uuid, p_widget_id uuid)
returns timestamptz
language sql stable security invoker set search_path = ''
return (
  select now() + make_interval(mins => coalesce((w.config #>> '{follow_up,send_after_minutes}')::int, 10))
  from outbound.widgets as w
  where w.company_id = p_company_id and w.id = p_widget_id and jsonb_typeof(w.config -> 'follow_up') = 'object'
);

revoke execute on function outbound.follow_up_due from public;

-- Stores the visitor's rating of a conversation, 1 to 5, in place of an earlier one, and reports it. Returns rated,
-- unchanged, off where the widget asks for none, empty before the first message, late a day after its end, or null when
-- there is no such conversation.
create or replace function outbound.rate_conversation(
  p_company_id uuid, p_conversation_id uuid, p_rating int, p_comment text
)
returns text
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_conversation outbound.conversations;
begin
  select * into v_conversation from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id for no key update;
  if not found then
    return null;
  elsif exists (
    select from outbound.widgets as w
    where w.company_id = p_company_id and w.id = v_conversation.widget_id and w.config #> '{features,rating}' = 'false'
  ) then
    return 'off';
  elsif v_conversation.last_sequence = 0 then
    return 'empty';
  elsif v_conversation.closed_at < now() - interval '1 day' then
    return 'late';
  elsif (v_conversation.rating, v_conversation.rating_comment) is not distinct from (p_rating, p_comment) then
    return 'unchanged';
  end if;
  update outbound.conversations as c set rating = p_rating, rating_comment = p_comment, rated_at = now()
  where c.company_id = p_company_id and c.id = p_conversation_id;
  perform outbound.write_event(p_company_id, 'conversation.rated', now(), json_build_object(
    'company_id', p_company_id, 'conversation_id', p_conversation_id, 'widget_id', v_conversation.widget_id,
    'user_id', v_conversation.user_id, 'assigned_to', v_conversation.assigned_to, 'rating', p_rating,
    'comment', p_comment, 'previous_rating', v_conversation.rating, 'rated_at', outbound.iso_time(now())));
  return 'rated';
end
$$;

revoke execute on function outbound.rate_conversation from public;

-- Moves how far one side (visitor, operator) has read a conversation on to p_sequence: never back, and not beyond the
-- last message. Returns whether it moved; nothing is written where it did not.
create or replace function outbound.read_conversation(
  p_company_id uuid, p_conversation_id uuid, p_reader text, p_sequence int
)
returns boolean
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  update outbound.conversations as c
  set visitor_read = case when p_reader = 'visitor' then least(p_sequence, c.last_sequence) else c.visitor_read end,
    operator_read = case when p_reader = 'operator' then least(p_sequence, c.last_sequence) else c.operator_read end,
    follow_up_at = case when p_reader = 'visitor' and p_sequence >= c.last_sequence then null else c.follow_up_at end
  where c.company_id = p_company_id and c.id = p_conversation_id
    and least(p_sequence, c.last_sequence) > case when p_reader = 'visitor' then c.visitor_read else c.operator_read end;
  return found;
end
$$;

revoke execute on function outbound.read_conversation from public;

-- Writes conversation.message, with what the message has beside its text, and before the first one of a conversation
-- conversation.started. A conversation without a message is not reported. A visitor's message notifies the member who
-- has the conversation; where none has, the first one that waits notifies all. One that a machine replies to notifies no
-- member.
create or replace function outbound.report_message(
  p_conversation outbound.conversations, p_message outbound.conversation_messages
)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  if p_message.sequence = 1 then
    perform outbound.write_event(p_message.company_id, 'conversation.started', p_message.created_at,
      json_build_object(
        'company_id', p_message.company_id, 'conversation_id', p_message.conversation_id,
        'widget_id', p_conversation.widget_id, 'user_id', p_conversation.user_id,
        'language', p_conversation.language, 'page_url', p_conversation.page_url,
        'page_title', p_conversation.page_title,
        'created_at', outbound.iso_time(p_conversation.created_at)));
  end if;
  perform outbound.write_event(p_message.company_id, 'conversation.message', p_message.created_at,
    (p_message.content || jsonb_build_object(
      'company_id', p_message.company_id, 'conversation_id', p_message.conversation_id,
      'widget_id', p_conversation.widget_id, 'user_id', p_conversation.user_id,
      'message_id', p_message.id, 'sequence', p_message.sequence, 'author', p_message.author,
      'text', p_message.text, 'created_at', outbound.iso_time(p_message.created_at)))::json);
  if p_message.author = 'visitor' and p_conversation.assistant <> 'replying'
    and (p_conversation.assigned_to is not null or p_conversation.last_author is distinct from 'visitor')
  then
    perform outbound.notify_members(
      p_message.company_id, 'chat', p_message.conversation_id, p_conversation.assigned_to);
  end if;
end
$$;

revoke execute on function outbound.report_message from public;

-- Records that a visitor asks for a person: adds a message of the system with this text, reports it, and notifies the
-- member who has the conversation, or all. No machine replies from then on. Returns requested, repeated (nothing
-- changes), closed, or null when there is no such conversation.
create or replace function outbound.request_person(p_company_id uuid, p_conversation_id uuid, p_text text)
returns text
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_conversation outbound.conversations;
begin
  select * into v_conversation from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id
  for no key update;
  if not found then
    return null;
  elsif v_conversation.handoff_requested_at is not null then
    return 'repeated';
  elsif v_conversation.status <> 'open' then
    return 'closed';
  end if;
  perform outbound.add_message(
    p_company_id, p_conversation_id, 'system', p_text, null, '{"notice": "person_requested"}');
  perform outbound.set_machine_author(p_company_id, p_conversation_id, v_conversation.last_sequence + 1);
  update outbound.conversations as c
  set handoff_requested_at = now(), assistant = 'silent', last_author = 'visitor'
  where c.company_id = p_company_id and c.id = p_conversation_id;
  perform outbound.write_event(p_company_id, 'conversation.handoff_requested', now(),
    json_build_object(
      'company_id', p_company_id, 'conversation_id', p_conversation_id, 'widget_id', v_conversation.widget_id,
      'user_id', v_conversation.user_id, 'requested_at', outbound.iso_time(now())));
  perform outbound.notify_members(p_company_id, 'chat', p_conversation_id, v_conversation.assigned_to);
  return 'requested';
end
$$;

revoke execute on function outbound.request_person from public;

-- Stores where the visitor of a conversation wants replies by e-mail, or removes it (null). Returns stored, off where the
-- widget sends no follow-ups, or null when there is no such conversation.
create or replace function outbound.set_visitor_email(p_company_id uuid, p_conversation_id uuid, p_email text)
returns text
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_conversation outbound.conversations;
  v_due timestamptz;
begin
  select * into v_conversation from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id for no key update;
  if not found then
    return null;
  end if;
  v_due := outbound.follow_up_due(p_company_id, v_conversation.widget_id);
  if p_email is not null and v_due is null then
    return 'off';
  end if;
  if p_email is distinct from v_conversation.visitor_email then
    update outbound.conversations as c
    set visitor_email = p_email,
      -- A reply may have waited for the address.
      follow_up_at = coalesce(c.follow_up_at,
        case when c.last_author = 'operator' and c.visitor_read < c.last_sequence then v_due end)
    where c.company_id = p_company_id and c.id = p_conversation_id;
  end if;
  return 'stored';
end
$$;

revoke execute on function outbound.set_visitor_email from public;

-- Erases what is known about a person, under all the given addresses, and keeps the person suppressed by hashes of
-- them. Of a notification, only what happened and when stays; one that still waits is skipped (erased), one of unknown
-- outcome fails. Archive files are written without the person soon after (archive_erasures). The platform's message ids
-- go too, because a WhatsApp id contains the recipient's number.
-- p_contact_id: the person's contact, in place of a number and a user id; null: these.
-- p_addresses: what addresses_of_person returned a moment ago; p_hashes: theirs.
-- p_events: the ids of outgoing events that name the person, written before p_since; later ones are searched here.
-- Returns outcome: erased (with counts); changed (the person has other addresses, notifications or messages by now: read
-- them again); on_its_way (a message is being sent, or a call is going on: retry after retry_after_s); unknown (the company
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
  v_threads uuid[];
  v_contacts uuid[];
begin
  -- A restore that puts rows of the person back is over before this begins, or blanks them after it (archive_erasures).
  perform from outbound.archive_files as f
  where f.company_id = p_company_id order by f.id for no key update;
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

  -- A message of the person that is being stored becomes the last of its thread, which ends with its last message
  -- only: it would keep what members wrote about the person. So it is waited for, and read with the rest.
  v_threads := array(
    select t.id from unnest(v_messages) as gone(id)
    cross join lateral (
      select o.id from outbound.contact_threads as o
      where o.last_message_id = gone.id and case when o.company_id = p_company_id then true end
    ) as t
  );
  perform from outbound.contact_threads as t
  where t.company_id = p_company_id and t.id = any (v_threads) order by t.id for update;
  if exists (
    select from outbound.contact_threads as t
    where t.company_id = p_company_id and t.id = any (v_threads) and t.last_message_id <> all (v_messages)
  ) then
    outcome := 'changed';
    return;
  end if;

  v_contacts := outbound.contacts_of_addresses(p_company_id, p_addresses) || p_contact_id;
  counts := outbound.erase_notifications(p_company_id, v_ids)
    || jsonb_build_object('events', outbound.delete_events_about(
      p_company_id, p_addresses || outbound.chats_of_contacts(p_company_id, v_contacts)
        || outbound.handoffs_of_person(p_company_id, p_addresses, v_contacts)::text[], p_events, p_since))
    || outbound.delete_contact_data(p_company_id, p_addresses, v_messages)
    || jsonb_build_object('contacts', outbound.delete_people(p_company_id, p_addresses, p_contact_id),
      'archive_files', outbound.erase_from_archive(p_company_id, p_addresses));
  -- Without an address, there was nothing but the contact.
  if p_addresses = '{}' and counts ->> 'contacts' = '0' then
    outcome := 'unknown';
    return;
  end if;
  outcome := 'erased';
  perform outbound.delete_request_bodies(p_company_id);
  insert into outbound.erased_contacts (company_id, address_hash)
  select p_company_id, hash from unnest(p_hashes) as hash order by hash
  on conflict on constraint erased_contacts_pkey do update set erased_at = now();
  perform outbound.write_audit(p_company_id, p_actor, 'contact.erased', null, null, counts, p_request_id);
end
$$;

revoke execute on function outbound.erase_person from public;

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
  where v.company_id = p_company_id
    and v.id = any (outbound.chats_of_contacts(p_company_id, v_ids)::uuid[]);
  update outbound.conversations as v set visitor_email = null
  where v.company_id = p_company_id and v.visitor_email = any (outbound.emails_of_contacts(p_company_id, v_ids));
  delete from outbound.contacts as c where c.company_id = p_company_id and c.id = any (v_ids);
  get diagnostics v_contacts = row_count;
  return v_contacts;
end
$$;

revoke execute on function outbound.delete_people from public;

-- Returns the e-mail addresses of contacts.
create or replace function outbound.emails_of_contacts(p_company_id uuid, p_contacts uuid[])
returns text[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    select known.address from unnest(p_contacts) as c(id)
    cross join lateral (
      select a.address from outbound.contact_addresses as a
      where a.company_id = p_company_id and a.contact_id = c.id and a.kind = 'email' offset 0
    ) as known
  );
end
$$;

revoke execute on function outbound.emails_of_contacts from public;

-- Returns the ids of contacts' chats on the website, by which events name them: those of signed visitors, and those of
-- unknown ones who left an address of a contact.
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
    union
    select v.id::text from unnest(outbound.emails_of_contacts(p_company_id, p_contacts)) as known(address)
    cross join lateral (
      select o.id from outbound.conversations as o
      where o.company_id = p_company_id and o.visitor_email = known.address and o.contact_id is null
      offset 0 -- one look-up per address
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
    select h.id from unnest(outbound.emails_of_contacts(p_company_id, p_contacts)) as known(address)
    cross join lateral (
      select o.id from outbound.handoffs as o
      where o.company_id = p_company_id and o.contact is not null and lower(o.contact ->> 'email') = known.address offset 0
    ) as h
  );
end
$$;

revoke execute on function outbound.handoffs_of_person from public;

-- Adds a visitor's message with a file whose object is in the media store, and the file, whose room is reserved already
-- (expect_visitor_file). p_file: {id, kind, content_type, bytes, sha256, file_name, width, height}; the last two are null
-- where they are not known. Returns what add_message returns, or the outcome too_late: the upload took too long. Unless
-- the outcome is posted, the object is left over.
create or replace function outbound.add_visitor_file(
  p_company_id uuid, p_conversation_id uuid, p_text text, p_client_message_id uuid, p_file jsonb
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_file outbound.media_files := jsonb_populate_record(null::outbound.media_files, p_file);
  v_posted record;
begin
  -- One that is due is about to be deleted.
  perform from outbound.media_leftovers as l
  where l.company_id = p_company_id and l.media_id = v_file.id and l.due_at > now() for update;
  if not found then
    return query select 'too_late', null::jsonb, null::text, null::int, null::int;
    return;
  end if;
  select * into v_posted from outbound.add_message(
    p_company_id, p_conversation_id, 'visitor', p_text, p_client_message_id,
    jsonb_build_object('file', jsonb_strip_nulls(jsonb_build_object(
      'media_id', v_file.id, 'file_name', v_file.file_name, 'content_type', v_file.content_type, 'bytes', v_file.bytes,
      'width', p_file -> 'width', 'height', p_file -> 'height'))));
  if found and v_posted.outcome = 'posted' then
    insert into outbound.media_files (
      company_id, id, kind, content_type, bytes, sha256, file_name, message_id, conversation_id, created_by
    )
    values (
      p_company_id, v_file.id, v_file.kind, v_file.content_type, v_file.bytes, v_file.sha256, v_file.file_name,
      (v_posted.message ->> 'id')::uuid, p_conversation_id, 'visitor'
    );
    delete from outbound.media_leftovers as l where l.company_id = p_company_id and l.media_id = v_file.id;
  else
    update outbound.media_leftovers as l set due_at = now()
    where l.company_id = p_company_id and l.media_id = v_file.id;
  end if;
  if v_posted.outcome is not null then
    return query select v_posted.outcome, v_posted.message, v_posted.cap, v_posted.quota, v_posted.used;
  end if;
end
$$;

revoke execute on function outbound.add_visitor_file from public;

-- Reserves room for a file that a visitor is about to send, as expect_media does, and counts it towards the visitors'
-- quota of the day. Files of visitors may take half of p_max_bytes, so that they leave room for the company's own.
-- outcome: expected; repeated (with the message that has p_client_message_id already); closed; no_room; quota (with the
-- cap that was reached, as use_visitor_quota returns it); no row when there is no such conversation. Only `expected`
-- changes anything.
create or replace function outbound.expect_visitor_file(
  p_company_id uuid, p_conversation_id uuid, p_client_message_id uuid, p_media_id uuid, p_bytes int, p_max_bytes bigint
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_conversation outbound.conversations;
  v_message outbound.conversation_messages;
  v_reached record;
begin
  select * into v_conversation from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id;
  if not found then
    return;
  end if;
  select * into v_message from outbound.conversation_messages as m
  where m.company_id = p_company_id and m.conversation_id = p_conversation_id
    and m.client_message_id = p_client_message_id;
  if found then
    return query select 'repeated', outbound.describe_message(v_message), null::text, null::int, null::int;
    return;
  end if;
  if v_conversation.status <> 'open' then
    return query select 'closed', null::jsonb, null::text, null::int, null::int;
    return;
  end if;
  insert into outbound.media_usage as u (company_id, bytes, visitor_bytes)
  select p_company_id, p_bytes, p_bytes where p_bytes <= p_max_bytes / 2
  on conflict on constraint media_usage_pkey do update
    set bytes = u.bytes + excluded.bytes, visitor_bytes = u.visitor_bytes + excluded.visitor_bytes
    where u.bytes + excluded.bytes <= p_max_bytes and u.visitor_bytes + excluded.visitor_bytes <= p_max_bytes / 2;
  if not found then
    return query select 'no_room', null::jsonb, null::text, null::int, null::int;
    return;
  end if;
  select * into v_reached from outbound.use_visitor_quota(
    p_company_id, v_conversation.widget_id, null, null, null, p_bytes);
  if v_reached.cap is not null then
    update outbound.media_usage as u
    set bytes = u.bytes - p_bytes, visitor_bytes = u.visitor_bytes - p_bytes
    where u.company_id = p_company_id;
    return query select 'quota', null::jsonb, v_reached.cap, v_reached.quota, v_reached.used;
    return;
  end if;
  insert into outbound.media_leftovers (company_id, media_id, bytes, due_at, of_visitor)
  values (p_company_id, p_media_id, p_bytes, now() + interval '1 hour', true);
  return query select 'expected', null::jsonb, null::text, null::int, null::int;
end
$$;

revoke execute on function outbound.expect_visitor_file from public;

-- add_visitor_message, add_message and add_reply of a text alone.
create or replace function outbound.post_message(
  p_company_id uuid, p_conversation_id uuid, p_author text, p_text text, p_client_message_id uuid
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language sql security invoker set search_path = ''
as $$
  select * from outbound.add_visitor_message(p_company_id, p_conversation_id, p_text, p_client_message_id, '{}', null)
  where p_author = 'visitor'
  union all
  select * from outbound.add_message(p_company_id, p_conversation_id, p_author, p_text, p_client_message_id, '{}')
  where p_author <> 'visitor'
$$;

revoke execute on function outbound.post_message from public;

-- begin_conversation of a visitor who was not asked to accept anything.
create or replace function outbound.open_conversation(
  p_company_id uuid, p_widget_id uuid, p_user_id uuid, p_token_hash text, p_language text, p_page_url text,
  p_page_title text
)
returns table (id uuid, cap text, quota int, used int)
language sql security invoker set search_path = ''
as $$
  select * from outbound.begin_conversation(
    p_company_id, p_widget_id, p_user_id, p_token_hash, p_language, p_page_url, p_page_title, null)
$$;

revoke execute on function outbound.open_conversation from public;

create or replace function outbound.search_knowledge(p_company_id uuid, p_question text, p_language regconfig, p_limit int)
returns table (title text, text text, url text)
language sql stable security invoker set search_path = ''
as $$
  select f.title, f.text, f.url from outbound.find_passages(p_company_id, p_question, p_language, p_limit) as f
$$;

revoke execute on function outbound.search_knowledge from public;

reset check_function_bodies;
