-- An accepted request makes a campaign, or adds to one; each of its recipients is one notification. Rows change state
-- only through functions; docs/states.md shows which one moves what.
create table outbound.campaigns (
  company_id uuid not null,
  id uuid not null,
  api_key_id uuid not null,
  channel text not null,
  name text not null,
  notification_type text not null,
  sender_id uuid not null,
  template_id uuid,
  -- The template as it was when the first request was accepted.
  template_name text,
  template_language text,
  template_shape text,
  -- The voice agent of a campaign of calls.
  agent_id uuid,
  name_event text,
  scheduled_time timestamptz,
  -- The request's time zone, an IANA name; sending hours may use it.
  timezone text,
  -- The span of the first request, as traceparent, where it is traced: its sends are linked to it.
  trace text,
  total int not null,
  -- Contacts of its requests that were refused; they are not part of total.
  rejected int not null default 0,
  pending int not null,
  processing int not null default 0,
  -- Messages that the platform accepted and did not fail; delivered and read are parts of them.
  sent int not null default 0,
  delivered int not null default 0,
  read int not null default 0,
  failed int not null default 0,
  cancelled int not null default 0,
  -- A rule about recipients kept them from leaving.
  skipped int not null default 0,
  -- Recipients who replied to their message; not a state, so it is no part of the sum.
  replied int not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  completed_at timestamptz,
  -- More requests are expected until then, and it does not complete before. Null when it is closed.
  open_until timestamptz,
  -- Since then nothing of it goes back to the queue.
  cancelled_at timestamptz,
  -- Since then notifications that have not left are held, until the campaign is resumed.
  paused_at timestamptz,
  -- Why, in words for people, its notifications are held: its template is not approved. Independent of paused_at; they
  -- are held as long as either is set.
  held_reason text,
  -- The last step of a cancellation, a pause or a move that is going through a large campaign. Meanwhile claims pass
  -- over what is left of it.
  stopping_at timestamptz,
  -- Where changes are found (mark_campaigns).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  constraint campaigns_pkey primary key (company_id, id),
  constraint campaigns_conservation_check check (
    total = pending + processing + sent + failed + cancelled + skipped
    and least(pending, processing, sent, failed, cancelled, skipped, replied, rejected, read) >= 0
    and read <= delivered and delivered <= sent
  )
);
-- Campaigns that a template holds (settle_templates, operating_figures).
create index campaigns_held_idx on outbound.campaigns (company_id, template_id) where held_reason is not null;
-- Campaigns that are being stopped right now: usually none. Every claim reads it.
create index campaigns_stopping_idx on outbound.campaigns (stopping_at) where stopping_at is not null;
-- Finds the campaigns to which no request adds any more (close_campaigns).
create index campaigns_open_idx on outbound.campaigns (open_until) where open_until is not null;
-- Those of a company (open_campaigns).
create index campaigns_open_company_idx on outbound.campaigns (company_id, id) where open_until is not null;
-- The list of one channel (list_campaigns). The channel leads: a plan that was made while the table was empty would
-- otherwise look up one campaign in this index, and read all of the company's for it.
create index campaigns_channel_idx on outbound.campaigns (channel, company_id, id);
-- Rows that changed a moment ago (changes_of_sending).
create index campaigns_changed_idx on outbound.campaigns (company_id, changed_xid)
  where changed_xid is not null;
-- Nothing that a claim, a result or a receipt changes is in an index, and the fillfactor leaves them room: they write
-- none.
alter table outbound.campaigns set (
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000
);
alter table outbound.campaigns enable row level security;
create trigger campaigns_report after update on outbound.campaigns
  referencing old table as old_rows new table as new_rows
  for each statement execute function outbound.report_campaigns();
create trigger campaigns_report_empty after insert on outbound.campaigns
  for each row when (new.completed_at is not null) execute function outbound.report_empty_campaign();

-- Campaigns of more than one message, as far as was known when the first was accepted, and those whose messages have
-- times of their own. The history counts each of them by itself (fold_history). Apart from campaigns, which have a row for
-- each request of one message, and whose rows functions return: a column that is added to it while they run fails them.
create table outbound.bulk_campaigns (
  company_id uuid not null,
  campaign_id uuid not null,
  -- {recipient_time, day, spread_over} of the request; null where all messages are for one time.
  timing jsonb,
  constraint bulk_campaigns_pkey primary key (company_id, campaign_id)
);
alter table outbound.bulk_campaigns enable row level security;

-- Campaigns that are being moved to another time, some thousand notifications at a time (move_campaign,
-- move_notifications).
create table outbound.campaign_moves (
  company_id uuid not null,
  campaign_id uuid not null,
  shift_s float8 not null,
  -- The last notification that was moved, and the last one to move; null where none waits.
  after_id uuid not null default '00000000-0000-0000-0000-000000000000',
  upto_id uuid,
  constraint campaign_moves_pkey primary key (company_id, campaign_id),
  constraint campaign_moves_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
alter table outbound.campaign_moves enable row level security;

-- Campaigns that are being made of what failed in other ones, some thousand notifications at a time (begin_resend,
-- continue_resend). Such a campaign counts all of its notifications from the start, so it cannot be complete before
-- they are made.
create table outbound.resends (
  company_id uuid not null,
  -- The new campaign.
  campaign_id uuid not null,
  resend_of uuid not null,
  codes text[] not null,
  -- The last notification that was looked at.
  after_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- Counted in the new campaign and not made yet.
  remaining int not null default 0,
  stepped_at timestamptz not null default now(),
  constraint resends_pkey primary key (company_id, campaign_id),
  constraint resends_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
-- One at a time of each campaign.
create unique index resends_resend_of_idx on outbound.resends (company_id, resend_of);
create index resends_stepped_idx on outbound.resends (stepped_at);
alter table outbound.resends enable row level security;

-- Files of contacts, or audiences, for one campaign each (POST /manage/companies/{company_id}/uploads). Their rows are
-- stored in batches, in their order, each under an idempotency key made of the upload and the batch's place.
create table outbound.campaign_uploads (
  company_id uuid not null,
  id uuid not null,
  -- user:<id>, as in the audit.
  created_by text not null,
  -- The fields of the request besides its contacts, and which column fills which field. No person's data.
  plan jsonb not null,
  -- Null until its first batch is stored.
  campaign_id uuid,
  -- Counts the requests that sent the file. Only the last one records progress.
  run int not null default 0,
  -- Stored and recorded.
  batches int not null default 0,
  -- Of the rows of these batches.
  fingerprint text not null default '',
  rows_read int not null default 0,
  accepted int not null default 0,
  refused int not null default 0,
  -- How many rows were refused, and how many accepted ones have a warning, by code.
  refused_by_code jsonb not null default '{}',
  warned_by_code jsonb not null default '{}',
  -- The first refused rows: row, line, column, code and reason, without the row's values.
  problems jsonb not null default '[]',
  -- Why the last request ended before the file did, {code, message}.
  stopped jsonb,
  -- Since then a batch may be stored that is not recorded. Its idempotency key protects it for a day.
  in_doubt_since timestamptz,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  completed_at timestamptz,
  -- Where changes are found (mark_change).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  constraint campaign_uploads_pkey primary key (company_id, id),
  constraint campaign_uploads_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint campaign_uploads_counters_check check (
    rows_read = accepted + refused and least(run, batches, accepted, refused) >= 0
  ),
  constraint campaign_uploads_completed_check check (completed_at is null or in_doubt_since is null and stopped is null)
);
-- Rows that changed a moment ago (changes_of_sending).
create index campaign_uploads_changed_idx on outbound.campaign_uploads (company_id, changed_xid)
  where changed_xid is not null;
-- The upload that a campaign was made by (its copy as a draft).
create index campaign_uploads_campaign_idx on outbound.campaign_uploads (company_id, campaign_id)
  where campaign_id is not null;
-- The oldest ones, and the oldest of those that are not completed (clean_up_records).
create index campaign_uploads_created_idx on outbound.campaign_uploads (created_at);
create index campaign_uploads_unfinished_idx on outbound.campaign_uploads (created_at) where completed_at is null;
alter table outbound.campaign_uploads enable row level security;
create trigger campaign_uploads_mark_change before update on outbound.campaign_uploads
  for each row execute function outbound.mark_change();

-- Uploads to an audience that were started.
create table outbound.upload_audiences (
  company_id uuid not null,
  upload_id uuid not null,
  -- How many members were fixed for it.
  members int not null,
  -- Of the key that the notifications count for.
  api_key_id uuid not null,
  started_by text not null,
  -- When a dispatcher stores the next batches; while one does, when another takes over. Null when none has to.
  next_at timestamptz,
  constraint upload_audiences_pkey primary key (company_id, upload_id),
  constraint upload_audiences_upload_fkey foreign key (company_id, upload_id)
    references outbound.campaign_uploads (company_id, id) on delete cascade
);
-- Audiences that a dispatcher goes on with (open_chores).
create index upload_audiences_next_idx on outbound.upload_audiences (next_at) where next_at is not null;
alter table outbound.upload_audiences enable row level security;

-- The members of an upload's audience as they were when it was started, by batch. complete_upload deletes them.
create table outbound.upload_members (
  company_id uuid not null,
  upload_id uuid not null,
  -- From 1.
  batch int not null,
  -- A contact may be erased or merged since. Nothing is sent for it then.
  contact_ids uuid[] not null,
  constraint upload_members_pkey primary key (company_id, upload_id, batch),
  constraint upload_members_upload_fkey foreign key (company_id, upload_id)
    references outbound.campaign_uploads (company_id, id) on delete cascade
);
alter table outbound.upload_members enable row level security;
