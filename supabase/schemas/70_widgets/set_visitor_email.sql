-- Stores where the visitor of a conversation wants replies by e-mail, or removes it (null). Returns stored, off where the
-- widget sends no follow-ups, or null when there is no such conversation.
create function outbound.set_visitor_email(p_company_id uuid, p_conversation_id uuid, p_email text)
returns text
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_conversation outbound.conversations;
  v_due timestamptz;
begin
  select * into v_conversation from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id for no key update;
  if not found then
    return null;
  end if;
  v_due := outbound.follow_up_due(p_company_id, v_conversation.widget_id);
  if p_email is not null and v_due is null then
    return 'off';
  end if;
  if p_email is distinct from v_conversation.visitor_email then
    update outbound.conversations as c
    set visitor_email = p_email,
      -- A reply may have waited for the address.
      follow_up_at = coalesce(c.follow_up_at,
        case when c.last_author = 'operator' and c.visitor_read < c.last_sequence then v_due end)
    where c.company_id = p_company_id and c.id = p_conversation_id;
  end if;
  return 'stored';
end
$$;
revoke execute on function outbound.set_visitor_email from public;
