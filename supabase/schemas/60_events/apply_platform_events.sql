-- Joins up to p_limit waiting events to their notifications, by our reference or else by the platform's message id,
-- and moves each notification once:
--   read, delivered: state only moves forward; they overrule everything.
--   sent: settles sending and unconfirmed, cancels a second try that has not left, and overrules a cancellation and
--     our own outcome_unknown and expired; not when the same message is known to have failed.
--   failed, for the very message that counts as sent: it failed after all, unless another try was sent as well.
--   failed for good, before anything was sent: failed. A notification that failed as outcome_unknown gets its real
--     reason.
--   failed for now: an unconfirmed notification is queued again; a try under way gets its own response.
-- A notification that was never tried cannot have left: nothing moves it. A failure of a cancelled notification
-- changes nothing.
--
-- A failure counts only for the try that its reference names. A failure of an earlier try says nothing about the
-- present one and is only recorded in delivery_attempts. A receipt (sent, delivered, read) counts whichever try it is
-- of. A failure whose reference names no try counts for the present one.
--
-- The platform's message id contains the number. If the recipient was erased, it is not stored, and only the references
-- say which try an event is about.
--
-- An event that matches nothing belongs to another system, or to a message whose id is not stored yet. With a
-- reference of ours it is the former, because a notification is stored before it is sent: it is deleted and counted at
-- once. An event without a reference waits for 15 minutes: a send times out within seconds, its result is stored right
-- after, and a dispatcher that the database refuses retries. Returns how many events were handled.
--
-- The first receipt with a price counts the message in campaign_pricing, whichever receipt it is.
create function outbound.apply_platform_events(p_limit int default 1000)
returns int
language plpgsql security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_events bigint[];
  v_calls bigint[];
  -- The notification of each event in v_events; null where there is none.
  v_companies uuid[];
  v_ids uuid[];
  v_foreign bigint[];
  v_settled bigint[];
  v_moved record;
begin
  select array_agg(waiting.id), array_agg(waiting.id) filter (where waiting.channel = 'voice') into v_events, v_calls
  from (
    select e.id, e.channel from outbound.platform_events as e
    where e.applied_at is null and e.apply_at <= now()
    order by e.apply_at, e.id limit p_limit for update skip locked
  ) as waiting;
  if v_events is null then
    return 0;
  end if;

  -- Find the notification of each event.
  select array_agg(e.id), array_agg(coalesce(by_reference.company_id, by_message.company_id)),
    array_agg(coalesce(by_reference.id, by_message.id))
  into v_events, v_companies, v_ids
  from outbound.platform_events as e
  left join outbound.notification_facts as by_reference
    on by_reference.company_id = e.company_id and by_reference.id = e.notification_id
  -- Lateral: one look-up per event. As a join it becomes, without statistics, a scan of everything ever sent.
  left join lateral (
    select n.company_id, n.id from outbound.notification_facts as n
    where by_reference.id is null and n.platform_message_id = e.platform_message_id
    limit 1
  ) as by_message on true
  where e.id = any (v_events);

  v_foreign := array(
    select e.id from unnest(v_events, v_ids) as named(event_id, notification_id)
    join outbound.platform_events as e on e.id = named.event_id
    where named.notification_id is null
      and (e.company_id is not null or e.received_at < now() - interval '15 minutes')
  );

  -- At once, before anything else: calls are locked after their notifications, as everywhere.
  perform outbound.lock_notifications(v_companies, v_ids);
  -- Before notifications move, so that the events about them can say how their calls went.
  if v_calls is not null then
    perform outbound.record_calls(v_events, v_companies, v_ids);
  end if;
  v_moved := outbound.move_by_events(v_events, v_companies, v_ids);
  perform outbound.record_event_attempts(v_events, v_companies, v_ids);
  if v_moved.moves is not null then
    perform outbound.move_campaign_counters(v_moved.moves);
  end if;
  if v_moved.prices is not null then
    perform outbound.count_pricing(v_moved.prices);
  end if;
  if v_moved.requeued is not null then
    perform outbound.stop_requeued(v_moved.requeued_companies, v_moved.requeued);
  end if;
  v_settled := outbound.settled_events(v_events, v_companies, v_ids);
  perform outbound.learn_from_failures(v_events, v_companies, v_ids, v_settled);
  -- A call that is over frees its line.
  if v_moved.planned_senders is not null then
    perform outbound.schedule_senders(v_moved.planned_companies, v_moved.planned_senders, true);
  end if;
  perform outbound.settle_platform_events(v_events, v_settled, v_foreign);
  perform outbound.count_foreign_events('unknown_message', cardinality(v_foreign));
  return cardinality(v_events);
end
$$;
revoke execute on function outbound.apply_platform_events from public;
