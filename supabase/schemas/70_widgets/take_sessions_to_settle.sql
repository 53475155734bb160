-- Hands out up to p_limit sessions whose length has to be read from the platform, each to one caller only. A session
-- comes again after half of its age, two minutes at least. A session whose length is unknown an hour after its longest
-- time does not come again, and keeps what it reserved.
create function outbound.take_sessions_to_settle(p_limit int)
returns table (company_id uuid, id uuid, conversation_id text, created_at timestamptz, reserved_s int)
language sql security invoker set search_path = ''
as $$
  with due as (
    select s.company_id, s.id from outbound.voice_sessions as s
    where s.check_at <= now()
    order by s.check_at limit p_limit for no key update skip locked
  )
  update outbound.voice_sessions as s
  set check_at = case when now() < s.created_at + make_interval(secs => s.reserved_s) + interval '1 hour'
    then now() + greatest(interval '2 minutes', (now() - s.created_at) / 2) end
  from due where s.company_id = due.company_id and s.id = due.id
  returning s.company_id, s.id, s.conversation_id, s.created_at, s.reserved_s
$$;
revoke execute on function outbound.take_sessions_to_settle from public;
