-- Has the objects of deleted files and pictures deleted from the media store too (take_media_leftovers).
create function outbound.release_media_objects()
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
