-- Removes a session that never began: it counts for nothing. A session whose length is known did begin, and stays.
create function outbound.cancel_voice_session(p_company_id uuid, p_id uuid)
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  v_session outbound.voice_sessions;
begin
  delete from outbound.voice_sessions as s
  where s.company_id = p_company_id and s.id = p_id and s.duration_s is null
  returning * into v_session;
  if found then
    perform outbound.refund_voice_minutes(p_company_id, v_session.widget_id, v_session.day, 1, v_session.reserved_s);
  end if;
end
$$;
revoke execute on function outbound.cancel_voice_session from public;
