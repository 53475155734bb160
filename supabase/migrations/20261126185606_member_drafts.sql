set local lock_timeout = '2s';
set check_function_bodies = off;

-- Contents of forms that a member has not saved yet, so that a log-out or another browser loses nothing. For the
-- member alone: no list, no audit.
create table outbound.member_drafts (
  company_id uuid not null,
  user_id uuid not null,
  -- The form, and the thing that it is about.
  kind text not null,
  key text not null,
  body jsonb not null,
  updated_at timestamptz not null default now(),
  constraint member_drafts_pkey primary key (company_id, user_id, kind, key),
  constraint member_drafts_member_fkey foreign key (company_id, user_id)
    references outbound.memberships (company_id, user_id) on delete cascade
);

-- The oldest (clean_up_records).
create index member_drafts_updated_idx on outbound.member_drafts (updated_at);

alter table outbound.member_drafts enable row level security;

reset check_function_bodies;
