-- Notifications on members' devices, by the push services of their browsers (web push).

-- The browsers in which a member asked to be notified. For the member alone: no audit.
create table outbound.push_subscriptions (
  company_id uuid not null,
  user_id uuid not null,
  id uuid not null default gen_random_uuid(),
  -- At the browser's push service. Knowing it is what lets one send there, together with OUTBOUND_VAPID_PRIVATE_KEY.
  endpoint text not null,
  -- The browser's keys, in base64url: what is sent is encrypted for them.
  p256dh text not null,
  auth text not null,
  -- Of the console in this browser.
  language text not null,
  created_at timestamptz not null default now(),
  constraint push_subscriptions_pkey primary key (company_id, user_id, id),
  constraint push_subscriptions_endpoint_key unique (company_id, user_id, endpoint),
  constraint push_subscriptions_member_fkey foreign key (company_id, user_id)
    references outbound.memberships (company_id, user_id) on delete cascade,
  constraint push_subscriptions_endpoint_check check (length(endpoint) <= 1000)
);
-- Of a user whose sessions have all ended.
create index push_subscriptions_user_idx on outbound.push_subscriptions (user_id);
alter table outbound.push_subscriptions enable row level security;

-- Notifications that wait to be sent. They end when they are sent, or too old. Messages only add rows, so that none waits
-- for a row that is being sent.
create table outbound.push_notices (
  company_id uuid not null,
  user_id uuid not null,
  subscription_id uuid not null,
  id uuid not null default gen_random_uuid(),
  -- A chat, a thread (contact_threads) or a handoff.
  conversation_id uuid not null,
  kind text not null,
  attempt int not null default 0,
  -- Not claimed before this time; while it is claimed, the end of the lease.
  run_at timestamptz not null default now(),
  worker text,
  -- A later notification is of no use.
  expires_at timestamptz not null default now() + interval '10 minutes',
  constraint push_notices_pkey primary key (company_id, user_id, subscription_id, id),
  constraint push_notices_subscription_fkey foreign key (company_id, user_id, subscription_id)
    references outbound.push_subscriptions (company_id, user_id, id) on delete cascade,
  constraint push_notices_kind_check check (kind in ('chat', 'whatsapp', 'handoff'))
) with (fillfactor = 70);
create index push_notices_due_idx on outbound.push_notices (run_at);
alter table outbound.push_notices enable row level security;
