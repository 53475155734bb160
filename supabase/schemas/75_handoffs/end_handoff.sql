-- Ends the handoff that a session requested. Returns the room; null when the session has no such handoff.
create function outbound.end_handoff(p_company_id uuid, p_session_id uuid, p_id uuid)
returns text
language plpgsql security invoker set search_path = ''
as $$
declare
  v_room text;
begin
  select h.room into v_room from outbound.handoffs as h
  where h.company_id = p_company_id and h.session_id = p_session_id and h.id = p_id;
  if found then
    perform outbound.end_open_handoff(p_company_id, p_id, 'visitor');
  end if;
  return v_room;
end
$$;
revoke execute on function outbound.end_handoff from public;
