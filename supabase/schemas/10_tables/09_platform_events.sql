-- The platform's reports about messages that could not be applied at once: stored before the webhook responds, applied in
-- batches.
create table outbound.platform_events (
  id bigint not null generated always as identity,
  dedupe_key text not null,
  channel text not null,
  waba_id text,
  platform_message_id text,
  -- From the reference that we sent along; null when the platform did not return it.
  company_id uuid,
  notification_id uuid,
  -- The try it is about; null also when the reference names no try.
  fence int,
  status text not null,
  occurred_at timestamptz not null,
  error_code text,
  -- For a failure: whether the same message may be retried.
  retryable boolean not null default false,
  reason text,
  received_at timestamptz not null default now(),
  -- Not applied before this time; an event that matches nothing yet is retried later.
  apply_at timestamptz not null default now(),
  applied_at timestamptz,
  -- Voice: how the call went, {outcome, duration_s, summary, transcript, ended_at}.
  call json,
  -- A delivered or read message: how the platform priced it, {country, category, type, billable}.
  pricing jsonb,
  constraint platform_events_pkey primary key (id),
  constraint platform_events_dedupe_key unique (dedupe_key),
  constraint platform_events_status_check check (status in ('sent', 'delivered', 'read', 'failed'))
);
create index platform_events_waiting_idx on outbound.platform_events (apply_at, id) where applied_at is null;
create index platform_events_applied_idx on outbound.platform_events (applied_at) where applied_at is not null;
alter table outbound.platform_events set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);
alter table outbound.platform_events enable row level security;

-- The platform's reports about templates, stored and applied in the same way.
create table outbound.template_events (
  id bigint not null generated always as identity,
  dedupe_key text not null,
  waba_id text not null,
  platform_template_id text,
  name text not null,
  language text not null,
  -- status (status, reason), category (category), quality (quality), components (requests a sync).
  kind text not null,
  status text,
  reason text,
  category text,
  quality text,
  occurred_at timestamptz not null,
  received_at timestamptz not null default now(),
  applied_at timestamptz,
  constraint template_events_pkey primary key (id),
  constraint template_events_dedupe_key unique (dedupe_key),
  constraint template_events_kind_check check (
    case kind when 'status' then status is not null when 'category' then category is not null
      when 'quality' then quality is not null else kind = 'components' end
  )
);
create index template_events_waiting_idx on outbound.template_events (id) where applied_at is null;
create index template_events_applied_idx on outbound.template_events (applied_at) where applied_at is not null;
alter table outbound.template_events enable row level security;

-- The platform's reports about business accounts and their numbers, stored and applied in the same way.
create table outbound.account_events (
  id bigint not null generated always as identity,
  dedupe_key text not null,
  waba_id text not null,
  -- Digits; null for all numbers of the account.
  number text,
  -- active, restricted or disabled, and why; null when the event does not say.
  status text,
  reason text,
  -- When a restriction ends, if the platform says so.
  until timestamptz,
  messaging_limit text,
  quality text,
  -- A warning about the account.
  notice text,
  occurred_at timestamptz not null,
  received_at timestamptz not null default now(),
  applied_at timestamptz,
  constraint account_events_pkey primary key (id),
  constraint account_events_dedupe_key unique (dedupe_key),
  constraint account_events_status_check check (status in ('active', 'restricted', 'disabled')),
  constraint account_events_says_check check (num_nonnulls(status, messaging_limit, quality, notice) > 0)
);
create index account_events_waiting_idx on outbound.account_events (id) where applied_at is null;
create index account_events_applied_idx on outbound.account_events (applied_at) where applied_at is not null;
alter table outbound.account_events enable row level security;

-- Messages that the platform took, held and then dropped, counted per template (132015) or per account (135000) until one
-- of the template or the account arrives (record_drops). At most one row per template and one per account.
create table outbound.drop_bursts (
  waba_id text not null,
  error_code text not null,
  -- Empty for 135000.
  template_name text not null,
  template_language text not null,
  drops int not null,
  began_at timestamptz not null,
  constraint drop_bursts_pkey primary key (waba_id, error_code, template_name, template_language)
);
-- Without it, every batch of events would scan the table.
create index drop_bursts_began_idx on outbound.drop_bursts (began_at);
alter table outbound.drop_bursts enable row level security;

-- How many events were about messages of other systems, per day (UTC). The events themselves are not stored.
create table outbound.foreign_events (
  day date not null,
  -- unknown_sender: no sender of ours has this number or account. unknown_message: a sender of ours, but no message.
  reason text not null,
  events bigint not null,
  constraint foreign_events_pkey primary key (day, reason),
  constraint foreign_events_reason_check check (reason in ('unknown_sender', 'unknown_message'))
);
alter table outbound.foreign_events enable row level security;

-- When the platform last reported anything about an account, and when the webhook last refused a report about one of
-- the account's messages. With webhook_probe, all that tick() knows about whether events could have reached us.
create table outbound.account_signals (
  company_id uuid not null,
  waba_id text not null,
  event_at timestamptz not null default '-infinity',
  refused_at timestamptz not null default '-infinity',
  -- The last period without an accepted report: from the last report before it, at most 10 s before the first refused
  -- one, until the first accepted one.
  refused_since timestamptz,
  accepted_at timestamptz,
  constraint account_signals_pkey primary key (company_id, waba_id),
  constraint account_signals_company_fkey foreign key (company_id) references outbound.companies (id) on delete cascade
) with (fillfactor = 50);
alter table outbound.account_signals enable row level security;

-- One row: the signed requests by which dispatchers find out whether our own webhook can be reached from outside.
create table outbound.webhook_probe (
  only_row boolean not null default true,
  -- Of the latest probe. Only a webhook that uses this database can confirm it.
  nonce uuid,
  begun_at timestamptz not null default '-infinity',
  -- When the latest probe that came back began, and the latest that did not.
  returned_at timestamptz not null default '-infinity',
  failed_at timestamptz not null default '-infinity',
  -- The last period in which no probe came back: from the last one before it, at most 10 s before the first that did
  -- not, until the first that did.
  failing_since timestamptz,
  recovered_at timestamptz,
  constraint webhook_probe_pkey primary key (only_row),
  constraint webhook_probe_only_check check (only_row)
);
alter table outbound.webhook_probe enable row level security;
insert into outbound.webhook_probe default values;
