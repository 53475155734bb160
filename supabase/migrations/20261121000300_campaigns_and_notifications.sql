-- The queue. One accepted request is one campaign; each recipient is one notification. Rows change state only through the
-- functions of the later migrations; docs/states.md shows who moves what.
--
-- The lock order, kept by every function, so that any number of them may run at once without a deadlock: access keys by
-- hash, the sender's row and its pace, the template, provider events, notifications by id and all of a transaction's in
-- one go, delivery attempts, calls, campaigns by id, webhook deliveries, the webhook, and last the senders' turns by
-- sender id. A function that needs a row out of this order takes it only where it can lock it at once (skip locked).
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
  -- The voice agent of a campaign of calls.
  agent_id uuid,
  name_event text,
  scheduled_time timestamptz,
  -- The request's own, an IANA name; calling hours may go by it.
  timezone text,
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
  -- Its template is not approved: what has not left is held until it is. Why, in words for people. Independent of
  -- paused_at; what waits is held as long as there is either.
  held_reason text,
  -- A cancellation or a pause of a large campaign is going through its notifications, and was last seen at it then.
  -- Meanwhile claims pass over what is left of it.
  stopping_at timestamptz,
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
-- The campaigns a change of their template concerns (settle_templates).
create index campaigns_template_idx on outbound.campaigns (company_id, template_id, (held_reason is not null))
  where completed_at is null;
-- Those that are being stopped right now: none, as a rule. Every claim asks.
create index campaigns_stopping_idx on outbound.campaigns (stopping_at) where stopping_at is not null;
alter table outbound.campaigns enable row level security;

create table outbound.notifications (
  company_id uuid not null,
  id uuid not null,
  campaign_id uuid not null,
  sender_id uuid not null,
  -- Of a voice campaign. While it is sending, unconfirmed or sent, a call is going on and takes one of its sender's lines.
  voice boolean not null default false,
  -- 0 transactional, 1 utility, 2 marketing: lower goes first.
  priority smallint not null,
  number text not null,
  -- What the gateway sends besides the number: for a chat message the platform's `template.components`,
  -- for a call `{agent_id, dynamic_variables}`, the agent by the platform's id.
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
  -- The platform's code, or one of ours: expired, outcome_unknown, template_changed.
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
-- `is not null` is no condition: it keeps this index from queries that do not ask by this column, such as claims.
create index notifications_expiry_idx on outbound.notifications (expires_at)
  where status in ('scheduled', 'queued') and expires_at is not null;
create index notifications_lease_idx on outbound.notifications (lease_until)
  where status in ('sending', 'unconfirmed');
-- The calls that are going on: no more than the lines of all senders, however many were ever made.
create index notifications_calls_idx on outbound.notifications (sender_id)
  where voice and status in ('sending', 'unconfirmed', 'sent');
-- Whom a campaign has called. The number leads, and nobody asks by the company as well, so that without statistics no
-- other index, which would read the whole campaign, looks as good.
create index notifications_called_idx on outbound.notifications (number, campaign_id) where voice;
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
  -- The try it is about; null also when the reference does not name one.
  fence int,
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
  -- Voice: how the call went, {outcome, duration_s, summary, transcript, ended_at}.
  call json,
  constraint provider_events_pkey primary key (id),
  constraint provider_events_dedupe_key unique (dedupe_key),
  constraint provider_events_status_check check (status in ('sent', 'delivered', 'read', 'failed'))
);
create index provider_events_waiting_idx on outbound.provider_events (apply_at, id) where applied_at is null;
alter table outbound.provider_events enable row level security;

-- What the platform told us about templates, the same way.
create table outbound.template_events (
  id bigint not null generated always as identity,
  dedupe_key text not null,
  account_id text not null,
  provider_template_id text,
  name text not null,
  language text not null,
  -- status (status, reason), category (category), quality (quality), components: read the account anew.
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

-- What the platform reported about business accounts and their numbers, the same way.
create table outbound.account_events (
  id bigint not null generated always as identity,
  dedupe_key text not null,
  account_id text not null,
  -- Digits; null for all numbers of the account.
  number text,
  -- active, restricted or disabled, and why; null when the event says nothing of it.
  status text,
  reason text,
  -- When a restriction ends, if the platform said so.
  until timestamptz,
  messaging_limit text,
  quality text,
  -- A warning.
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

-- How many events of the platform were about messages of other systems, per day (UTC). They are not kept.
create table outbound.foreign_events (
  day date not null,
  -- unknown_sender: no sender of ours has this number or account. unknown_message: a sender of ours, but no message.
  reason text not null,
  events bigint not null,
  constraint foreign_events_pkey primary key (day, reason),
  constraint foreign_events_reason_check check (reason in ('unknown_sender', 'unknown_message'))
);
alter table outbound.foreign_events enable row level security;

-- Campaigns, notifications and attempts have no foreign keys: accept_notifications writes a campaign together with its
-- notifications, of a company whose key it has locked, and to look all that up again for each row took a third of its
-- time. What the keys would have done when a company is deleted is done here.
create function outbound.forget_company()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  delete from outbound.delivery_attempts as a where a.company_id = old.id;
  delete from outbound.notifications as n where n.company_id = old.id;
  delete from outbound.campaigns as g where g.company_id = old.id;
  return null;
end
$$;
revoke execute on function outbound.forget_company from public;
create trigger companies_forget after delete on outbound.companies
  for each row execute function outbound.forget_company();
