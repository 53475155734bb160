-- Adds a visitor's message with a file whose object is in the media store, and the file, whose room is reserved already
-- (expect_visitor_file). p_file: {id, kind, content_type, bytes, sha256, file_name, width, height}; the last two are null
-- where they are not known. Returns what add_message returns, or the outcome too_late: the upload took too long. Unless
-- the outcome is posted, the object is left over.
create function outbound.add_visitor_file(
  p_company_id uuid, p_conversation_id uuid, p_text text, p_client_message_id uuid, p_file jsonb
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_file outbound.media_files := jsonb_populate_record(null::outbound.media_files, p_file);
  v_posted record;
  v_assigned_to uuid;
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
    -- No machine replies to a file.
    update outbound.conversations as c set assistant = 'idle'
    where c.company_id = p_company_id and c.id = p_conversation_id and c.assistant = 'replying'
    returning c.assigned_to into v_assigned_to;
    if found then
      update outbound.agent_replies as a set member_wanted = true
      where a.company_id = p_company_id and a.conversation_id = p_conversation_id;
      perform outbound.notify_members(p_company_id, 'chat', p_conversation_id, v_assigned_to);
    end if;
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
