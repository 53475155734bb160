-- The virtual agents that make a company's calls. The voice platform keeps what an agent says and how it sounds; this
-- table says which agents may call.
create table outbound.voice_agents (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  -- The platform's id of the agent.
  platform_agent_id text not null,
  name text not null,
  -- disabled: no request is accepted for it, and queued calls of it are not made.
  status text not null default 'active',
  -- The command line let the company use an agent that another company has too.
  is_shared boolean not null default false,
  created_at timestamptz not null default now(),
  constraint voice_agents_pkey primary key (company_id, id),
  constraint voice_agents_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint voice_agents_platform_key unique (company_id, platform_agent_id),
  constraint voice_agents_platform_check check (length(platform_agent_id) between 1 and 200),
  constraint voice_agents_name_check check (length(btrim(name)) between 1 and 200),
  constraint voice_agents_status_check check (status in ('active', 'disabled'))
);
-- An agent of the platform speaks for one company, at the operator's cost.
create unique index voice_agents_owner_idx on outbound.voice_agents (platform_agent_id) where not is_shared;
alter table outbound.voice_agents enable row level security;

-- How calls went. A call's notification moves as every other; this table adds what else is known of the call, and when
-- to poll the platform about a call whose events were lost.
create table outbound.calls (
  company_id uuid not null,
  notification_id uuid not null,
  -- The platform's id of the conversation.
  conversation_id text,
  -- answered, voicemail, busy, no_answer or failed; null while it is unknown.
  outcome text,
  duration_s int,
  summary text,
  -- [{role, message, at_s}, …]
  transcript jsonb,
  -- When the last attempt began.
  started_at timestamptz not null,
  ended_at timestamptz,
  -- How often the platform was polled, and when the next wait begins; null when there is nothing to poll.
  checks int not null default 0,
  check_at timestamptz,
  -- Where changes are found (mark_change).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  constraint calls_pkey primary key (company_id, notification_id),
  constraint calls_notification_fkey foreign key (company_id, notification_id)
    references outbound.notification_facts (company_id, id) on delete cascade,
  constraint calls_outcome_check check (outcome in ('answered', 'voicemail', 'busy', 'no_answer', 'failed')),
  constraint calls_duration_check check (duration_s >= 0)
);
create index calls_check_idx on outbound.calls (check_at) where check_at is not null;
-- Rows that changed a moment ago (changes_of_sending).
create index calls_changed_idx on outbound.calls (company_id, changed_xid)
  where changed_xid is not null;
-- Calls of which there is something to erase (apply_retention).
create index calls_transcripts_idx on outbound.calls (company_id, started_at)
  where transcript is not null or summary is not null;
-- A company's calls that ended in a given way, the newest first.
create index calls_outcome_idx on outbound.calls (company_id, outcome, notification_id) where outcome is not null;
alter table outbound.calls enable row level security;
create trigger calls_mark_change before update on outbound.calls
  for each row execute function outbound.mark_change();
