-- Ends a handoff and reports it to the company's webhook; ending it again changes nothing. p_reason: visitor, expired
-- or room_closed.
create function outbound.end_open_handoff(p_company_id uuid, p_id uuid, p_reason text)
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  v_handoff outbound.handoffs;
begin
  select * into v_handoff from outbound.handoffs as h
  where h.company_id = p_company_id and h.id = p_id and h.status <> 'ended'
  for no key update;
  if not found then
    return;
  end if;
  update outbound.handoffs as h set status = 'ended', ended_at = now()
  where h.company_id = p_company_id and h.id = p_id;
  perform outbound.write_event(p_company_id, 'handoff.ended', now(), json_build_object(
    'company_id', p_company_id, 'handoff_id', p_id, 'widget_id', v_handoff.widget_id,
    'conversation_id', v_handoff.conversation_id, 'room', v_handoff.room, 'previous_status', v_handoff.status,
    'reason', p_reason, 'created_at', outbound.iso_time(v_handoff.created_at),
    'ended_at', outbound.iso_time(now())));
end
$$;
revoke execute on function outbound.end_open_handoff from public;
