-- The numbers that messages leave from.
create table outbound.senders (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  channel text not null,
  -- International format, digits only.
  number text not null,
  -- The platform's id of the number: phone_number_id on WhatsApp.
  platform_id text not null,
  -- The WhatsApp business account the number belongs to.
  waba_id text,
  -- The platform's access token, sealed with OUTBOUND_SECRETS_KEY. It is written and never shown.
  token_sealed text,
  rate_per_second int not null default 80,
  -- Voice: how many calls may go on at once, instead of a rate.
  concurrency int not null default 20,
  -- WhatsApp: where templates of category MARKETING go, the platform's endpoint for all messages or that for marketing.
  marketing_endpoint text not null default 'messages',
  status text not null default 'active',
  stopped_reason text,
  -- The platform's code, where a refused message stopped it; null where it has none.
  stopped_code text,
  stopped_at timestamptz,
  -- The platform has locked the account and unlocks it only on appeal: requests for this sender are refused.
  locked boolean not null default false,
  -- True if an event about the account stopped it, so that another event releases it; false if a refused message did.
  stopped_by_account boolean not null default false,
  -- When the platform's restriction ends, if the platform said so.
  stopped_until timestamptz,
  -- How many people per day the platform lets the business write to (TIER_250, TIER_2K …), and how it rates the number
  -- (RED or UNKNOWN); null until it has reported them.
  messaging_limit text,
  quality text,
  -- The platform's last warning about the account, which may still send.
  platform_notice text,
  -- When each of these became true at the platform. An earlier event changes nothing.
  account_status_at timestamptz not null default '-infinity'::timestamptz,
  messaging_limit_at timestamptz not null default '-infinity'::timestamptz,
  quality_at timestamptz not null default '-infinity'::timestamptz,
  platform_notice_at timestamptz not null default '-infinity'::timestamptz,
  created_at timestamptz not null default now(),
  -- When the templates of its account were last handed out for a sync, and whether another one was requested since.
  template_sync_taken_at timestamptz,
  template_sync_requested boolean not null default false,
  -- Where changes are found (mark_change).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  -- True while the company's budget for the month is used up: nothing leaves, and requests are refused (check_budgets).
  -- Null otherwise: a default cannot be added to a table whose rows functions take.
  over_budget boolean,
  -- Of a test company: the sender of the live company that it stands for. Its `platform_id` is that id too, so that
  -- requests may name it, and no webhook of a platform does.
  live_sender_id uuid,
  constraint senders_pkey primary key (company_id, id),
  constraint senders_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint senders_number_key unique (company_id, channel, number),
  constraint senders_platform_key unique (company_id, channel, platform_id),
  constraint senders_channel_check check (channel in ('whatsapp', 'voice')),
  constraint senders_number_check check (number ~ '^[1-9][0-9]{6,14}$'),
  constraint senders_waba_check check (channel <> 'whatsapp' or waba_id is not null),
  constraint senders_rate_check check (rate_per_second > 0),
  constraint senders_concurrency_check check (concurrency between 1 and 1000),
  constraint senders_marketing_endpoint_check check (marketing_endpoint in ('messages', 'marketing_messages')),
  constraint senders_status_check
    check (status in ('active', 'stopped') and (status = 'stopped') = (stopped_reason is not null)),
  constraint senders_stopped_code_check check (status = 'stopped' or stopped_code is null),
  constraint senders_locked_check check (status = 'stopped' or not locked),
  constraint senders_stopped_by_account_check check (status = 'stopped' or not stopped_by_account),
  constraint senders_stopped_until_check check (stopped_until is null or stopped_by_account)
);
create index senders_waba_idx on outbound.senders (waba_id);
-- Finds out whether an event of the platform is about a sender of ours.
create index senders_platform_idx on outbound.senders (platform_id);
create index senders_stopped_until_idx on outbound.senders (stopped_until) where stopped_until is not null;
-- How many there are in each state, and which the platform rates low or has warned about (operating_figures).
create index senders_status_idx on outbound.senders (status, locked);
create index senders_quality_idx on outbound.senders (quality) where quality = 'RED';
create index senders_notice_idx on outbound.senders (platform_notice_at);
-- Rows that changed a moment ago (changes_of_sending).
create index senders_changed_idx on outbound.senders (company_id, changed_xid)
  where changed_xid is not null;
alter table outbound.senders enable row level security;
create trigger senders_mark_change before update on outbound.senders
  for each row execute function outbound.mark_change();
create trigger senders_add_state after insert on outbound.senders
  for each row execute function outbound.add_sender_state();
create trigger senders_plan_turns after update on outbound.senders
  referencing old table as old_rows new table as new_rows
  for each statement execute function outbound.plan_changed_senders();
create trigger senders_report after update on outbound.senders
  for each row when ((old.status, old.locked) is distinct from (new.status, new.locked))
  execute function outbound.report_sender();
create trigger senders_report_limits after update on outbound.senders
  for each row when (
    (old.messaging_limit, old.quality, old.platform_notice)
      is distinct from (new.messaging_limit, new.quality, new.platform_notice)
  ) execute function outbound.report_sender_limits();

-- How fast a sender may go now, shared by all dispatchers: a token bucket, and a breaker for a platform that does not
-- respond. Not part of senders, because these few bytes change many times per second.
create table outbound.sender_rate_state (
  company_id uuid not null,
  sender_id uuid not null,
  tokens double precision not null default 1,
  refilled_at timestamptz not null default now(),
  -- Share of rate_per_second or concurrency in force: halved when the platform reports too many, recovering with time.
  throttle double precision not null default 1,
  throttled_at timestamptz,
  -- Failures in a row to reach the platform. From breaker_threshold() on the breaker is open until blocked_until.
  failures int not null default 0,
  blocked_until timestamptz,
  -- Since when the platform has not responded to it; null while it responds, and again where nothing was tried for
  -- outage_ends_after().
  unreachable_since timestamptz,
  -- When the platform responded again after the breaker had been open.
  reached_at timestamptz,
  constraint sender_rate_state_pkey primary key (company_id, sender_id),
  constraint sender_rate_state_sender_fkey foreign key (company_id, sender_id)
    references outbound.senders (company_id, id) on delete cascade,
  constraint sender_rate_state_throttle_check check (throttle > 0 and throttle <= 1)
) with (fillfactor = 30);
create index sender_rate_state_unreachable_idx on outbound.sender_rate_state (unreachable_since)
  where unreachable_since is not null;
alter table outbound.sender_rate_state set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
alter table outbound.sender_rate_state enable row level security;

-- When a claim reads each sender next. A claim reads the due turns only, so the messages of other senders
-- do not slow it down.
--
-- The rule: a turn is never later than the moment at which its sender may send something. `ready_at` is when the
-- sender itself is ready (schedule_senders), `due_at` the later of that and of the first `run_at` that waits. A
-- transaction that adds work to the queue, or brings it forward, locks the turn and moves it forward (advance_senders),
-- even if there is nothing to move. A transaction that moves a turn back locks it first and only then reads the queue.
--
-- The same rule holds for `queue_cursor`: nothing waits before it. Claims begin to read there, because an old snapshot
-- (a long report, a replica) keeps an index entry for everything that was claimed since, and a claim would step over
-- all of them. A transaction that puts something before it lowers it while it has the turn locked (advance_senders); a
-- transaction that raises it locks the turn first and only then reads the queue (schedule_senders).
create table outbound.sender_schedule (
  company_id uuid not null,
  sender_id uuid not null,
  -- The sender cannot send before this time, because its bucket is empty or its cooldown is not over. infinity while it
  -- is stopped or has no free line.
  ready_at timestamptz not null default '-infinity',
  -- infinity while nothing waits. No time before due_from() is ever set.
  due_at timestamptz not null default 'infinity',
  -- Per priority: run_at and id of the first notification that may wait.
  queue_cursor timestamptz[] not null default array_fill('-infinity'::timestamptz, array[3]),
  queue_cursor_id uuid[] not null default array_fill('00000000-0000-0000-0000-000000000000'::uuid, array[3]),
  constraint sender_schedule_pkey primary key (company_id, sender_id),
  constraint sender_schedule_sender_fkey foreign key (company_id, sender_id)
    references outbound.senders (company_id, id) on delete cascade,
  constraint sender_schedule_due_check check (due_at >= ready_at),
  -- A comparison with null would find nothing.
  constraint sender_schedule_scan_check check (
    cardinality(queue_cursor) = 3 and array_position(queue_cursor, null) is null
    and cardinality(queue_cursor_id) = 3 and array_position(queue_cursor_id, null) is null
  )
) with (fillfactor = 50);
create index sender_schedule_due_idx on outbound.sender_schedule (due_at);
alter table outbound.sender_schedule set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
alter table outbound.sender_schedule enable row level security;
