-- Starts a session of a widget: counts it, and reserves the longest time it may take. Returns that time, and the cap
-- that was reached as use_visitor_quota does; then nothing is started. No row when there is no such widget.
create function outbound.start_voice_session(p_company_id uuid, p_id uuid, p_widget_id uuid, p_agent_id text)
returns table (max_session_s int, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_max_s int;
  v_reached record;
begin
  select w.max_session_minutes * 60 into v_max_s
  from outbound.widgets as w where w.company_id = p_company_id and w.id = p_widget_id;
  if not found then
    return;
  end if;
  select * into v_reached from outbound.use_visitor_quota(p_company_id, p_widget_id, 1, v_max_s, null, null);
  if v_reached.cap is null then
    insert into outbound.voice_sessions (company_id, id, widget_id, agent_id, day, reserved_s)
    values (p_company_id, p_id, p_widget_id, p_agent_id, (now() at time zone 'UTC')::date, v_max_s);
  end if;
  return query select v_max_s, v_reached.cap, v_reached.quota, v_reached.used;
end
$$;
revoke execute on function outbound.start_voice_session from public;
