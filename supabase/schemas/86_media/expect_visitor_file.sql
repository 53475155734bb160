-- Reserves room for a file that a visitor is about to send, as expect_media does, and counts it towards the visitors'
-- quota of the day. Files of visitors may take half of p_max_bytes, so that they leave room for the company's own.
-- outcome: expected; repeated (with the message that has p_client_message_id already); closed; no_room; quota (with the
-- cap that was reached, as use_visitor_quota returns it); no row when there is no such conversation. Only `expected`
-- changes anything.
create function outbound.expect_visitor_file(
  p_company_id uuid, p_conversation_id uuid, p_client_message_id uuid, p_media_id uuid, p_bytes int, p_max_bytes bigint
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_open record;
  v_reached record;
begin
  select * into v_open from outbound.open_for_message(p_company_id, p_conversation_id, p_client_message_id);
  if not found then
    return;
  elsif v_open.outcome is not null then
    return query select v_open.outcome, v_open.message, null::text, null::int, null::int;
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
    p_company_id, (v_open.conversation).widget_id, null, null, null, p_bytes);
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
