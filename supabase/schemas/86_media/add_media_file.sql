-- Adds a file whose object is in the media store. p_file: {id, kind, content_type, bytes, sha256, file_name, message_id};
-- message_id: the message of a person that it came with. Where the company has the file already, returns that one, and
-- the new object is left over. Returns null when the message was deleted meanwhile, or the upload took too long: the
-- object is left over then too. Its room is reserved already (expect_media).
create function outbound.add_media_file(p_company_id uuid, p_file jsonb, p_actor text, p_request_id text)
returns uuid
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_file outbound.media_files := jsonb_populate_record(null::outbound.media_files, p_file);
  v_id uuid;
  v_is_new boolean;
begin
  if v_file.message_id is not null then
    -- An erasure of the person waits for this, and then finds the file.
    perform from outbound.contact_messages as m
    where m.company_id = p_company_id and m.id = v_file.message_id for key share;
    if not found then
      update outbound.media_leftovers as l set due_at = now()
      where l.company_id = p_company_id and l.media_id = v_file.id;
      return null;
    end if;
  end if;
  -- One that is due is about to be deleted.
  perform from outbound.media_leftovers as l
  where l.company_id = p_company_id and l.media_id = v_file.id and l.due_at > now() for update;
  if not found then
    return null;
  end if;
  insert into outbound.media_files (
    company_id, id, kind, content_type, bytes, sha256, file_name, message_id, created_by
  )
  values (
    p_company_id, v_file.id, v_file.kind, v_file.content_type, v_file.bytes, v_file.sha256, v_file.file_name,
    v_file.message_id, p_actor
  )
  -- On either key: of the content, and of the message.
  on conflict do nothing;
  v_is_new := found;
  if v_file.message_id is not null then
    delete from outbound.received_media as r
    where r.company_id = p_company_id and r.message_id = v_file.message_id;
  end if;
  if v_is_new then
    delete from outbound.media_leftovers as l where l.company_id = p_company_id and l.media_id = v_file.id;
    if v_file.message_id is null then
      perform outbound.write_audit(p_company_id, p_actor, 'media.added', v_file.id::text, null,
        jsonb_build_object('kind', v_file.kind, 'content_type', v_file.content_type, 'bytes', v_file.bytes), p_request_id);
    end if;
    return v_file.id;
  end if;
  if v_file.message_id is null then
    select f.id into v_id from outbound.media_files as f
    where f.company_id = p_company_id and f.sha256 = v_file.sha256 and f.message_id is null;
  else
    select f.id into v_id from outbound.media_files as f
    where f.company_id = p_company_id and f.message_id = v_file.message_id;
  end if;
  update outbound.media_leftovers as l set due_at = now()
  where l.company_id = p_company_id and l.media_id = v_file.id;
  return v_id;
end
$$;
revoke execute on function outbound.add_media_file from public;
