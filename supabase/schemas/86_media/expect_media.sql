-- Reserves room for an object that is about to be stored, and has it deleted in an hour, unless its file is added before
-- (add_media_file). Returns false where the company would then have more than p_max_bytes in the media store.
create function outbound.expect_media(p_company_id uuid, p_media_id uuid, p_bytes int, p_max_bytes bigint)
returns boolean
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.media_usage as u (company_id, bytes)
  select p_company_id, p_bytes where p_bytes <= p_max_bytes
  on conflict on constraint media_usage_pkey do update set bytes = u.bytes + excluded.bytes
    where u.bytes + excluded.bytes <= p_max_bytes;
  if not found then
    return false;
  end if;
  insert into outbound.media_leftovers (company_id, media_id, bytes, due_at)
  values (p_company_id, p_media_id, p_bytes, now() + interval '1 hour');
  return true;
end
$$;
revoke execute on function outbound.expect_media from public;
