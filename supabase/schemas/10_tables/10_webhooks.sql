-- Companies' webhooks. An event is written in the transaction that causes it (an outbox), once, and only if an active
-- webhook wants it, with a delivery for each that does; deliveries are made later (claim_deliveries). docs/webhooks.md
-- describes the events. This table holds each company's own webhook; webhook_endpoints those beside it.
create table outbound.webhooks (
  company_id uuid not null,
  url text not null,
  -- The types it wants; null means all of them.
  event_types text[],
  -- Sealed with OUTBOUND_SECRETS_KEY. While a rotation is under way both secrets sign.
  secret_sealed text not null,
  old_secret_sealed text,
  old_secret_until timestamptz,
  is_active boolean not null default true,
  -- Set when something other than an operator switched it off.
  stopped_reason text,
  -- Deliveries that failed in a row; a failing endpoint gets one request at a time.
  failures int not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Only events of these channels, and of these senders; null means any event, also one that names none.
  channels text[],
  sender_ids uuid[],
  -- It is that of a test company, so its events carry `test`. Null otherwise.
  is_test boolean,
  constraint webhooks_pkey primary key (company_id),
  constraint webhooks_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint webhooks_types_check check (outbound.are_event_types(event_types)),
  constraint webhooks_filters_check check (cardinality(channels) > 0 and cardinality(sender_ids) > 0),
  constraint webhooks_old_secret_check check ((old_secret_sealed is null) = (old_secret_until is null)),
  constraint webhooks_stopped_check check (stopped_reason is null or not is_active)
);
alter table outbound.webhooks enable row level security;

-- A company's webhooks beside its own. The release before delivers to them too, because a claim hands out everything
-- that a delivery needs; it cannot change them.
create table outbound.webhook_endpoints (
  company_id uuid not null,
  id uuid not null,
  name text not null,
  url text not null,
  -- As those of outbound.webhooks.
  event_types text[],
  channels text[],
  sender_ids uuid[],
  secret_sealed text not null,
  old_secret_sealed text,
  old_secret_until timestamptz,
  is_active boolean not null default true,
  stopped_reason text,
  failures int not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhook_endpoints_pkey primary key (company_id, id),
  constraint webhook_endpoints_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint webhook_endpoints_name_check check (char_length(name) between 1 and 100),
  constraint webhook_endpoints_types_check check (outbound.are_event_types(event_types)),
  constraint webhook_endpoints_filters_check check (cardinality(channels) > 0 and cardinality(sender_ids) > 0),
  constraint webhook_endpoints_old_secret_check check ((old_secret_sealed is null) = (old_secret_until is null)),
  constraint webhook_endpoints_stopped_check check (stopped_reason is null or not is_active)
);
alter table outbound.webhook_endpoints enable row level security;

-- All webhooks of companies, as deliveries see them. The id of a company's own one is all zeros. A test company has its
-- own one only.
create view outbound.endpoints with (security_invoker = true) as
  select w.company_id, '00000000-0000-0000-0000-000000000000'::uuid as id, w.url, w.event_types, w.channels,
    w.sender_ids, w.secret_sealed, w.old_secret_sealed, w.old_secret_until, w.is_active, w.failures,
    w.is_test
  from outbound.webhooks as w
  union all
  select e.company_id, e.id, e.url, e.event_types, e.channels, e.sender_ids, e.secret_sealed, e.old_secret_sealed,
    e.old_secret_until, e.is_active, e.failures, null::boolean as is_test
  from outbound.webhook_endpoints as e;
revoke all on outbound.endpoints from public;

-- The events that companies receive.
create table outbound.outgoing_events (
  company_id uuid not null,
  -- Sent as webhook-id with every attempt, so that a receiver recognises repetitions.
  id text not null default 'evt_' || replace(gen_random_uuid()::text, '-', ''),
  type text not null,
  -- json, not jsonb: the signed text is sent as it was written, byte for byte.
  payload json not null,
  created_at timestamptz not null default now(),
  constraint outgoing_events_pkey primary key (company_id, id),
  constraint outgoing_events_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index outgoing_events_company_idx on outbound.outgoing_events (company_id, created_at);
create index outgoing_events_created_idx on outbound.outgoing_events (created_at);
alter table outbound.outgoing_events set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);
alter table outbound.outgoing_events enable row level security;

-- One row per attempt to deliver an event to one endpoint. The endpoint's pending one is its next attempt; the others are
-- history.
create table outbound.webhook_deliveries (
  company_id uuid not null,
  event_id text not null,
  -- Counts over the event's whole life and all its endpoints …
  attempt int not null default 1,
  -- … and of this endpoint since it was last replayed: decides how long the next one waits.
  attempt_since_replay int not null default 1,
  status text not null default 'pending',
  -- pending: not claimed before this time; while it is claimed, the end of the lease.
  run_at timestamptz not null default now(),
  worker text,
  -- False of a new one. Once it was claimed, or its endpoint was in trouble, its time in webhook_schedule says
  -- when claims look for it.
  deferred boolean not null default false,
  response_status int,
  -- Its first kilobyte.
  response_body text,
  error text,
  duration_ms int,
  finished_at timestamptz,
  -- Where changes are found (mark_change).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  -- Of outbound.endpoints. It may be gone: no foreign key.
  endpoint_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- As they were sent.
  request_headers json,
  constraint webhook_deliveries_pkey primary key (company_id, event_id, attempt),
  constraint webhook_deliveries_event_fkey foreign key (company_id, event_id)
    references outbound.outgoing_events (company_id, id) on delete cascade,
  constraint webhook_deliveries_finished_check check ((status = 'pending') = (finished_at is null))
);
-- Pending deliveries of an endpoint, in order.
create index webhook_deliveries_waiting_idx on outbound.webhook_deliveries (company_id, endpoint_id, run_at, event_id)
  where status = 'pending';
-- The endpoints with new deliveries (claim_deliveries).
create index webhook_deliveries_fresh_idx on outbound.webhook_deliveries (company_id, endpoint_id)
  where status = 'pending' and not deferred;
-- The deliveries of a company that are under way: no more than its endpoints get requests at a time.
create index webhook_deliveries_held_idx on outbound.webhook_deliveries (company_id, run_at)
  where status = 'pending' and worker is not null;
-- When their leases end (schedule_lost_deliveries).
create index webhook_deliveries_lease_idx on outbound.webhook_deliveries (run_at)
  where status = 'pending' and worker is not null;
-- Deliveries that failed a moment ago (changes_of_people).
create index webhook_deliveries_changed_idx on outbound.webhook_deliveries (company_id, changed_xid)
  where status = 'failed' and changed_xid is not null;
alter table outbound.webhook_deliveries set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);
alter table outbound.webhook_deliveries enable row level security;
create trigger webhook_deliveries_mark_change before update on outbound.webhook_deliveries
  for each row when (new.status = 'failed') execute function outbound.mark_change();

-- When claims look at an endpoint's deferred deliveries. One that takes everything at once has no row, so a claim costs
-- as much as there is to deliver now, however many endpoints wait.
create table outbound.webhook_schedule (
  company_id uuid not null,
  due_at timestamptz not null,
  -- Whether the endpoint was failing when the time was set: those wait in a line of their own, because all of them
  -- together get few requests.
  is_failing boolean not null default false,
  endpoint_id uuid not null default '00000000-0000-0000-0000-000000000000',
  constraint webhook_schedule_pkey primary key (company_id, endpoint_id),
  constraint webhook_schedule_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
) with (fillfactor = 70);
create index webhook_schedule_due_idx on outbound.webhook_schedule (is_failing, due_at);
alter table outbound.webhook_schedule set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
alter table outbound.webhook_schedule enable row level security;

-- The attempts of an endpoint per hour, for 30 days: its success over time. Counted as they finish (finish_deliveries).
create table outbound.webhook_history (
  company_id uuid not null,
  endpoint_id uuid not null,
  hour timestamptz not null,
  succeeded int not null default 0,
  failed int not null default 0,
  constraint webhook_history_pkey primary key (company_id, endpoint_id, hour),
  constraint webhook_history_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
) with (fillfactor = 50);
create index webhook_history_hour_idx on outbound.webhook_history (hour);
alter table outbound.webhook_history enable row level security;
