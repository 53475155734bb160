set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.conversations add column assistant text default 'idle'::text not null;

alter table outbound.conversations add column handoff_requested_at timestamp with time zone;

alter table outbound.conversations add constraint conversations_assistant_check CHECK ((assistant = ANY (ARRAY['idle'::text, 'replying'::text, 'silent'::text])));

-- Adds a message and reports it to the company's webhook. The conversation's row is the lock: numbers have no gaps,
-- and a repeated client_message_id finds the first message. outcome: posted, repeated, closed, quota (with the cap
-- that the visitor reached, as use_visitor_quota returns it), or no row when there is no such conversation. A
-- visitor's message, and a machine's to a visitor, counts with its bytes and 256 more for its row. content: what the
-- message has beside its text. A reply of a person ends those of a machine.
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
    assistant = case when p_author = 'operator' and not v_is_machine then 'silent' else c.assistant end
  where c.company_id = p_company_id and c.id = p_conversation_id;
  perform outbound.report_message(v_conversation, v_message);
  return query select 'posted', outbound.describe_message(v_message), null::text, null::int, null::int;
end
$$;

revoke execute on function outbound.add_message from public;

-- Adds a visitor's message, as add_message does, and in the same transaction a machine's reply. p_reply: null for none,
-- else {text, content, fits}; fits is false when the machine has nothing to say about the question. The reply is left
-- out where a person takes care of the conversation, for a repeated message, and where the visitor's storage is used up.
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
  v_may_reply := p_reply is not null and v_before.assistant <> 'silent' and v_before.assigned_to is null;
  v_fits := v_may_reply and (p_reply ->> 'fits')::boolean;
  v_assistant := case when v_before.assistant = 'silent' then 'silent' when v_fits then 'replying' else 'idle' end;
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

-- Writes conversation.message, and before the first one of a conversation conversation.started. A conversation
-- without a message is not reported. A visitor's message notifies the member who has the conversation; where none has,
-- the first one that waits notifies all. One that a machine replies to notifies no member.
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
    json_build_object(
      'company_id', p_message.company_id, 'conversation_id', p_message.conversation_id,
      'widget_id', p_conversation.widget_id, 'user_id', p_conversation.user_id,
      'message_id', p_message.id, 'sequence', p_message.sequence, 'author', p_message.author,
      'text', p_message.text, 'created_at', outbound.iso_time(p_message.created_at)));
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

create or replace function outbound.search_knowledge(p_company_id uuid, p_question text, p_language regconfig, p_limit int)
returns table (title text, text text, url text)
language sql stable security invoker set search_path = ''
as $$
  select f.title, f.text, f.url from outbound.find_passages(p_company_id, p_question, p_language, p_limit) as f
$$;

revoke execute on function outbound.search_knowledge from public;

reset check_function_bodies;
