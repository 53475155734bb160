set local lock_timeout = '2s';
set check_function_bodies = off;

-- Has the objects of deleted files and pictures deleted from the media store too (take_media_leftovers).
create or replace function outbound.release_media_objects()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.media_leftovers (company_id, media_id, bytes, due_at, of_visitor)
  select f.company_id, f.id, f.bytes, now(), to_jsonb(f) ->> 'conversation_id' is not null from old_rows as f
  on conflict on constraint media_leftovers_pkey do update set due_at = excluded.due_at;
  return null;
end
$$;

revoke execute on function outbound.release_media_objects from public;

-- The pictures of members, which visitors of chats see beside their replies. set_member_picture adds; they end with the
-- membership.
create table outbound.member_pictures (
  company_id uuid not null,
  user_id uuid not null,
  -- Stands for the member in the picture's address. A picture that replaces another keeps it.
  token uuid not null default gen_random_uuid(),
  -- Names the object in the media store.
  id uuid not null,
  content_type text not null,
  bytes int not null,
  created_at timestamptz not null default now(),
  constraint member_pictures_pkey primary key (company_id, user_id),
  constraint member_pictures_token_key unique (company_id, token),
  constraint member_pictures_member_fkey foreign key (company_id, user_id)
    references outbound.memberships (company_id, user_id) on delete cascade,
  constraint member_pictures_content_type_check check (content_type in ('image/png', 'image/jpeg', 'image/webp'))
);

alter table outbound.member_pictures enable row level security;

create trigger member_pictures_release_objects after delete on outbound.member_pictures
  referencing old table as old_rows
  for each statement execute function outbound.release_media_objects();

-- Stores the picture of a member, whose object is in the media store, in place of an earlier one, with a row in the audit.
-- Its room is reserved already (expect_media). Returns its token. Returns null when the upload took too long, or the
-- membership ended meanwhile: the object is left over then.
create or replace function outbound.set_member_picture(
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

reset check_function_bodies;
