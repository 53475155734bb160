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
  v_named_companies uuid[];
  v_named uuid[];
  v_settled bigint[];
  v_foreign bigint[];
  v_tries bigint[];
  v_companies uuid[];
  v_requeued uuid[];
  v_planned_companies uuid[];
  v_planned_senders uuid[];
  v_refusals bigint[];
  v_has_drops boolean;
  v_moves jsonb;
  v_prices jsonb;
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
  into v_events, v_named_companies, v_named
  from outbound.platform_events as e
  left join outbound.notifications as by_reference
    on by_reference.company_id = e.company_id and by_reference.id = e.notification_id
  -- Lateral: one look-up per event. As a join it becomes, without statistics, a scan of everything ever sent.
  left join lateral (
    select n.company_id, n.id from outbound.notifications as n
    where by_reference.id is null and n.platform_message_id = e.platform_message_id
    limit 1
  ) as by_message on true
  where e.id = any (v_events);

  v_foreign := array(
    select e.id from unnest(v_events, v_named) as named(event_id, notification_id)
    join outbound.platform_events as e on e.id = named.event_id
    where named.notification_id is null
      and (e.company_id is not null or e.received_at < now() - interval '15 minutes')
  );

  -- Lock all notifications at once, in their order, before anything else: each is read as it is now, and calls are
  -- locked after their notifications, as everywhere.
  perform from (
    select distinct named.company_id, named.id from unnest(v_named_companies, v_named) as named(company_id, id)
    where named.id is not null order by named.id
  ) as named
  cross join lateral (
    select from outbound.notifications as n where n.company_id = named.company_id and n.id = named.id for update
  ) as locked;

  -- Before notifications move, so that the events about them can say how their calls went.
  if v_calls is not null then
    perform outbound.record_calls(v_events, v_named_companies, v_named);
  end if;

  with event as materialized (
    select e.id, e.fence, e.occurred_at, e.error_code, e.retryable, e.reason, e.platform_message_id, e.pricing,
      e.fence <> n.fence as another_try,
      case
        when e.status = 'failed' and e.fence <> n.fence then 'failed_before'
        when e.status = 'sent' and (
          select f.applied_at is not null or e.fence <> n.fence from outbound.platform_events as f
          where f.dedupe_key = e.channel || ':' || e.platform_message_id || ':failed'
        ) then 'outdated'
        else e.status
      end as status,
      n.company_id, n.id as notification_id
    from unnest(v_events, v_named_companies, v_named) as named(event_id, company_id, id)
    join outbound.notifications as n on n.company_id = named.company_id and n.id = named.id
    join outbound.platform_events as e on e.id = named.event_id
  ),
  fact as (
    select e.company_id, e.notification_id,
      min(e.occurred_at) filter (where e.status in ('sent', 'delivered', 'read')) as sent_at,
      min(e.occurred_at) filter (where e.status in ('delivered', 'read')) as delivered_at,
      min(e.occurred_at) filter (where e.status = 'read') as read_at,
      min(e.occurred_at) filter (where e.status = 'failed') as failed_at,
      bool_or(e.status = 'failed' and not e.retryable) as refused_for_good,
      bool_or(e.status = 'failed' and e.retryable) as refused_for_now,
      array_agg(e.platform_message_id) filter (where e.status = 'failed') as failed_messages,
      array_agg(e.platform_message_id) filter (where e.status = 'failed_before') as failed_before,
      array_agg(e.platform_message_id) filter (where e.status = 'sent') as sent_messages,
      array_agg(e.fence) filter (where e.status = 'sent') as sent_fences,
      coalesce(max(e.error_code) filter (where e.status = 'failed'),
        max(e.error_code) filter (where e.status = 'failed_before')) as error_code,
      coalesce(max(e.reason) filter (where e.status = 'failed'),
        max(e.reason) filter (where e.status = 'failed_before')) as reason,
      max(e.platform_message_id) filter (where e.status in ('sent', 'delivered', 'read')) as received_message,
      max(e.platform_message_id) filter (where e.status = 'failed' and not e.retryable) as refused_message,
      (array_agg(e.pricing) filter (where e.pricing is not null))[1] as pricing
    from event as e
    group by e.company_id, e.notification_id
  ),
  transition as (
    select n.company_id, n.id, n.campaign_id, n.status as was, f.sent_at, f.delivered_at, f.read_at, f.failed_at,
      -- An earlier try failed after it was sent, and the outcome of the last one is unknown.
      case when n.status = 'sent' and n.platform_message_id = any (f.failed_before) and f.failed_messages is null
        and not exists (
          select from outbound.delivery_attempts as a
          where a.company_id = n.company_id and a.notification_id = n.id and a.fence = n.fence
            and (a.outcome <> 'unknown' or a.platform_message_id is not null)
        ) then 'outcome_unknown' else f.error_code end as error_code,
      f.reason, f.refused_message,
      case when n.status in ('sent', 'delivered', 'read') then other.message else f.received_message end as message,
      outbound.next_state(
        n.status, n.attempt, n.fence, n.error_code, n.platform_message_id,
        p_is_erased => num_nonnulls(n.number, n.user_id) = 0,
        p_may_retry => n.attempt < outbound.max_attempts() and n.expires_at > now(),
        p_is_sent => f.sent_at is not null, p_is_delivered => f.delivered_at is not null, p_is_read => f.read_at is not null,
        p_refused_for_good => f.refused_for_good, p_refused_for_now => f.refused_for_now,
        p_failed_messages => f.failed_messages, p_failed_before => f.failed_before,
        p_sent_messages => f.sent_messages, p_sent_fences => f.sent_fences,
        p_other_message => other.message,
        p_other_attempt_was_sent => case when num_nonnulls(n.number, n.user_id) = 0 and f.failed_messages is not null
          then exists (
            select from outbound.delivery_attempts as a
            where a.company_id = n.company_id and a.notification_id = n.id and a.fence <> n.fence
              and a.outcome = 'sent' and a.error_code is null
          ) end
      ) as becomes,
      n.status = 'failed' and n.error_code = 'outcome_unknown' and f.refused_for_good as explained,
      -- The platform repeats the price with later receipts.
      case when not n.is_priced and n.attempt > 0 then f.pricing end as pricing
    from fact as f
    join outbound.notifications as n on n.company_id = f.company_id and n.id = f.notification_id
    -- The message that counts as sent has failed: another one that was accepted counts from now on. A case, so that the
    -- search only runs where it has.
    cross join lateral (
      select case when n.status = 'sent' and n.platform_message_id = any (f.failed_messages || f.failed_before) then (
        select taken.message
        from (
          select a.platform_message_id as message from outbound.delivery_attempts as a
          where a.company_id = n.company_id and a.notification_id = n.id and a.platform_message_id is not null
            and not exists (
              select from outbound.platform_events as x
              where x.dedupe_key = 'whatsapp:' || a.platform_message_id || ':failed'
            )
          union all
          select unnest(f.sent_messages)
        ) as taken
        where taken.message <> all (f.failed_messages || f.failed_before) limit 1
      ) end as message
    ) as other
  ),
  moved as (
    update outbound.notifications as n
    set status = transition.becomes,
      worker = case when transition.becomes = 'sending' then n.worker end,
      lease_until = case when transition.becomes in ('sending', 'unconfirmed') then n.lease_until end,
      run_at = case when transition.was = 'unconfirmed' and transition.becomes = 'queued'
        then now() + interval '10 seconds' else n.run_at end,
      platform_message_id = case when num_nonnulls(n.number, n.user_id) > 0
        then coalesce(transition.message, n.platform_message_id, transition.refused_message) end,
      sent_at = case when transition.becomes in ('sent', 'delivered', 'read')
        then coalesce(n.sent_at, transition.sent_at, transition.delivered_at, transition.read_at, now())
        else n.sent_at end,
      delivered_at = case when transition.becomes in ('delivered', 'read')
        then coalesce(n.delivered_at, transition.delivered_at, transition.read_at) end,
      read_at = case when transition.becomes = 'read' then coalesce(n.read_at, transition.read_at) end,
      held_for_quality = null,
      skipped_at = case when transition.becomes = 'skipped' then n.skipped_at end,
      failed_at = case when transition.becomes = 'failed' then coalesce(n.failed_at, transition.failed_at, now()) end,
      error_code = case when transition.becomes in ('failed', 'queued') then transition.error_code
        when transition.becomes in ('sent', 'delivered', 'read') then null else n.error_code end,
      error_reason = case when transition.becomes in ('failed', 'queued')
          then coalesce(transition.reason, 'The platform reported a failure without a reason')
        when transition.becomes in ('sent', 'delivered', 'read') then null else n.error_reason end,
      is_priced = n.is_priced or transition.pricing is not null
    from transition
    where n.company_id = transition.company_id and n.id = transition.id and (
      transition.was <> transition.becomes or transition.explained or transition.pricing is not null
      or (transition.becomes = 'sent' and transition.message <> n.platform_message_id)
      or (n.held_for_quality and transition.sent_at is not null)
    )
    returning n.company_id, n.id, n.campaign_id, n.sender_id, n.voice, transition.was, transition.becomes,
      transition.pricing
  )
  select (
    -- A retryable failure of a try that is under way is applied when the try is over. Not a join: it would compare each
    -- event with every notification.
    select array_agg(e.id) from event as e
    where not (e.retryable and e.status = 'failed' and exists (
      select from transition
      where transition.company_id = e.company_id and transition.id = e.notification_id
        and transition.becomes = 'sending'
    ))
  ), (
    select array_agg(e.id) from event as e
    where e.fence is not null
      and (e.status in ('failed', 'failed_before') or (e.another_try and e.status <> 'outdated'))
  ), (
    -- Summed up before it becomes JSON, because making JSON costs more than summing.
    select jsonb_agg(to_jsonb(move)) from (
      select m.company_id, m.campaign_id,
        sum((m.becomes = 'queued')::int - (m.was = 'queued')::int) as pending,
        sum(- (m.was in ('sending', 'unconfirmed'))::int) as processing,
        sum((m.becomes in ('sent', 'delivered', 'read'))::int - (m.was in ('sent', 'delivered', 'read'))::int) as sent,
        sum((m.becomes in ('delivered', 'read'))::int - (m.was in ('delivered', 'read'))::int) as delivered,
        sum((m.becomes = 'read')::int - (m.was = 'read')::int) as read,
        sum((m.becomes = 'failed')::int - (m.was = 'failed')::int) as failed,
        sum(- (m.was = 'cancelled')::int) as cancelled, sum(- (m.was = 'skipped')::int) as skipped
      from moved as m group by m.company_id, m.campaign_id
    ) as move
  ),
    (select array_agg(m.company_id) from moved as m where m.becomes = 'queued'),
    (select array_agg(m.id) from moved as m where m.becomes = 'queued'),
    (select array_agg(m.company_id) from moved as m where m.voice or m.becomes = 'queued'),
    (select array_agg(m.sender_id) from moved as m where m.voice or m.becomes = 'queued'),
    (select array_agg(e.id) from event as e where e.error_code in ('131049', '131050')),
    exists (select from event as e where e.error_code in ('132015', '135000')),
    (select jsonb_agg(to_jsonb(price)) from (
      select m.company_id, m.campaign_id, m.pricing, count(*) as messages
      from moved as m where m.pricing is not null group by m.company_id, m.campaign_id, m.pricing
    ) as price)
  into v_settled, v_tries, v_moves, v_companies, v_requeued, v_planned_companies, v_planned_senders, v_refusals,
    v_has_drops, v_prices;
  if v_tries is not null then
    -- Record failures, and that another try than the last was accepted, in delivery_attempts. The outcome there stays
    -- that of our own request: it says why there was another try.
    update outbound.delivery_attempts as a
    set error_code = coalesce(t.error_code, a.error_code), reason = coalesce(t.reason, a.reason),
      platform_message_id = coalesce(a.platform_message_id, t.platform_message_id)
    from (
      select e.company_id, e.notification_id, e.fence,
        max(e.platform_message_id) filter (where num_nonnulls(n.number, n.user_id) > 0) as platform_message_id,
        max(e.error_code) as error_code, max(e.reason) as reason
      from outbound.platform_events as e
      join outbound.notifications as n on n.company_id = e.company_id and n.id = e.notification_id
      where e.id = any (v_tries) group by 1, 2, 3
    ) as t
    where a.company_id = t.company_id and a.notification_id = t.notification_id and a.fence = t.fence
      and a.outcome in ('sent', 'unknown');
  end if;
  if v_moves is not null then
    perform outbound.move_campaign_counters(v_moves);
  end if;
  if v_prices is not null then
    perform outbound.count_pricing(v_prices);
  end if;
  if v_requeued is not null then
    perform outbound.stop_requeued(v_companies, v_requeued);
  end if;
  -- A refusal for marketing says something about the recipient, for all later messages.
  if v_refusals is not null then
    perform outbound.record_marketing_refusals(array_agg(named.company_id), array_agg(named.id),
      array_agg(e.error_code), array_agg(e.occurred_at))
    from unnest(v_events, v_named_companies, v_named) as named(event_id, company_id, id)
    join outbound.platform_events as e on e.id = named.event_id
    where named.event_id = any (v_refusals);
  end if;
  -- Messages that the platform took, held and then dropped.
  if v_has_drops or exists (
    select from outbound.drop_bursts as b where b.began_at > now() - interval '1 minute'
  ) then
    -- Each event once: one that is not settled comes again.
    perform outbound.record_drops(array_agg(named.event_id), array_agg(named.company_id), array_agg(named.id))
    from unnest(v_events, v_named_companies, v_named) as named(event_id, company_id, id)
    where named.event_id = any (v_settled);
  end if;
  -- A call that is over frees its line.
  if v_planned_senders is not null then
    perform outbound.schedule_senders(v_planned_companies, v_planned_senders, true);
  end if;

  -- Applied receipts are deleted. Failures stay, because a receipt that comes after one does not count. Reports of calls
  -- stay too.
  delete from outbound.platform_events as e where e.id = any (v_foreign);
  delete from outbound.platform_events as e
  where e.id = any (v_settled) and e.status <> 'failed' and e.channel <> 'voice';
  -- Events that are not settled or match nothing yet come again: after five seconds, then after twice as long each
  -- time.
  update outbound.platform_events as e
  set applied_at = case
      when e.id = any (v_settled) or e.received_at < now() - interval '1 day' then now()
    end,
    apply_at = case when e.id = any (v_settled) then e.apply_at
      else now() + greatest(interval '5 seconds', now() - e.received_at) end
  where e.id = any (v_events);
  perform outbound.count_foreign_events('unknown_message', cardinality(v_foreign));
  return cardinality(v_events);
end
$$;
revoke execute on function outbound.apply_platform_events from public;
