-- Returns the room of a company's handoff that is still open; null when there is none.
create function outbound.open_handoff_room(p_company_id uuid, p_id uuid)
returns text
language sql stable security invoker set search_path = ''
as $$
  select h.room from outbound.handoffs as h
  where h.company_id = p_company_id and h.id = p_id and h.status <> 'ended' and h.expires_at > now()
$$;
revoke execute on function outbound.open_handoff_room from public;
