-- Returns how much storage a conversation takes from the day's quota at a time, so that a message seldom touches the
-- row that all visitors of a widget share. A piece holds the longest message.
create function outbound.stored_bytes_per_piece()
returns int
language sql immutable security invoker set search_path = ''
return 16384;
revoke execute on function outbound.stored_bytes_per_piece from public;

-- Opens a conversation and counts it. p_consent: what the visitor accepted, {text, link}, or null. Returns its id, or the
-- cap that was reached as use_visitor_quota does.
create function outbound.begin_conversation(
  p_company_id uuid, p_widget_id uuid, p_user_id uuid, p_token_hash text, p_language text, p_page_url text,
  p_page_title text, p_consent jsonb
)
returns table (id uuid, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_reached record;
  v_id uuid;
begin
  select * into v_reached from outbound.use_visitor_quota(
    p_company_id, p_widget_id, null, null, 1, outbound.stored_bytes_per_piece());
  if v_reached.cap is null then
    insert into outbound.conversations as c (
      company_id, widget_id, user_id, token_hash, language, page_url, page_title, stored_bytes_left, consent
    )
    values (
      p_company_id, p_widget_id, p_user_id, p_token_hash, p_language, p_page_url, p_page_title,
      outbound.stored_bytes_per_piece(), p_consent || jsonb_build_object('accepted_at', outbound.iso_time(now()))
    )
    returning c.id into v_id;
  end if;
  return query select v_id, v_reached.cap, v_reached.quota, v_reached.used;
end
$$;
revoke execute on function outbound.begin_conversation from public;
