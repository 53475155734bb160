-- Visitors' voice sessions: what each may still cost, and which conversation at the voice platform it began. Kept for
-- two days; the platform keeps what was said.
create table outbound.voice_sessions (
  company_id uuid not null,
  id uuid not null,
  widget_id uuid not null,
  -- At the voice platform.
  agent_id text not null,
  -- At the voice platform; null until it is known. A session has one conversation, a conversation one session.
  conversation_id text,
  -- The day whose counters include what the session reserves.
  day date not null,
  reserved_s int not null,
  -- Null until the platform has reported it.
  duration_s int,
  -- When its length is next read from the platform; null when it is not to be read.
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

-- Requests of voice visitors to talk to a person. The voice platform keeps the session itself under conversation_id.
--
-- No handoff lasts forever, because a visitor who leaves reports nothing, nor does a room that was closed. A handoff
-- that no member joins ends after 15 minutes: by then the visitor's page has stopped waiting and the empty room has
-- closed. A joined one ends 4 hours later in any case.
create table outbound.handoffs (
  company_id uuid not null,
  id uuid not null,
  widget_id uuid not null,
  -- The voice session that requested it; no other may end it. Sessions are deleted earlier, so there is no foreign key.
  session_id uuid not null,
  conversation_id text not null,
  reason text,
  contact jsonb,
  -- Where visitor and operator meet at the real-time platform.
  room text not null,
  status text not null default 'waiting',
  created_at timestamptz not null default now(),
  -- From then on no member can join, and the next tick ends it.
  expires_at timestamptz not null default now() + interval '15 minutes',
  ended_at timestamptz,
  -- Where changes are found (mark_change).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  constraint handoffs_pkey primary key (company_id, id),
  constraint handoffs_widget_fkey foreign key (company_id, widget_id)
    references outbound.widgets (company_id, id) on delete cascade,
  constraint handoffs_status_check check (status in ('waiting', 'joined', 'ended')),
  constraint handoffs_ended_check check ((status = 'ended') = (ended_at is not null))
);
create index handoffs_recent_idx on outbound.handoffs (company_id, created_at, id);
-- The hand-offs of one person (handoffs_of_person).
create index handoffs_email_idx on outbound.handoffs (company_id, lower(contact ->> 'email')) where contact is not null;
create index handoffs_number_idx
  on outbound.handoffs (company_id, ltrim(regexp_replace(contact ->> 'number', '[^0-9]', '', 'g'), '0'))
  where contact is not null;
create index handoffs_open_idx on outbound.handoffs (expires_at) where status <> 'ended';
-- Rows that changed a moment ago (changes_of_people).
create index handoffs_changed_idx on outbound.handoffs (company_id, changed_xid)
  where changed_xid is not null;
alter table outbound.handoffs enable row level security;
create trigger handoffs_mark_change before update on outbound.handoffs
  for each row execute function outbound.mark_change();
-- Visitors' feedback on voice sessions.
create table outbound.voice_feedback (
  company_id uuid not null,
  conversation_id text not null,
  widget_id uuid not null,
  rating int not null,
  comment text,
  created_at timestamptz not null default now(),
  constraint voice_feedback_pkey primary key (company_id, widget_id, conversation_id),
  constraint voice_feedback_widget_fkey foreign key (company_id, widget_id)
    references outbound.widgets (company_id, id) on delete cascade,
  constraint voice_feedback_rating_check check (rating between 1 and 5)
);
alter table outbound.voice_feedback enable row level security;
