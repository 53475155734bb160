-- Replaces what a session reserved by its real length; a second time changes nothing.
create function outbound.settle_voice_session(p_company_id uuid, p_id uuid, p_duration_s int)
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  v_session outbound.voice_sessions;
begin
  update outbound.voice_sessions as s set duration_s = p_duration_s, check_at = null
  where s.company_id = p_company_id and s.id = p_id and s.duration_s is null
  returning * into v_session;
  if found then
    perform outbound.refund_voice_minutes(
      p_company_id, v_session.widget_id, v_session.day, 0, v_session.reserved_s - p_duration_s);
  end if;
end
$$;
revoke execute on function outbound.settle_voice_session from public;
