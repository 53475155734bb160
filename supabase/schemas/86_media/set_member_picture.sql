-- Stores the picture of a member, whose object is in the media store, in place of an earlier one, with a row in the audit.
-- Its room is reserved already (expect_media). Returns its token. Returns null when the upload took too long, or the
-- membership ended meanwhile: the object is left over then.
create function outbound.set_member_picture(
  p_company_id uuid, p_user_id uuid, p_id uuid, p_content_type text, p_bytes int, p_actor text, p_request_id text
)
returns uuid
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_token uuid;
begin
  -- Two pictures at once wait for each other: the later one replaces the other.
  perform from outbound.memberships as m
  where m.company_id = p_company_id and m.user_id = p_user_id for no key update;
  if not found then
    return null;
  end if;
  -- One that is due is about to be deleted.
  delete from outbound.media_leftovers as l
  where l.company_id = p_company_id and l.media_id = p_id and l.due_at > now();
  if not found then
    return null;
  end if;
  delete from outbound.member_pictures as p
  where p.company_id = p_company_id and p.user_id = p_user_id
  returning p.token into v_token;
  insert into outbound.member_pictures (company_id, user_id, token, id, content_type, bytes)
  values (p_company_id, p_user_id, coalesce(v_token, gen_random_uuid()), p_id, p_content_type, p_bytes)
  returning token into v_token;
  perform outbound.write_audit(p_company_id, p_actor, 'member.picture_set', p_user_id::text, null,
    jsonb_build_object('content_type', p_content_type, 'bytes', p_bytes), p_request_id);
  return v_token;
end
$$;
revoke execute on function outbound.set_member_picture from public;
