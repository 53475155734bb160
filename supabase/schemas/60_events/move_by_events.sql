-- Moves each notification of p_events once, as apply_platform_events says. p_companies, p_ids: the notification of each
-- event, null where there is none. The caller has locked the notifications. moves: what move_campaign_counters is to
-- move; prices: what count_pricing is to count; requeued: those for stop_requeued; planned: the senders whose turns
-- change.
create function outbound.move_by_events(
  p_events bigint[], p_companies uuid[], p_ids uuid[], out moves jsonb, out prices jsonb, out requeued_companies uuid[],
  out requeued uuid[], out planned_companies uuid[], out planned_senders uuid[]
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per event.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  with transition as (
    select n.company_id, n.id, n.campaign_id, state.was, n.attempt, n.fence, n.claimed_at, f.sent_at,
      f.delivered_at, f.read_at, f.failed_at,
      -- An earlier try failed after it was sent, and the outcome of the last one is unknown.
      case when n.status = 'sent' and n.platform_message_id = any (f.failed_before) and f.failed_messages is null
        and not exists (
          select from outbound.delivery_attempts as a
          where a.company_id = n.company_id and a.notification_id = n.id and a.fence = n.fence
            and (a.outcome <> 'unknown' or a.platform_message_id is not null)
        ) then 'outcome_unknown' else f.error_code end as error_code,
      coalesce(f.reason, 'The platform reported a failure without a reason') as reason, f.refused_message,
      case when n.status in ('sent', 'delivered', 'read') then other.message else f.received_message end as message,
      outbound.next_state(
        state.was, n.attempt, n.fence, n.error_code, n.platform_message_id,
        p_is_erased => num_nonnulls(n.number, n.user_id) = 0,
        p_may_retry => n.attempt < outbound.max_attempts() and n.expires_at > now(),
        p_is_sent => f.sent_at is not null, p_is_delivered => f.delivered_at is not null,
        p_is_read => f.read_at is not null,
        p_refused_for_good => f.refused_for_good, p_refused_for_now => f.refused_for_now,
        p_failed_messages => f.failed_messages, p_failed_before => f.failed_before,
        p_sent_messages => f.sent_messages, p_sent_fences => f.sent_fences, p_other_message => other.message,
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
    from outbound.event_facts(p_events, p_companies, p_ids) as f
    join outbound.notifications as n on n.company_id = f.company_id and n.id = f.notification_id
    cross join lateral (select case n.status when 'scheduled' then 'queued' else n.status end as was) as state
    -- The message that counts as sent has failed: another one that was accepted counts from now on. A case, so that the
    -- search only runs where it has.
    cross join lateral (
      select case when n.status = 'sent' and n.platform_message_id = any (f.failed_messages || f.failed_before) then
        outbound.other_message(n.company_id, n.id, f.failed_messages || f.failed_before, f.sent_messages) end as message
    ) as other
  ),
  moved as (
    update outbound.notification_facts as n
    set status = case when transition.becomes not in ('queued', 'sending', 'unconfirmed') then transition.becomes end,
      attempt = transition.attempt, fence = transition.fence, claimed_at = transition.claimed_at,
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
      error_code = case when transition.becomes = 'failed' then transition.error_code
        when transition.becomes not in ('sent', 'delivered', 'read') then n.error_code end,
      error_reason = case when transition.becomes = 'failed' then transition.reason
        when transition.becomes not in ('sent', 'delivered', 'read') then n.error_reason end,
      is_priced = n.is_priced or transition.pricing is not null
    from transition
    where n.company_id = transition.company_id and n.id = transition.id and (
      transition.was <> transition.becomes or transition.explained or transition.pricing is not null
      or (transition.becomes = 'sent' and transition.message <> n.platform_message_id)
      or (n.held_for_quality and transition.sent_at is not null)
    )
    returning n.company_id, n.id, n.campaign_id, n.sender_id, n.voice, transition.was, transition.becomes,
      transition.pricing, transition.error_code, transition.reason
  ),
  requeued as (
    update outbound.queue as q
    set status = 'queued', lease_until = null, run_at = now() + interval '10 seconds', error_code = m.error_code,
      error_reason = m.reason
    from moved as m
    where m.was = 'unconfirmed' and m.becomes = 'queued' and q.company_id = m.company_id and q.id = m.id
  ),
  gone as (
    delete from outbound.queue as q using moved as m
    where m.was in ('queued', 'sending', 'unconfirmed') and m.becomes not in ('queued', 'sending', 'unconfirmed')
      and q.company_id = m.company_id and q.id = m.id
  )
  select (
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
    (select jsonb_agg(to_jsonb(price)) from (
      select m.company_id, m.campaign_id, m.pricing, count(*) as messages
      from moved as m where m.pricing is not null group by m.company_id, m.campaign_id, m.pricing
    ) as price),
    (select array_agg(m.company_id) from moved as m where m.becomes = 'queued'),
    (select array_agg(m.id) from moved as m where m.becomes = 'queued'),
    (select array_agg(m.company_id) from moved as m where m.voice or m.becomes = 'queued'),
    (select array_agg(m.sender_id) from moved as m where m.voice or m.becomes = 'queued')
  into moves, prices, requeued_companies, requeued, planned_companies, planned_senders;
end
$$;
revoke execute on function outbound.move_by_events from public;

-- Returns a message of a notification that the platform accepted and that is none of p_failed: one of an attempt that
-- is not known to have failed, or one of p_sent, which are reported as sent.
create function outbound.other_message(p_company_id uuid, p_id uuid, p_failed text[], p_sent text[])
returns text
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return (
    select taken.message
    from (
      select a.platform_message_id as message from outbound.delivery_attempts as a
      where a.company_id = p_company_id and a.notification_id = p_id and a.platform_message_id is not null
        and not exists (
          select from outbound.platform_events as x
          where x.dedupe_key = 'whatsapp:' || a.platform_message_id || ':failed'
        )
      union all
      select unnest(p_sent)
    ) as taken
    where taken.message <> all (p_failed) limit 1
  );
end
$$;
revoke execute on function outbound.other_message from public;
