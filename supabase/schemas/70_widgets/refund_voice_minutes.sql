-- Takes voice use back from a day or, below zero, adds to it. A day that clean_up has deleted stays deleted.
create function outbound.refund_voice_minutes(
  p_company_id uuid, p_widget_id uuid, p_day date, p_voice_sessions int, p_voice_s int
)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  perform from outbound.visitor_usage as u
  where u.company_id = p_company_id and u.subject_id in (p_widget_id, p_company_id) and u.day = p_day
  order by u.subject_id = u.company_id
  for no key update;
  update outbound.visitor_usage as u
  set voice_sessions = greatest(u.voice_sessions - p_voice_sessions, 0), voice_s = greatest(u.voice_s - p_voice_s, 0)
  where u.company_id = p_company_id and u.subject_id in (p_widget_id, p_company_id) and u.day = p_day;
end
$$;
revoke execute on function outbound.refund_voice_minutes from public;
