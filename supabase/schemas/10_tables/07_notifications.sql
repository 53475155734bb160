-- Notifications that may still leave or may have left: one narrow row for each that is queued, being sent (sending), or
-- of which the platform has not said whether it took it (unconfirmed). Accepting adds the row, a claim and what becomes
-- of the attempt write it, and the outcome deletes it for good. So claims read and write a table of what waits alone,
-- however much was ever sent.
create table outbound.queue (
  company_id uuid not null,
  id uuid not null,
  campaign_id uuid not null,
  sender_id uuid not null,
  -- Of a voice campaign.
  voice boolean not null default false,
  -- 0 transactional, 1 utility, 2 marketing: lower goes first.
  priority smallint not null,
  -- Accepted for a later time: `scheduled` until then (outbound.notifications).
  is_scheduled boolean not null default false,
  status text not null default 'queued',
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
  -- Why it waits: the platform's code, or one of wait_reason.
  error_code text,
  error_reason text,
  constraint queue_pkey primary key (company_id, id),
  -- Postgres reads the text of a check again for each statement that writes the table, so only one stands here, against
  -- rows that would wait in silence. verify_campaign finds facts that contradict their state.
  constraint queue_state_check check (
    (held_run_at is not null) = (run_at = 'infinity') and (held_run_at is null or status = 'queued')
    and (status = 'queued') = (lease_until is null)
  )
);
-- Notifications that may still leave, in the order in which a sender sends them. Claims read only this index. A queue
-- that was empty when statistics were last taken looks so small that any index will do, so no other index may match a
-- claim.
create index queue_waiting_idx on outbound.queue (sender_id, priority, run_at, id) where status = 'queued';
-- `is not null` is always true. It keeps the planner from using this index for queries that do not mention expires_at,
-- such as claims.
create index queue_expiry_idx on outbound.queue (expires_at) where status = 'queued' and expires_at is not null;
create index queue_lease_idx on outbound.queue (lease_until) where status in ('sending', 'unconfirmed');
-- Notifications for a later time (operating_figures).
create index queue_scheduled_idx on outbound.queue (run_at) where status = 'queued' and is_scheduled;
-- The notifications of each campaign. `is not null` is always true, and keeps look-ups of one notification from it.
create index queue_campaign_idx on outbound.queue (company_id, campaign_id, id) where campaign_id is not null;
-- Those that are held (operating_figures). Only holding and releasing write it.
create index queue_held_idx on outbound.queue (held_run_at) where status = 'queued' and held_run_at is not null;
-- The calls that are being made: no more than all senders have lines.
create index queue_calls_idx on outbound.queue (sender_id) where voice and status in ('sending', 'unconfirmed');
-- The notifications of a campaign that were put off: a reason says why. A message that leaves at its first try is never
-- in it.
create index queue_put_off_idx on outbound.queue (campaign_id, run_at)
  where status = 'queued' and error_reason is not null;
-- Notifications of which the platform has not said whether it took them (campaign_wait).
create index queue_unconfirmed_idx on outbound.queue (campaign_id, lease_until) where status = 'unconfirmed';
-- Vacuum begins after a number of dead rows, not after a fifth of the table: of 100 million messages that would be 20
-- million dead versions, all of which a claim may have to step over. A vacuum of few pages leaves the indexes alone, so
-- frequent vacuums cost little. The same holds for every table whose rows change or are deleted all day.
-- The fillfactor lets a claim write its version on the same page, which is shorter to log.
alter table outbound.queue set (
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02
);
alter table outbound.queue enable row level security;
create trigger queue_mark_call after update of status on outbound.queue
  for each row when (old.voice and old.status <> 'queued' and new.status <> old.status)
  execute function outbound.mark_call();
create trigger queue_mark_call_over after delete on outbound.queue
  for each row when (old.voice and old.status <> 'queued')
  execute function outbound.mark_call();

-- All that is known of a notification for good: written when it is accepted and when the queue is done with it, then by
-- receipts, replies and erasing. Where it waits meanwhile stands in outbound.queue; outbound.notifications shows both.
--
-- A function that moves a notification locks its row of the queue, while it has one, and then this row. A row of the
-- queue that is gone never comes back; from then on this row alone is locked. A claim reads this row after it has
-- locked the other, and changes it only if a rule keeps the notification from leaving.
create table outbound.notification_facts (
  company_id uuid not null,
  id uuid not null,
  campaign_id uuid not null,
  sender_id uuid not null,
  -- Of a voice campaign.
  voice boolean not null default false,
  -- Where it goes: the number if both are set. Null in both when the recipient was erased.
  number text,
  -- The platform's user id.
  user_id text,
  -- Sent by the gateway together with the number: for a chat message the platform's `template.components`, for a call
  -- `{agent_id, dynamic_variables}`, with the platform's id of the agent.
  message json not null,
  -- The client's own facts, up to 2 KB.
  metadata json,
  -- Null as long as the queue has it. No index names it, so a receipt writes no index.
  status text,
  -- A call that is going on occupies one of its sender's lines.
  on_call boolean generated always as (case when voice and status = 'sent' then true end) stored,
  -- As they were in the queue at its end: the tries, and the claim that led to it.
  attempt smallint not null default 0,
  fence int not null default 0,
  claimed_at timestamptz,
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
  -- no_consent, frequency_cap, erased.
  error_code text,
  error_reason text,
  -- The notification that replaced it after it had failed or was skipped. It is replaced once.
  resent_as uuid,
  created_at timestamptz not null default now(),
  -- Where it is counted in the history (area_of), also after its recipient was erased. Null: it is not counted, because
  -- it was accepted by a version that kept no history.
  area text,
  -- It was cancelled then, while its status says so.
  cancelled_at timestamptz,
  constraint notification_facts_pkey primary key (company_id, id)
);
-- The calls that the platform has taken and that are going on: no more than all senders have lines, however many were
-- ever made.
create index notification_facts_on_call_idx on outbound.notification_facts (sender_id) where on_call;
-- The numbers that a campaign has called. The number leads, and no query adds the company, so that without statistics
-- no other index, which would read the whole campaign, looks as good.
create index notification_facts_called_idx on outbound.notification_facts (number, campaign_id) where voice;
-- All that a person was ever sent.
create index notification_facts_number_idx on outbound.notification_facts (company_id, number, id)
  where number is not null;
create index notification_facts_user_id_idx on outbound.notification_facts (company_id, user_id, id)
  where user_id is not null;
-- A campaign's recipients in order, page by page, without sorting all of them.
create index notification_facts_campaign_idx on outbound.notification_facts (campaign_id, id);
-- The notifications of a campaign that failed or were skipped, by code. The expression is in no other index, so no
-- plan reads the whole campaign instead. It names times, not the status: a receipt changes neither, so it still
-- writes no index.
create index notification_facts_failures_idx
  on outbound.notification_facts (campaign_id, coalesce(error_code, 'unknown'), id)
  where failed_at is not null or skipped_at is not null;
create index notification_facts_platform_idx on outbound.notification_facts (platform_message_id)
  where platform_message_id is not null;
-- The fillfactor leaves room for a message's later versions on its own page, so that a receipt writes no index (HOT).
alter table outbound.notification_facts set (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02
);
alter table outbound.notification_facts enable row level security;
create trigger notification_facts_mark_call after update of status on outbound.notification_facts
  for each row when (old.on_call and new.status <> old.status)
  execute function outbound.mark_call();
create trigger notification_facts_report after update on outbound.notification_facts
  referencing old table as old_rows new table as new_rows
  for each statement execute function outbound.report_notifications();
create trigger notification_facts_record_history after update on outbound.notification_facts
  referencing old table as old_rows new table as new_rows
  for each statement execute function outbound.record_history();

-- Returns what the queue has of a notification, if it has it. A function, because a kept plan that was made for an
-- empty queue would read all of it for each notification.
create function outbound.queue_entry(p_company_id uuid, p_id uuid)
returns setof outbound.queue
language plpgsql stable rows 1 security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query select q.* from outbound.queue as q where q.company_id = p_company_id and q.id = p_id;
end
$$;
revoke execute on function outbound.queue_entry from public;

-- A notification as all but the queue's own functions read it: one row per recipient of a campaign. The columns of the
-- queue alone (priority, run_at, held_run_at, expires_at, worker, lease_until) are null once it has left
-- it. `scheduled` is stored nowhere: it is shown before the first claim of a notification for later, until its time.
-- Only a notification that is still in the queue costs a look at it.
create view outbound.notifications with (security_invoker = true) as
  select f.company_id, f.id, f.campaign_id, f.sender_id, f.voice, f.number, f.user_id, f.message, f.metadata,
    coalesce(q.status, f.status) as status, q.priority, q.run_at, q.held_run_at, q.expires_at,
    coalesce(q.attempt, f.attempt) as attempt, coalesce(q.fence, f.fence) as fence, q.worker,
    coalesce(q.claimed_at, f.claimed_at) as claimed_at, q.lease_until, f.platform_message_id, f.sent_at, f.delivered_at,
    f.read_at, f.failed_at, f.skipped_at, f.held_for_quality, f.replied_at, f.is_priced,
    coalesce(q.error_code, f.error_code) as error_code, coalesce(q.error_reason, f.error_reason) as error_reason,
    f.resent_as, f.created_at
  from outbound.notification_facts as f
  left join lateral (
    select w.priority, w.run_at, w.held_run_at, w.expires_at, w.attempt, w.fence, w.worker, w.claimed_at, w.lease_until,
      w.error_code, w.error_reason,
      case
        when w.status = 'queued' and w.is_scheduled and w.fence = 0 and w.error_code is null
          and coalesce(w.held_run_at, w.run_at) > now() then 'scheduled'
        else w.status
      end as status
    from outbound.queue_entry(f.company_id, f.id) as w
    -- The limit keeps this apart from the rest of a query, so that it is not even asked where the status is known.
    where f.status is null limit 1
  ) as q on true;
revoke all on outbound.notifications from public;

-- The calls that occupy a line of their sender: claimed, and not known to be over.
create view outbound.ongoing_calls with (security_invoker = true) as
  select q.company_id, q.id, q.campaign_id, q.sender_id, q.claimed_at from outbound.queue as q
  where q.voice and q.status in ('sending', 'unconfirmed')
  union all
  select f.company_id, f.id, f.campaign_id, f.sender_id, f.claimed_at from outbound.notification_facts as f
  where f.on_call;
revoke all on outbound.ongoing_calls from public;

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
  from outbound.notification_facts as n
  where n.fence = 1 and n.sent_at is not null and not exists (
    select from outbound.delivery_attempts as a
    where a.company_id = n.company_id and a.notification_id = n.id and a.fence = 1
  );
revoke all on outbound.delivery_history from public;
