-- Small facts that all processes share: when each clock last ticked, the dispatch function's address.
create table outbound.settings (
  name text not null,
  value jsonb not null,
  updated_at timestamptz not null default now(),
  constraint settings_pkey primary key (name)
);
alter table outbound.settings enable row level security;
