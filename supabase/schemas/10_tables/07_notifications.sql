-- The queue: one row per recipient of a campaign.
create table outbound.notifications (
  company_id uuid not null,
  id uuid not null,
  campaign_id uuid not null,
  sender_id uuid not null,
  -- Of a voice campaign. In the states of ongoing_call_states() a call is going on and occupies one of its sender's
  -- lines.
  voice boolean not null default false,
  -- 0 transactional, 1 utility, 2 marketing: lower goes first.
  priority smallint not null,
  -- Where it goes: the number if both are set. Null in both when the recipient was erased.
  number text,
  -- The platform's user id.
  user_id text,
  -- Sent by the gateway together with the number: for a chat message the platform's `template.components`, for a call
  -- `{agent_id, dynamic_variables}`, with the platform's id of the agent.
  message json not null,
  -- The client's own facts, up to 2 KB.
  metadata json,
  status text not null,
  -- The status while the notification may still leave, may have left, or is a call that is going on; null afterwards.
  -- Indexes and the queries that use them name it instead of the status: no receipt of a message changes it, so a
  -- receipt writes no index.
  queue_status text generated always as (
    case when status in ('scheduled', 'queued', 'sending', 'unconfirmed') or voice and status = 'sent' then status end
  ) stored,
  -- Not claimed before this time: the due time; later after a refusal.
  run_at timestamptz not null,
  -- The due time of a notification that is held; null when it is not.
  held_run_at timestamptz,
  expires_at timestamptz not null,
  -- Tries so far, the running one included.
  attempt smallint not null default 0,
  -- Counts claims; of a finish with an older fence only counts that the message was sent.
  fence int not null default 0,
  worker text,
  claimed_at timestamptz,
  -- sending: the worker's lease; unconfirmed: until when to wait for the platform's report.
  lease_until timestamptz,
  platform_message_id text,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz,
  -- A rule kept it from leaving; error_code says which.
  skipped_at timestamptz,
  -- True while it is sent, but the platform holds it until it knows the template's quality; null otherwise.
  held_for_quality boolean,
  -- When its recipient first replied to it.
  replied_at timestamptz,
  -- It is counted in campaign_pricing.
  is_priced boolean not null default false,
  -- The platform's code, or one of ours. failed: expired, outcome_unknown, template_changed; skipped: opted_out,
  -- no_consent, frequency_cap, erased; still waiting: those of wait_reason.
  error_code text,
  error_reason text,
  -- The notification that replaced it after it had failed or was skipped. It is replaced once.
  resent_as uuid,
  created_at timestamptz not null default now(),
  constraint notifications_pkey primary key (company_id, id),
  -- Postgres reads the text of a check again for each statement that writes the table, so only two stand here: what would
  -- break them would wait in silence. verify_campaign looks for everything else that may not be.
  constraint notifications_held_check check (
    (held_run_at is not null) = (run_at = 'infinity')
    and (held_run_at is null or status in ('scheduled', 'queued'))
  ),
  constraint notifications_lease_check
    check ((status in ('sending', 'unconfirmed')) = (lease_until is not null))
);
-- Notifications that may still leave, in the order in which a sender sends them. Claims read only this index. A queue
-- that was empty when statistics were last taken looks so small that any index will do, so no other index may match a
-- claim.
create index notifications_waiting_idx on outbound.notifications (sender_id, priority, run_at, id)
  where queue_status in ('scheduled', 'queued');
create index notifications_scheduled_idx on outbound.notifications (run_at) where queue_status = 'scheduled';
-- `is not null` is always true. It keeps the planner from using this index for queries that do not mention expires_at,
-- such as claims.
create index notifications_expiry_idx on outbound.notifications (expires_at)
  where queue_status in ('scheduled', 'queued') and expires_at is not null;
create index notifications_lease_idx on outbound.notifications (lease_until)
  where queue_status in ('sending', 'unconfirmed');
-- Notifications that are held. Only holding and releasing write it. Only queries that mention both columns use it: without
-- statistics it would look better than a campaign's own index.
create index notifications_held_idx on outbound.notifications (held_run_at)
  where queue_status in ('scheduled', 'queued') and held_run_at is not null;
-- The calls that are going on (ongoing_call_states): no more than all senders have lines, however many were ever made.
create index notifications_calls_idx on outbound.notifications (sender_id)
  where voice and queue_status in ('sending', 'unconfirmed', 'sent');
-- The numbers that a campaign has called. The number leads, and no query adds the company, so that without statistics
-- no other index, which would read the whole campaign, looks as good.
create index notifications_called_idx on outbound.notifications (number, campaign_id) where voice;
-- The notifications of a campaign that were put off: a reason says why. A message that leaves at its first try is never
-- in it.
create index notifications_put_off_idx on outbound.notifications (campaign_id, run_at)
  where queue_status in ('scheduled', 'queued') and error_reason is not null;
-- Those of which the platform has not said whether it took them (campaign_wait).
create index notifications_unconfirmed_idx on outbound.notifications (campaign_id, lease_until)
  where queue_status = 'unconfirmed';
-- All that a person was ever sent.
create index notifications_number_idx on outbound.notifications (company_id, number, id) where number is not null;
create index notifications_user_id_idx on outbound.notifications (company_id, user_id, id) where user_id is not null;
-- A campaign's recipients in order, page by page, without sorting all of them.
create index notifications_campaign_idx on outbound.notifications (campaign_id, id);
-- The notifications of a campaign that failed or were skipped, by code. The expression is in no other index, so no
-- plan reads the whole campaign instead. It names times, not the status: a receipt changes neither, so it still
-- writes no index.
create index notifications_failures_idx on outbound.notifications (campaign_id, coalesce(error_code, 'unknown'), id)
  where failed_at is not null or skipped_at is not null;
create index notifications_platform_idx on outbound.notifications (platform_message_id)
  where platform_message_id is not null;
-- Vacuum begins after a number of dead rows, not after a fifth of the table: of 100 million messages that would be 20
-- million dead versions, all of which a claim may have to step over. A vacuum of few pages leaves the indexes alone, so
-- frequent vacuums cost little. The same holds for every table whose rows change or are deleted all day.
-- The fillfactor leaves room for a message's later versions on its own page, so that a receipt writes no index (HOT).
alter table outbound.notifications set (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02
);
alter table outbound.notifications enable row level security;
create trigger notifications_report after update on outbound.notifications
  referencing old table as old_rows new table as new_rows
  for each statement execute function outbound.report_notifications();
create trigger notifications_mark_call after update of status on outbound.notifications
  for each row when (old.voice and old.status in ('sending', 'unconfirmed', 'sent') and new.status <> old.status)
  execute function outbound.mark_call();
create trigger notifications_keep_held_unclaimed before update of status on outbound.notifications
  for each row when (old.held_run_at is not null and new.status <> old.status)
  execute function outbound.keep_held_unclaimed();

-- The tries of a notification, except a first one by which it was sent: most messages need no other, and what there is
-- to say of it stands in their row. delivery_history shows all tries.
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
  platform_message_id text,
  constraint delivery_attempts_pkey primary key (company_id, notification_id, fence),
  constraint delivery_attempts_outcome_check check (outcome in ('sent', 'failed', 'retry', 'not_sent', 'unknown'))
);
create index delivery_attempts_finished_idx on outbound.delivery_attempts (finished_at);
-- Leases that ran out (operating_figures).
create index delivery_attempts_lost_idx on outbound.delivery_attempts (finished_at) where worker = 'lost';
alter table outbound.delivery_attempts set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);
alter table outbound.delivery_attempts enable row level security;

-- Every try of a notification. Of a first try by which it was sent, the worker and the platform's HTTP status are not
-- known.
create view outbound.delivery_history with (security_invoker = true) as
  select a.company_id, a.notification_id, a.attempt, a.fence, a.worker, a.started_at, a.finished_at, a.outcome,
    a.http_status, a.error_code, a.reason, a.platform_message_id
  from outbound.delivery_attempts as a
  union all
  select n.company_id, n.id, 1::smallint, 1, null, n.claimed_at, n.sent_at, 'sent', null, n.error_code, n.error_reason,
    n.platform_message_id
  from outbound.notifications as n
  where n.fence = 1 and n.sent_at is not null and not exists (
    select from outbound.delivery_attempts as a
    where a.company_id = n.company_id and a.notification_id = n.id and a.fence = 1
  );
revoke all on outbound.delivery_history from public;
