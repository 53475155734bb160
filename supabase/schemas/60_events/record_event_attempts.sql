-- Records failures, and that another attempt than the last was accepted, in delivery_attempts. The outcome there stays
-- that of our own request: it says why there was another attempt.
create function outbound.record_event_attempts(p_events bigint[], p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per event.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  update outbound.delivery_attempts as a
  set error_code = coalesce(t.error_code, a.error_code), reason = coalesce(t.reason, a.reason),
    platform_message_id = coalesce(a.platform_message_id, t.platform_message_id)
  from (
    select n.company_id, n.id, e.fence,
      max(e.platform_message_id) filter (where num_nonnulls(n.number, n.user_id) > 0) as platform_message_id,
      max(e.error_code) as error_code, max(e.reason) as reason
    from unnest(p_events, p_companies, p_ids) as named(event_id, company_id, id)
    join outbound.notifications as n on n.company_id = named.company_id and n.id = named.id
    join outbound.platform_events as e on e.id = named.event_id
    where e.fence is not null and (e.status = 'failed' or e.fence <> n.fence and not (
      -- The same message is known to have failed.
      e.status = 'sent' and exists (
        select from outbound.platform_events as f
        where f.dedupe_key = e.channel || ':' || e.platform_message_id || ':failed'
      )
    ))
    group by 1, 2, 3
  ) as t
  where a.company_id = t.company_id and a.notification_id = t.id and a.fence = t.fence
    and a.outcome in ('sent', 'unknown');
end
$$;
revoke execute on function outbound.record_event_attempts from public;
