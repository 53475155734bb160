-- Has an expected object deleted soon, because storing it failed. The store may still be writing it: not at once.
-- p_conversation_id: of a visitor's file, which then no longer counts towards the day's quota; null: of another one.
create function outbound.abandon_media(p_company_id uuid, p_media_id uuid, p_conversation_id uuid)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_wait constant interval := interval '5 minutes';
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
create function outbound.refund_stored_bytes(p_company_id uuid, p_widget_id uuid, p_day date, p_bytes int)
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
