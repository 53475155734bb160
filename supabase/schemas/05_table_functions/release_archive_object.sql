-- Has the object of an archive file that was replaced or deleted deleted from the media store too (take_media_leftovers).
-- It counts for no quota: the archive may not stop because a company's media are full.
create function outbound.release_archive_object()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if old.object_id is not null then
    insert into outbound.media_leftovers (company_id, media_id, bytes, due_at)
    values (old.company_id, old.object_id, 0, now())
    on conflict on constraint media_leftovers_pkey do update set due_at = excluded.due_at;
  end if;
  return null;
end
$$;
revoke execute on function outbound.release_archive_object from public;
