-- Returns the figures that show whether the service works, for GET /metrics. Every count ends at p_max: "at least so
-- many" is enough for an alert, and the cost does not grow with history, with companies or with what waits. What is due
-- is read from the p_max_senders senders whose turns come first, the same rows that claims begin with.
--   due, oldest_due_s: may leave now, from senders whose turn comes within a minute (none that is stopped)
--   scheduled, held, sending, unconfirmed: notifications in that state; held ones are in no other count
--   senders: {active, stopped, locked}, senders_low: rated RED, senders_warned: warned by the
--     platform within 7 days
--   campaigns_held: campaigns whose template keeps them from being sent
--   events_unapplied, oldest_event_s: reports of the platforms that wait to be applied
--   deliveries_pending, oldest_delivery_s: events that wait for companies' endpoints
--   calls_active, calls_overdue: calls going on; those without an end an hour after they began
--   leases_lost: leases that ran out within five minutes
--   foreign_events: events of today that name no sender of ours
--   webhook_failing_s: how long our own webhook cannot be reached
--   cell_active: 1 if the database is the one that works (is_active_cell), else 0
--   tick_s: since the last tick, per who made it; not there while there was none
--   snapshot_s, xmin_age: of the oldest snapshot that keeps vacuum from removing rows, prepared transactions and
--     replication slots included; snapshots of other roles only with pg_read_all_stats
create function outbound.operating_figures(p_max int default 10000, p_max_senders int default 500)
returns jsonb
language sql volatile security invoker set search_path = ''
as $$
  select jsonb_strip_nulls(outbound.queue_figures(p_max, p_max_senders) || outbound.sender_figures(p_max)
    || outbound.event_figures(p_max, p_max_senders) || outbound.database_figures())
$$;
revoke execute on function outbound.operating_figures from public;
