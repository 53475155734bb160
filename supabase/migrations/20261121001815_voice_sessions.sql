-- Voice sessions of visitors: what each may still cost, and which conversation at the voice platform it began. Kept for
-- two days; what was said is kept by the platform.
create table outbound.voice_sessions (
  company_id uuid not null,
  id uuid not null,
  widget_id uuid not null,
  -- At the voice platform.
  agent_id text not null,
  -- At the voice platform; null until it is known. A session has one conversation, a conversation one session.
  conversation_id text,
  -- Whose counters hold what the session reserves.
  day date not null,
  reserved_s int not null,
  -- Null until the platform has said it.
  duration_s int,
  -- When the platform is asked next how long it was; null when it is not to be asked.
  check_at timestamptz,
  created_at timestamptz not null default now(),
  constraint voice_sessions_pkey primary key (company_id, id),
  constraint voice_sessions_widget_fkey foreign key (company_id, widget_id)
    references outbound.widgets (company_id, id) on delete cascade,
  constraint voice_sessions_seconds_check check (reserved_s > 0 and duration_s >= 0),
  constraint voice_sessions_check_at_check
    check (check_at is null or (conversation_id is not null and duration_s is null))
);
create unique index voice_sessions_conversation_idx on outbound.voice_sessions (conversation_id)
  where conversation_id is not null;
create index voice_sessions_check_idx on outbound.voice_sessions (check_at) where check_at is not null;
create index voice_sessions_created_idx on outbound.voice_sessions (created_at);
alter table outbound.voice_sessions enable row level security;

-- Starts a session of a widget: counts it, and reserves the longest time it may take. Returns that time, and the cap that
-- is in the way as use_visitor_quota does; then nothing is started. No row when there is no such widget.
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

-- Takes a session back that never began: it counts for nothing. One whose length is known did begin.
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
    perform outbound.give_back_voice(p_company_id, v_session.widget_id, v_session.day, 1, v_session.reserved_s);
  end if;
end
$$;
revoke execute on function outbound.cancel_voice_session from public;

-- Ties a session to the conversation it began; from then on it has no other, and no other session has this one. Returns
-- bound (also when it was bound before), other, taken, or null when there is no such session.
create function outbound.bind_conversation(p_company_id uuid, p_id uuid, p_conversation_id text)
returns text
language plpgsql security invoker set search_path = ''
as $$
declare
  v_bound text;
begin
  select s.conversation_id into v_bound from outbound.voice_sessions as s
  where s.company_id = p_company_id and s.id = p_id
  for no key update;
  if not found then
    return null;
  end if;
  if v_bound is not null then
    return case when v_bound = p_conversation_id then 'bound' else 'other' end;
  end if;
  update outbound.voice_sessions as s
  set conversation_id = p_conversation_id,
    check_at = case when s.duration_s is null then now() + interval '2 minutes' end
  where s.company_id = p_company_id and s.id = p_id;
  return 'bound';
exception
  when unique_violation then
    return 'taken';
end
$$;
revoke execute on function outbound.bind_conversation from public;

-- Sessions whose length the platform is to be asked for, at most p_limit; each is handed to one caller only. The next
-- question comes after half of the session's age, two minutes at least. A session that nothing is known of an hour after
-- its longest time is not asked for again, and keeps what it reserved.
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

-- Puts a session's real length in the place of what it reserved; a second time changes nothing.
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
    perform outbound.give_back_voice(
      p_company_id, v_session.widget_id, v_session.day, 0, v_session.reserved_s - p_duration_s);
  end if;
end
$$;
revoke execute on function outbound.settle_voice_session from public;
