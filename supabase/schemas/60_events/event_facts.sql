-- Returns what platform events say together of each of their notifications, as next_state takes it. p_companies, p_ids:
-- the notification of each of p_events, null where there is none.
-- A failure counts only for the attempt that its reference names: of an earlier one it is in failed_before. A message
-- that is known to have failed is not reported as sent any more.
create function outbound.event_facts(p_events bigint[], p_companies uuid[], p_ids uuid[])
returns table (
  company_id uuid, notification_id uuid, sent_at timestamptz, delivered_at timestamptz, read_at timestamptz,
  failed_at timestamptz, refused_for_good boolean, refused_for_now boolean, failed_messages text[],
  failed_before text[], sent_messages text[], sent_fences int[], error_code text, reason text, received_message text,
  refused_message text, pricing jsonb
)
language plpgsql stable security invoker set search_path = ''
-- A batch: one look-up per event.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
begin
  return query
  with event as materialized (
    select e.id, e.fence, e.occurred_at, e.error_code, e.retryable, e.reason, e.platform_message_id, e.pricing,
      case
        when e.status = 'failed' and e.fence <> n.fence then 'failed_before'
        when e.status = 'sent' and (
          select f.applied_at is not null or e.fence <> n.fence from outbound.platform_events as f
          where f.dedupe_key = e.channel || ':' || e.platform_message_id || ':failed'
        ) then 'outdated'
        else e.status
      end as status,
      n.company_id, n.id as notification_id
    from unnest(p_events, p_companies, p_ids) as named(event_id, company_id, id)
    join outbound.notifications as n on n.company_id = named.company_id and n.id = named.id
    join outbound.platform_events as e on e.id = named.event_id
  )
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
  group by e.company_id, e.notification_id;
end
$$;
revoke execute on function outbound.event_facts from public;
