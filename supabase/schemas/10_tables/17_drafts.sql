-- Campaigns that are being written, and the colleagues who get them as a test.

-- Campaigns that members write, before anything is sent. No recipients: these come with the campaign.
create table outbound.campaign_drafts (
  company_id uuid not null,
  id uuid not null,
  name text not null,
  -- The fields of an upload (campaign_uploads.plan) or of a request, as far as they are written.
  plan jsonb not null,
  -- user:<id> or key:<id>, as in the audit.
  created_by text not null,
  updated_by text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint campaign_drafts_pkey primary key (company_id, id),
  constraint campaign_drafts_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
alter table outbound.campaign_drafts enable row level security;

-- Up to ten per company.
create table outbound.test_recipients (
  company_id uuid not null,
  number text not null,
  name text not null,
  constraint test_recipients_pkey primary key (company_id, number),
  constraint test_recipients_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
alter table outbound.test_recipients enable row level security;

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

-- Filters of a list that a member named, to find them again. For the member alone: no audit.
create table outbound.member_views (
  company_id uuid not null,
  user_id uuid not null,
  id uuid not null,
  -- The list: campaigns, contacts, conversations.
  screen text not null,
  name text not null,
  -- As the console's address has them.
  query text not null,
  created_at timestamptz not null default now(),
  constraint member_views_pkey primary key (company_id, user_id, id),
  constraint member_views_name_key unique (company_id, user_id, screen, name),
  constraint member_views_member_fkey foreign key (company_id, user_id)
    references outbound.memberships (company_id, user_id) on delete cascade,
  constraint member_views_screen_check check (screen in ('campaigns', 'contacts', 'conversations'))
);
alter table outbound.member_views enable row level security;
