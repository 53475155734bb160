-- The history: how many messages were accepted, sent, delivered and so on, per hour, and per day once they are
-- older than history_hours_kept(). Campaigns and notifications say how things are; these tables say how they went.

-- The changes that no fold has added to the history yet (fold_history). Every statement that moves notifications
-- appends a row per company, hour, area and state, so that none waits for a row that all write. No foreign keys,
-- for the same reason: a fold drops what is of no company any more. A row per campaign took accepting of a hundred
-- campaigns of one message 5 % of its time.
create table outbound.history_changes (
  -- The order in which folds take them. Its transaction may end after those of later ones.
  written_at timestamptz not null default now(),
  company_id uuid not null,
  -- When it happened, or the hour of it: a late report belongs to the hour of its event.
  at timestamptz not null,
  -- As area_of returns it; of what was priced, the country by ISO 3166-1, or empty.
  area text not null,
  -- accepted, sent, delivered, read, replied, failed, skipped, cancelled, opted_out; priced: the platform charges for
  -- it.
  metric text not null,
  -- failed, skipped: the code; priced: the category; opted_out: the channel; empty otherwise.
  reason text not null default '',
  -- The nil UUID for an opt-out.
  campaign_ids uuid[] not null,
  -- Of each campaign; null: 1 of each. Less than 0 where a state is taken back, as of a sent message that fails.
  counts int[]
);
create index history_changes_written_idx on outbound.history_changes (written_at);
-- Up to some hundred campaigns stay in the row, uncompressed.
alter table outbound.history_changes set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, toast_tuple_target = 8160
);
alter table outbound.history_changes enable row level security;

-- The history. Only folds write it.
create table outbound.history (
  company_id uuid not null,
  -- The hour, or the day, in UTC.
  hour timestamptz not null,
  -- The nil UUID for campaigns of a single message, and for opt-outs.
  campaign_id uuid not null,
  -- The nil UUID for calls and opt-outs.
  template_id uuid not null,
  -- The nil UUID for opt-outs.
  sender_id uuid not null,
  -- whatsapp or voice; any: an opt-out of both.
  channel text not null,
  -- As in history_changes.
  area text not null,
  -- The code of what failed or was skipped, the category of what was priced; empty for everything else.
  reason text not null,
  accepted int not null default 0,
  -- As campaigns count: delivered and read messages are sent ones, too; failed ones are not.
  sent int not null default 0,
  delivered int not null default 0,
  read int not null default 0,
  replied int not null default 0,
  failed int not null default 0,
  skipped int not null default 0,
  cancelled int not null default 0,
  -- Messages for which the platform charges.
  priced int not null default 0,
  opted_out int not null default 0,
  constraint history_pkey
    primary key (company_id, hour, campaign_id, template_id, sender_id, channel, area, reason),
  constraint history_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
) with (fillfactor = 80);
-- The oldest hours and the oldest days (clean_up_history).
create index history_age_idx
  on outbound.history ((date_trunc('day', hour at time zone 'UTC') = hour at time zone 'UTC'), hour);
-- One campaign's.
create index history_campaign_idx on outbound.history (company_id, campaign_id, hour);
alter table outbound.history set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
alter table outbound.history enable row level security;

-- How long hours are kept, before they become days; and how long the history is.
create function outbound.history_hours_kept()
returns interval
language sql immutable security invoker set search_path = ''
return interval '35 days';
revoke execute on function outbound.history_hours_kept from public;
create function outbound.history_kept()
returns interval
language sql immutable security invoker set search_path = ''
return interval '13 months';
revoke execute on function outbound.history_kept from public;

-- A sender's quality and limit since a time, until the next row's (keep_sender_history).
create table outbound.sender_history (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  sender_id uuid not null,
  -- When the platform says that it changed.
  at timestamptz not null,
  quality text,
  messaging_limit text,
  constraint sender_history_pkey primary key (company_id, id),
  constraint sender_history_sender_fkey foreign key (company_id, sender_id)
    references outbound.senders (company_id, id) on delete cascade
);
create index sender_history_sender_idx on outbound.sender_history (company_id, sender_id, at, id);
create index sender_history_at_idx on outbound.sender_history (at);
alter table outbound.sender_history enable row level security;
create trigger senders_keep_history after update on outbound.senders
  for each row when (
    (old.messaging_limit, old.quality) is distinct from (new.messaging_limit, new.quality)
  ) execute function outbound.keep_sender_history();

-- The amounts that a company wants to spend per month (UTC) on messages, by the operator's rate card: from warn_amount
-- on it is warned, from limit_amount on nothing more is accepted or leaves (senders.over_budget). check_budgets() keeps
-- the state.
create table outbound.budgets (
  company_id uuid not null,
  warn_amount numeric(14, 2),
  limit_amount numeric(14, 2),
  currency text not null,
  -- The month that the following are about.
  month date not null default '-infinity',
  spent numeric(16, 6) not null default 0,
  warned_at timestamptz,
  reached_at timestamptz,
  checked_at timestamptz not null default '-infinity',
  constraint budgets_pkey primary key (company_id),
  constraint budgets_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint budgets_currency_check check (currency ~ '^[A-Z]{3}$'),
  constraint budgets_amounts_check check (least(warn_amount, limit_amount) >= 0)
);
-- Those to check next (check_budgets).
create index budgets_checked_idx on outbound.budgets (checked_at);
alter table outbound.budgets enable row level security;
