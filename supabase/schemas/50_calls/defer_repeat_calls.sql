-- Returns those of the given notifications that may leave now, and defers the others: calls to a number that the same
-- campaign is calling, or called less than the company's gap ago. A refused attempt of the call itself counts too.
create function outbound.defer_repeat_calls(p_companies uuid[], p_ids uuid[])
returns table (companies uuid[], ids uuid[])
language plpgsql security invoker set search_path = ''
as $$
begin
  return query
  with locked as materialized (
    select n.company_id, n.id, n.voice, n.campaign_id, f.number, n.run_at
    from unnest(p_companies, p_ids) as chosen(company_id, id)
    cross join lateral (
      select w.* from outbound.queue as w
      where w.company_id = chosen.company_id and w.id = chosen.id
        and case when w.status = 'queued' and w.run_at <= clock_timestamp() then true end
      for update skip locked
    ) as n
    cross join lateral (
      select w.number from outbound.notification_facts as w where w.company_id = n.company_id and w.id = n.id limit 1
    ) as f
  ),
  judged as (
    select locked.company_id, locked.id, locked.voice and y.call_gap_s > 0 and (called.going_on
      or row_number() over (partition by locked.campaign_id, locked.number order by locked.run_at, locked.id) > 1
      ) as later,
      make_interval(secs => y.call_gap_s) as gap, called.at
    from locked
    join outbound.companies as y on y.id = locked.company_id
    cross join lateral (
      select coalesce(bool_or(o.status = any (outbound.ongoing_call_states())), false) as going_on,
        coalesce(max(greatest(o.claimed_at, o.delivered_at, o.failed_at)), '-infinity') as at
      from outbound.notifications as o
      where o.number = locked.number and o.campaign_id = locked.campaign_id and o.voice and o.attempt > 0
    ) as called
  ),
  deferred as (
    update outbound.queue as n
    set run_at = case when s.later then clock_timestamp() else s.at end + s.gap,
      error_code = 'call_gap', error_reason = 'The campaign called this number a moment ago'
    from judged as s
    where n.company_id = s.company_id and n.id = s.id and (s.later or s.at + s.gap > clock_timestamp())
    returning n.id
  )
  select array_agg(s.company_id), array_agg(s.id) from judged as s where s.id not in (select d.id from deferred as d);
end
$$;
revoke execute on function outbound.defer_repeat_calls from public;
