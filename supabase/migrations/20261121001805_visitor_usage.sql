-- What visitors may use up in a day (UTC), per widget and per company, and what they have used. Limits per address do not
-- end an attack from many addresses; these do, and with it what a stranger can cost the company.
alter table outbound.widgets
  add column max_voice_sessions_per_day int not null default 200,
  add column max_voice_minutes_per_day int not null default 600,
  add column max_conversations_per_day int not null default 1000,
  add column max_stored_mb_per_day int not null default 50,
  -- The longest voice session. Each one reserves as much until its length is known. Its token lasts an hour, in which
  -- there must be time for what comes after the session.
  add column max_session_minutes int not null default 10,
  add constraint widgets_caps_check check (
    least(max_voice_sessions_per_day, max_voice_minutes_per_day, max_conversations_per_day, max_stored_mb_per_day) >= 0
    and max_session_minutes between 1 and 45
  );
-- For all widgets of the company together.
alter table outbound.companies
  add column max_voice_sessions_per_day int not null default 1000,
  add column max_voice_minutes_per_day int not null default 3000,
  add column max_conversations_per_day int not null default 5000,
  add column max_stored_mb_per_day int not null default 250,
  add constraint companies_caps_check check (
    least(max_voice_sessions_per_day, max_voice_minutes_per_day, max_conversations_per_day, max_stored_mb_per_day) >= 0
  );

create table outbound.visitor_usage (
  company_id uuid not null,
  -- A widget's id, or the company's own for all of its widgets together.
  subject_id uuid not null,
  -- In UTC.
  day date not null,
  voice_sessions int not null default 0,
  -- Of sessions whose length is not known yet, what they reserve.
  voice_s int not null default 0,
  conversations int not null default 0,
  stored_bytes bigint not null default 0,
  constraint visitor_usage_pkey primary key (company_id, subject_id, day),
  constraint visitor_usage_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint visitor_usage_counters_check check (least(voice_sessions, voice_s, conversations, stored_bytes) >= 0)
) with (fillfactor = 50);
create index visitor_usage_day_idx on outbound.visitor_usage (day);
alter table outbound.visitor_usage enable row level security;

-- Adds to what visitors used today, in the widget's row and in the company's; all of it or, where a cap is in the way,
-- nothing. Null amounts are nothing. Returns the cap that is in the way: `cap` is voice_sessions, voice_minutes,
-- conversations or stored_mb, null when there is none; quota and used are of that cap, before this use.
--
-- Two rows, whatever was used before. Lock order: the conversation or session that the use is about, the widget's row,
-- the company's.
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
      ('voice_sessions', v_row.max_voice_sessions::bigint, v_row.voice_sessions::bigint, p_voice_sessions::bigint, 1::bigint),
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

-- Takes voice use back from a day, or, below zero, adds to it. A day that clean_up has deleted stays deleted.
create function outbound.give_back_voice(
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
revoke execute on function outbound.give_back_voice from public;
