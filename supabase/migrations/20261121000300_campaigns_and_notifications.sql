-- The queue. One accepted request is one campaign; each recipient is one
-- notification. Rows change state only through the functions of the later
-- migrations; docs/states.md shows who moves what. Every function takes its
-- locks in one order (notifications by id, then campaigns by id), so that any
-- number of them may run at once without a deadlock.
create table outbound.campaigns (
  company_id uuid not null,
  id uuid not null,
  api_key_id uuid not null,
  channel text not null,
  name text not null,
  notification_type text not null,
  sender_id uuid not null,
  template_id uuid,
  -- The template as it was when the request was accepted.
  template_name text,
  template_language text,
  template_shape text,
  name_event text,
  scheduled_time timestamptz,
  total int not null,
  -- Contacts of the request that were refused; they are not part of total.
  rejected int not null default 0,
  pending int not null,
  processing int not null default 0,
  -- What the platform took and did not fail; delivered and read are parts of it.
  sent int not null default 0,
  delivered int not null default 0,
  read int not null default 0,
  failed int not null default 0,
  cancelled int not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  completed_at timestamptz,
  -- From then on nothing of it goes back to the queue.
  cancelled_at timestamptz,
  -- From then on what has not left is held, until it is resumed.
  paused_at timestamptz,
  constraint campaigns_pkey primary key (company_id, id),
  constraint campaigns_channel_check check (channel in ('whatsapp', 'voice')),
  constraint campaigns_type_check check (notification_type in ('marketing', 'transactional', 'utility')),
  constraint campaigns_conservation_check check (
    total = pending + processing + sent + failed + cancelled
    and least(pending, processing, sent, failed, cancelled, rejected, read) >= 0
    and read <= delivered and delivered <= sent
  ),
  constraint campaigns_completed_check check ((pending + processing = 0) = (completed_at is not null))
) with (fillfactor = 70);
create index campaigns_created_idx on outbound.campaigns (company_id, created_at desc);
alter table outbound.campaigns enable row level security;

create table outbound.notifications (
  company_id uuid not null,
  id uuid not null,
  campaign_id uuid not null,
  sender_id uuid not null,
  -- 0 transactional, 1 utility, 2 marketing: lower goes first.
  priority smallint not null,
  number text not null,
  -- What the gateway sends besides the number: for a chat message the platform's `template.components`.
  message json not null,
  status text not null,
  -- Not before this time: the due time, later after a refusal.
  run_at timestamptz not null,
  -- The due time of a notification that is held; null when it is not.
  held_run_at timestamptz,
  expires_at timestamptz not null,
  -- Tries so far, the running one included.
  attempt smallint not null default 0,
  -- Raised at every claim; a finish that shows an older one changes nothing.
  fence int not null default 0,
  worker text,
  claimed_at timestamptz,
  -- sending: the worker's lease; unconfirmed: how long to wait for the platform's own word.
  lease_until timestamptz,
  provider_message_id text,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz,
  -- The platform's code, or one of ours: expired, outcome_unknown.
  error_code text,
  error_reason text,
  created_at timestamptz not null default now(),
  constraint notifications_pkey primary key (company_id, id),
  constraint notifications_status_check check (
    status in ('scheduled', 'queued', 'sending', 'unconfirmed', 'sent', 'delivered', 'read', 'failed', 'cancelled')
  ),
  constraint notifications_held_check check (
    (held_run_at is not null) = (run_at = 'infinity')
    and (held_run_at is null or status in ('scheduled', 'queued'))
  ),
  constraint notifications_worker_check check ((status = 'sending') = (worker is not null)),
  constraint notifications_lease_check
    check ((status in ('sending', 'unconfirmed')) = (lease_until is not null)),
  constraint notifications_sent_check check (status not in ('sent', 'delivered', 'read') or sent_at is not null),
  constraint notifications_delivered_check
    check (status not in ('delivered', 'read') or delivered_at is not null),
  constraint notifications_read_check check ((status = 'read') = (read_at is not null)),
  constraint notifications_failed_check
    check ((status = 'failed') = (failed_at is not null) and (status <> 'failed' or error_reason is not null))
);
-- What may still leave, in the order a sender works it off. Claims read this and nothing else.
create index notifications_waiting_idx on outbound.notifications (sender_id, priority, run_at, id)
  where status in ('scheduled', 'queued');
create index notifications_scheduled_idx on outbound.notifications (run_at) where status = 'scheduled';
create index notifications_expiry_idx on outbound.notifications (expires_at)
  where status in ('scheduled', 'queued');
create index notifications_lease_idx on outbound.notifications (lease_until)
  where status in ('sending', 'unconfirmed');
-- A campaign's recipients in order, page by page, without sorting all of them.
create index notifications_campaign_idx on outbound.notifications (company_id, campaign_id, id);
create index notifications_provider_idx on outbound.notifications (provider_message_id)
  where provider_message_id is not null;
alter table outbound.notifications enable row level security;

-- History: one row for each try.
create table outbound.delivery_attempts (
  company_id uuid not null,
  notification_id uuid not null,
  attempt smallint not null,
  fence int not null,
  worker text not null,
  started_at timestamptz not null,
  finished_at timestamptz not null default now(),
  outcome text not null,
  http_status int,
  error_code text,
  reason text,
  provider_message_id text,
  constraint delivery_attempts_pkey primary key (company_id, notification_id, fence),
  constraint delivery_attempts_outcome_check check (outcome in ('sent', 'failed', 'retry', 'not_sent', 'unknown'))
);
alter table outbound.delivery_attempts enable row level security;

-- What the platform told us, stored before it is answered, applied in batches.
create table outbound.provider_events (
  id bigint not null generated always as identity,
  dedupe_key text not null,
  channel text not null,
  account_id text,
  provider_message_id text,
  -- From the reference we sent along; null when the platform did not give it back.
  company_id uuid,
  notification_id uuid,
  status text not null,
  occurred_at timestamptz not null,
  error_code text,
  -- For a failure: whether the same message may be tried again.
  retryable boolean not null default false,
  reason text,
  received_at timestamptz not null default now(),
  -- Not before this time; an event that matches nothing yet is tried again later.
  apply_at timestamptz not null default now(),
  applied_at timestamptz,
  constraint provider_events_pkey primary key (id),
  constraint provider_events_dedupe_key unique (dedupe_key),
  constraint provider_events_status_check check (status in ('sent', 'delivered', 'read', 'failed'))
);
create index provider_events_waiting_idx on outbound.provider_events (apply_at, id) where applied_at is null;
alter table outbound.provider_events enable row level security;
