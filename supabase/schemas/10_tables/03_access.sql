-- The access keys that companies' backends present. Of a company's keys one is current: the contract shows it. Further
-- keys have a name. find_key says which of them pass. A rotation changes the text of a key, and leaves its limits and
-- its use, so that it opens no second quota.
create table outbound.api_keys (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  -- SHA-256 of the key in hex. A presented key is looked up by it.
  key_hash text not null,
  -- The key itself, sealed with OUTBOUND_SECRETS_KEY, because the contract lets the owner read it again (POST /api_keys).
  -- Null for further keys: they are shown once.
  key_sealed text,
  permissions text[] not null,
  rate_limit int not null default 600,
  daily_quota int not null default 100000,
  is_active boolean not null default true,
  -- A company has one current key; keys that the first release has rotated stay for the record, without a name.
  is_current boolean not null default true,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  -- Of a further key.
  name text,
  -- The senders that the key may use; null for all.
  sender_ids uuid[],
  expires_at timestamptz,
  -- The text of before the last rotation, which passes until then.
  old_key_hash text,
  old_expires_at timestamptz,
  -- Where a request of the key came from, written once per minute at most.
  last_used_address text,
  -- When the company is notified next that the key ends soon (plan_key_warning); null for never again.
  warn_at timestamptz,
  constraint api_keys_pkey primary key (company_id, id),
  constraint api_keys_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint api_keys_key_hash_check check (key_hash ~ '^[0-9a-f]{64}$'),
  constraint api_keys_permissions_check
    check (permissions <@ array['chatapp_notifications', 'voice_notifications', 'contacts', 'erase', 'people', 'media',
      'conversations', 'calls', 'templates', 'senders', 'webhooks', 'widgets', 'reports', 'settings']),
  constraint api_keys_limits_check check (rate_limit > 0 and daily_quota >= 0),
  constraint api_keys_kind_check check (is_current or name is not null or not is_active),
  constraint api_keys_sealed_check check (not is_current or key_sealed is not null and name is null),
  constraint api_keys_name_check check (char_length(name) between 1 and 100),
  constraint api_keys_senders_check check (cardinality(sender_ids) > 0),
  constraint api_keys_old_check check ((old_key_hash is null) = (old_expires_at is null))
);
create unique index api_keys_key_hash_idx on outbound.api_keys (key_hash);
create unique index api_keys_old_key_hash_idx on outbound.api_keys (old_key_hash) where old_key_hash is not null;
create unique index api_keys_current_idx on outbound.api_keys (company_id) where is_current;
create index api_keys_warn_idx on outbound.api_keys (warn_at) where warn_at is not null;
create trigger api_keys_plan_warning before insert or update of expires_at, is_active on outbound.api_keys
  for each row execute function outbound.plan_key_warning();
alter table outbound.api_keys enable row level security;

-- One row per key and UTC day: the notifications accepted that day and the requests of the running minute, so that one
-- row lock decides both limits.
create table outbound.usage (
  company_id uuid not null,
  api_key_id uuid not null,
  day date not null,
  notifications int not null default 0,
  window_start timestamptz not null default now(),
  requests int not null default 0,
  -- Of the whole day.
  day_requests int not null default 0,
  constraint usage_pkey primary key (company_id, api_key_id, day),
  constraint usage_key_fkey foreign key (company_id, api_key_id)
    references outbound.api_keys (company_id, id) on delete cascade
) with (fillfactor = 50);
create index usage_day_idx on outbound.usage (day);
-- Each request makes a dead version of one of few rows.
alter table outbound.usage set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
alter table outbound.usage enable row level security;

-- Requests that were made with keys, for their owners to look at: of a busy key a sample. Paths are those of the API
-- document, without ids and queries, so no person is in them.
create table outbound.key_requests (
  company_id uuid not null,
  -- Of the request, as its response names it.
  id uuid not null,
  api_key_id uuid not null,
  method text not null,
  -- As the API document names it.
  path text not null,
  status smallint not null,
  -- Of a refusal.
  code text,
  duration_ms real not null,
  -- How many requests it stands for, itself among them.
  stands_for int not null,
  created_at timestamptz not null,
  constraint key_requests_pkey primary key (company_id, id),
  constraint key_requests_key_fkey foreign key (company_id, api_key_id)
    references outbound.api_keys (company_id, id) on delete cascade
);
create index key_requests_key_idx on outbound.key_requests (company_id, api_key_id, created_at, id);
create index key_requests_created_idx on outbound.key_requests (created_at);
alter table outbound.key_requests set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);
alter table outbound.key_requests enable row level security;

-- The companies that want the bodies of their keys' requests kept.
create table outbound.recorded_bodies (
  company_id uuid not null,
  -- When it was switched on, or when the company last erased a person: no body from before is stored.
  since timestamptz not null default now(),
  constraint recorded_bodies_pkey primary key (company_id),
  constraint recorded_bodies_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
alter table outbound.recorded_bodies enable row level security;

-- The beginnings of the last bodies, without secrets. They may name people, so an erasure deletes all of the company.
create table outbound.key_request_bodies (
  company_id uuid not null,
  -- Of the request.
  id uuid not null,
  -- Null where there was none, or none that is JSON.
  request text,
  response text,
  created_at timestamptz not null,
  constraint key_request_bodies_pkey primary key (company_id, id),
  constraint key_request_bodies_request_fkey foreign key (company_id, id)
    references outbound.key_requests (company_id, id) on delete cascade,
  constraint key_request_bodies_company_fkey foreign key (company_id)
    references outbound.recorded_bodies (company_id) on delete cascade
);
create index key_request_bodies_created_idx on outbound.key_request_bodies (company_id, created_at);
alter table outbound.key_request_bodies enable row level security;

-- Attempts to log in, by address, by account, and by the pair of the two; all stored as hashes only.
create table outbound.login_attempts (
  subject text not null,
  window_start timestamptz not null,
  -- Of an address or a pair: attempts in its window.
  attempts int not null,
  -- Of an account: its attempts are a bucket, and this is when the bucket is full again.
  full_at timestamptz,
  -- Of a pair: the user has logged in from this address, so strangers' attempts do not slow the user down.
  known_until timestamptz,
  expires_at timestamptz not null default now() + interval '1 day',
  constraint login_attempts_pkey primary key (subject)
);
create index login_attempts_expires_idx on outbound.login_attempts (expires_at);
alter table outbound.login_attempts enable row level security;

-- First responses, so that a repeated request gets the same one.
create table outbound.idempotency_keys (
  company_id uuid not null,
  endpoint text not null,
  key text not null,
  request_hash text not null,
  -- json, not jsonb: it is returned as it was, byte for byte.
  answer json not null,
  created_at timestamptz not null default now(),
  constraint idempotency_keys_pkey primary key (company_id, endpoint, key),
  constraint idempotency_keys_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index idempotency_keys_created_idx on outbound.idempotency_keys (created_at);
alter table outbound.idempotency_keys set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);
alter table outbound.idempotency_keys enable row level security;
