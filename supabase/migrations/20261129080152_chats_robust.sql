set local lock_timeout = '2s';
set check_function_bodies = off;

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
  v_open record;
  v_conversation outbound.conversations;
  v_message outbound.conversation_messages;
  v_is_machine constant boolean := coalesce(p_content #> '{sender,is_machine}' = 'true', false);
  v_by_member constant boolean := p_author = 'operator' and not v_is_machine;
  v_bytes constant int := case when p_author = 'visitor' or v_is_machine then octet_length(p_text) + octet_length(p_content::text) + 256 else 0 end;
  v_left int;
  v_reached record;
begin
  select * into v_open from outbound.open_for_message(p_company_id, p_conversation_id, p_client_message_id);
  if not found then
    return;
  elsif v_open.outcome is not null then
    return query select v_open.outcome, v_open.message, null::text, null::int, null::int;
    return;
  end if;
  v_conversation := v_open.conversation;
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

-- Locks a conversation for a new message. outcome: repeated (with the message that has p_client_message_id already),
-- closed, or null where the message may be added. No row when there is no such conversation.
create or replace function outbound.open_for_message(p_company_id uuid, p_conversation_id uuid, p_client_message_id uuid)
returns table (conversation outbound.conversations, outcome text, message jsonb)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_conversation outbound.conversations;
  v_message outbound.conversation_messages;
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
    return query select v_conversation, 'repeated', outbound.describe_message(v_message);
  else
    return query select v_conversation, case when v_conversation.status <> 'open' then 'closed' end, null::jsonb;
  end if;
end
$$;

revoke execute on function outbound.open_for_message from public;

-- Has an expected object deleted soon, because storing it failed. The store may still be writing it: not at once.
-- p_conversation_id: of a visitor's file, which then no longer counts towards the day's quota; null: of another one.
create or replace function outbound.abandon_media(p_company_id uuid, p_media_id uuid, p_conversation_id uuid)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_wait constant interval := '5 minutes';
  v_bytes int;
  v_day date;
  v_widget_id uuid;
begin
  -- As it was expected: in an hour.
  select l.bytes, ((l.due_at - interval '1 hour') at time zone 'UTC')::date into v_bytes, v_day
  from outbound.media_leftovers as l
  where l.company_id = p_company_id and l.media_id = p_media_id and l.due_at > now() + v_wait
  for no key update;
  if not found then
    return;
  end if;
  update outbound.media_leftovers as l set due_at = now() + v_wait
  where l.company_id = p_company_id and l.media_id = p_media_id;
  select c.widget_id into v_widget_id from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id;
  if found then
    perform outbound.refund_stored_bytes(p_company_id, v_widget_id, v_day, v_bytes);
  end if;
end
$$;

revoke execute on function outbound.abandon_media from public;

-- Takes stored bytes of visitors back from a day. A day that clean_up has deleted stays deleted.
create or replace function outbound.refund_stored_bytes(p_company_id uuid, p_widget_id uuid, p_day date, p_bytes int)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  perform from outbound.visitor_usage as u
  where u.company_id = p_company_id and u.subject_id in (p_widget_id, p_company_id) and u.day = p_day
  order by u.subject_id = u.company_id
  for no key update;
  update outbound.visitor_usage as u set stored_bytes = greatest(u.stored_bytes - p_bytes, 0)
  where u.company_id = p_company_id and u.subject_id in (p_widget_id, p_company_id) and u.day = p_day;
end
$$;

revoke execute on function outbound.refund_stored_bytes from public;

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
  v_open record;
  v_reached record;
begin
  select * into v_open from outbound.open_for_message(p_company_id, p_conversation_id, p_client_message_id);
  if not found then
    return;
  elsif v_open.outcome is not null then
    return query select v_open.outcome, v_open.message, null::text, null::int, null::int;
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
    p_company_id, (v_open.conversation).widget_id, null, null, null, p_bytes);
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

reset check_function_bodies;
