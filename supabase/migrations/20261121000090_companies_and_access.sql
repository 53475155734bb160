-- Companies, who belongs to them, and the keys their backends call us with.
-- Nothing in schema outbound is exposed: no grants, row level security on and
-- no policies, so only the owner of these tables (the API's own role) gets in.
create schema outbound;
revoke all on schema outbound from public;

create table outbound.companies (
  id uuid not null default gen_random_uuid(),
  name text not null,
  api_access boolean not null default true,
  -- What happens to a message whose fate the platform never told us.
  on_unknown text not null default 'resend',
  -- A campaign does not call a number again before this many seconds have gone by.
  call_gap_s int not null default 60,
  -- Calls are made between these two times of the day only; null is at any time. By the clocks of the recipient's country
  -- or of the campaign's time zone.
  calls_from time,
  calls_until time,
  calls_zone text,
  created_at timestamptz not null default now(),
  constraint companies_pkey primary key (id),
  constraint companies_name_check check (length(name) between 1 and 200),
  constraint companies_on_unknown_check check (on_unknown in ('resend', 'hold')),
  constraint companies_call_gap_check check (call_gap_s between 0 and 86400),
  constraint companies_calls_check check (
    num_nonnulls(calls_from, calls_until, calls_zone) in (0, 3)
    and calls_from < calls_until and calls_zone in ('recipient', 'campaign')
  )
);
alter table outbound.companies enable row level security;

-- user_id is the id of a user of the auth server; no foreign key, because that
-- server may keep its tables in another database.
create table outbound.company_members (
  company_id uuid not null,
  user_id uuid not null,
  created_at timestamptz not null default now(),
  constraint company_members_pkey primary key (company_id, user_id),
  constraint company_members_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index company_members_user_idx on outbound.company_members (user_id);
alter table outbound.company_members enable row level security;

create table outbound.api_keys (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  -- SHA-256 of the key in hex: what a presented key is looked up by.
  key_hash text not null,
  -- The key itself, sealed with SECRETS_KEY: the contract has the owner read it again (POST /api_keys).
  key_sealed text not null,
  permissions text[] not null,
  rate_limit int not null default 600,
  daily_quota int not null default 100000,
  is_active boolean not null default true,
  -- A company has one current key; rotated ones stay for the record.
  is_current boolean not null default true,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  constraint api_keys_pkey primary key (company_id, id),
  constraint api_keys_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint api_keys_key_hash_check check (key_hash ~ '^[0-9a-f]{64}$'),
  constraint api_keys_permissions_check
    check (permissions <@ array['chatapp_notifications', 'voice_notifications']),
  constraint api_keys_limits_check check (rate_limit > 0 and daily_quota >= 0),
  constraint api_keys_retired_check check (is_current or not is_active)
);
create unique index api_keys_key_hash_idx on outbound.api_keys (key_hash);
create unique index api_keys_current_idx on outbound.api_keys (company_id) where is_current;
alter table outbound.api_keys enable row level security;

-- One row a key and UTC day: notifications taken that day, and the requests of
-- the running minute, so that one row lock decides both limits.
create table outbound.usage (
  company_id uuid not null,
  api_key_id uuid not null,
  day date not null,
  notifications int not null default 0,
  window_start timestamptz not null default now(),
  requests int not null default 0,
  constraint usage_pkey primary key (company_id, api_key_id, day),
  constraint usage_key_fkey foreign key (company_id, api_key_id)
    references outbound.api_keys (company_id, id) on delete cascade
) with (fillfactor = 50);
alter table outbound.usage enable row level security;

-- Tries to log in, by address, by account, and by the pair of the two; all are kept as hashes only.
create table outbound.login_attempts (
  subject text not null,
  window_start timestamptz not null,
  -- Of an address or a pair, in its window.
  attempts int not null,
  -- Of an account: its tries are a bucket, which is full again at this time.
  full_at timestamptz,
  -- Of a pair: the user logged in from there, so that strangers' tries do not slow the user down.
  known_until timestamptz,
  expires_at timestamptz not null default now() + interval '1 day',
  constraint login_attempts_pkey primary key (subject)
);
alter table outbound.login_attempts enable row level security;

-- First answers, so that a repeated request gets the same one.
create table outbound.idempotency_keys (
  company_id uuid not null,
  endpoint text not null,
  key text not null,
  request_hash text not null,
  -- json, not jsonb: it is given back as it was, to the letter.
  answer json not null,
  created_at timestamptz not null default now(),
  constraint idempotency_keys_pkey primary key (company_id, endpoint, key),
  constraint idempotency_keys_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index idempotency_keys_created_idx on outbound.idempotency_keys (created_at);
alter table outbound.idempotency_keys enable row level security;

create table outbound.settings (
  name text not null,
  value jsonb not null,
  updated_at timestamptz not null default now(),
  constraint settings_pkey primary key (name)
);
alter table outbound.settings enable row level security;
