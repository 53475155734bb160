set local lock_timeout = '2s';
set check_function_bodies = off;

-- Deletes the files that visitors sent in chats that were deleted.
create or replace function outbound.delete_files_of_chats()
returns trigger
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per conversation.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  delete from outbound.media_files as f
  using old_rows as c
  where f.company_id = c.company_id and f.conversation_id = c.id;
  return null;
end
$$;

revoke execute on function outbound.delete_files_of_chats from public;

-- Has the objects of deleted files deleted from the media store too (take_media_leftovers).
create or replace function outbound.release_media_objects()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.media_leftovers (company_id, media_id, bytes, due_at, of_visitor)
  select f.company_id, f.id, f.bytes, now(), f.conversation_id is not null from old_rows as f
  on conflict on constraint media_leftovers_pkey do update set due_at = excluded.due_at;
  return null;
end
$$;

revoke execute on function outbound.release_media_objects from public;

-- Adds a visitor's message, as add_message does, and right after it the automatic reply p_reply, in the name of p_sender
-- ({name, is_machine}). A repeated message adds neither.
create or replace function outbound.add_quick_reply(
  p_company_id uuid, p_conversation_id uuid, p_text text, p_client_message_id uuid, p_reply text, p_sender jsonb
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_posted record;
begin
  select * into v_posted from outbound.add_message(
    p_company_id, p_conversation_id, 'visitor', p_text, p_client_message_id, '{}');
  if not found then
    return;
  end if;
  if v_posted.outcome = 'posted' then
    perform outbound.add_message(
      p_company_id, p_conversation_id, 'operator', p_reply, null, jsonb_build_object('sender', p_sender));
  end if;
  return query select v_posted.outcome, v_posted.message, v_posted.cap, v_posted.quota, v_posted.used;
end
$$;

revoke execute on function outbound.add_quick_reply from public;

-- Writes conversation.message, with what the message has beside its text, and before the first one of a conversation
-- conversation.started. A conversation without a message is not reported. A visitor's message notifies the member who
-- has the conversation; where none has, the first one that waits notifies all.
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
  if p_message.author = 'visitor'
    and (p_conversation.assigned_to is not null or p_conversation.last_author is distinct from 'visitor')
  then
    perform outbound.notify_members(
      p_message.company_id, 'chat', p_message.conversation_id, p_conversation.assigned_to);
  end if;
end
$$;

revoke execute on function outbound.report_message from public;

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

create or replace trigger conversations_delete_files after delete on outbound.conversations
  referencing old table as old_rows
  for each statement execute function outbound.delete_files_of_chats();

reset check_function_bodies;
