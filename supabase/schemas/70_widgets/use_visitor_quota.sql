-- Adds to what visitors used today, in the widget's row and in the company's; all of it or, where a cap is reached,
-- nothing. Null amounts count as nothing. Returns the cap that was reached: `cap` is voice_sessions, voice_minutes,
-- conversations or stored_mb, null when there is none; quota and used belong to that cap, before this use.
--
-- Touches two rows, whatever was used before. Lock order: the conversation or session that the use is about, the
-- widget's row, the company's.
create function outbound.use_visitor_quota(
  p_company_id uuid, p_widget_id uuid, p_voice_sessions int, p_voice_s int, p_conversations int, p_stored_bytes int,
  out cap text, out quota int, out used int
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_day constant date := (now() at time zone 'UTC')::date;
  v_row record;
begin
  insert into outbound.visitor_usage (company_id, subject_id, day)
  values (p_company_id, p_widget_id, v_day), (p_company_id, p_company_id, v_day)
  on conflict on constraint visitor_usage_pkey do nothing;
  for v_row in
    select u.voice_sessions, u.voice_s, u.conversations, u.stored_bytes,
      coalesce(w.max_voice_sessions_per_day, c.max_voice_sessions_per_day) as max_voice_sessions,
      coalesce(w.max_voice_minutes_per_day, c.max_voice_minutes_per_day) as max_voice_minutes,
      coalesce(w.max_conversations_per_day, c.max_conversations_per_day) as max_conversations,
      coalesce(w.max_stored_mb_per_day, c.max_stored_mb_per_day) as max_stored_mb
    from outbound.visitor_usage as u
    join outbound.companies as c on c.id = u.company_id
    left join outbound.widgets as w on w.company_id = u.company_id and w.id = u.subject_id
    where u.company_id = p_company_id and u.subject_id in (p_widget_id, p_company_id) and u.day = v_day
    order by u.subject_id = u.company_id
    for no key update of u
  loop
    select k.cap, k.quota, k.used into cap, quota, used
    from (values
      ('voice_sessions', v_row.max_voice_sessions::bigint, v_row.voice_sessions::bigint, p_voice_sessions::bigint,
        1::bigint),
      ('voice_minutes', v_row.max_voice_minutes, v_row.voice_s, p_voice_s, 60),
      ('conversations', v_row.max_conversations, v_row.conversations, p_conversations, 1),
      ('stored_mb', v_row.max_stored_mb, v_row.stored_bytes, p_stored_bytes, 1048576)
    ) as c(cap, quota, used, more, unit)
    cross join lateral (select c.cap, c.quota::int as quota, ceil(c.used::numeric / c.unit)::int as used) as k
    where c.more > 0 and c.used + c.more > c.quota * c.unit
    limit 1;
    if found then
      return;
    end if;
  end loop;
  update outbound.visitor_usage as u
  set voice_sessions = u.voice_sessions + coalesce(p_voice_sessions, 0), voice_s = u.voice_s + coalesce(p_voice_s, 0),
    conversations = u.conversations + coalesce(p_conversations, 0),
    stored_bytes = u.stored_bytes + coalesce(p_stored_bytes, 0)
  where u.company_id = p_company_id and u.subject_id in (p_widget_id, p_company_id) and u.day = v_day;
end
$$;
revoke execute on function outbound.use_visitor_quota from public;
