-- Takes up to p_limit objects that are due to be deleted from the media store, for five minutes: a process that dies
-- leaves them to the next one.
create function outbound.take_media_leftovers(p_limit int)
returns table (company_id uuid, media_id uuid)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
#variable_conflict use_column
begin
  -- The objects may be those of the database that works.
  if not outbound.is_active_cell() then
    return;
  end if;
  return query
  update outbound.media_leftovers as l set due_at = now() + interval '5 minutes'
  where l.ctid = any (array(
    select o.ctid from outbound.media_leftovers as o where o.due_at <= now()
    order by o.due_at limit p_limit for update skip locked))
  returning l.company_id, l.media_id;
end
$$;
revoke execute on function outbound.take_media_leftovers from public;
