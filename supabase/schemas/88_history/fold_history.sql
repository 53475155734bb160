-- Adds the oldest p_limit changes of history_changes to the history, and deletes them. Returns whether there are more
-- for another call, in a transaction of its own. One caller at a time; dispatchers and pg_cron call it every few
-- seconds.
--
-- The campaign of a change says its template, sender and channel. Campaigns of a single message, as each request
-- for one contact makes, share a row. What is of no company any more is dropped.
create function outbound.fold_history(p_limit int default 1000)
returns boolean
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per campaign.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_none constant uuid := '00000000-0000-0000-0000-000000000000'::uuid;
  v_from constant timestamptz := outbound.due_from('history');
  v_hours_from constant timestamptz := outbound.history_hours_from();
  v_taken int;
  v_rows outbound.history[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('outbound.history', 0)) then
    return false;
  end if;
  with taken as materialized (
    delete from outbound.history_changes as c where c.ctid = any (array(
      select o.ctid from outbound.history_changes as o where o.written_at >= v_from
      order by o.written_at limit p_limit for update skip locked))
    returning c.company_id, c.at, c.area, c.metric, c.reason, c.campaign_ids, c.counts
  ),
  summed as (
    select t.company_id, of.campaign_id, t.area, t.metric, t.reason, sum(coalesce(of.count, 1))::int as count,
      date_trunc(case when t.at < v_hours_from then 'day' else 'hour' end, t.at, 'UTC') as hour
    from taken as t cross join lateral unnest(t.campaign_ids, t.counts) as of(campaign_id, count)
    group by 1, 2, 3, 4, 5, 7 having sum(coalesce(of.count, 1)) <> 0
  ),
  -- One look-up per campaign, whatever happened to it.
  campaign as materialized (
    select s.company_id, s.campaign_id, array_agg(s.hour) as hours, array_agg(s.area) as areas,
      array_agg(s.metric) as metrics, array_agg(s.reason) as reasons, array_agg(s.count) as counts
    from summed as s group by 1, 2
  ),
  named as (
    select c.company_id, of.hour, case when g.keeps_history then c.campaign_id else v_none end as campaign_id,
      coalesce(g.template_id, v_none) as template_id, coalesce(g.sender_id, v_none) as sender_id,
      coalesce(g.channel, of.reason) as channel, of.area, of.metric,
      case when of.metric = 'opted_out' then '' else of.reason end as reason, of.count
    from campaign as c
    left join lateral (
      select a.template_id, a.sender_id, a.channel, exists (
        select from outbound.bulk_campaigns as b where b.company_id = a.company_id and b.campaign_id = a.id
      ) as keeps_history
      from outbound.campaigns as a where a.company_id = c.company_id and a.id = c.campaign_id limit 1
    ) as g on true
    cross join lateral unnest(c.hours, c.areas, c.metrics, c.reasons, c.counts) as of(hour, area, metric, reason, count)
    where g.channel is not null or c.campaign_id = v_none and exists (
      select from outbound.companies as o where o.id = c.company_id offset 0
    )
  )
  select count(*), array(
    select row(n.company_id, n.hour, n.campaign_id, n.template_id, n.sender_id, n.channel, n.area, n.reason,
      case n.metric when 'accepted' then n.count else 0 end, case n.metric when 'sent' then n.count else 0 end,
      case n.metric when 'delivered' then n.count else 0 end, case n.metric when 'read' then n.count else 0 end,
      case n.metric when 'replied' then n.count else 0 end, case n.metric when 'failed' then n.count else 0 end,
      case n.metric when 'skipped' then n.count else 0 end, case n.metric when 'cancelled' then n.count else 0 end,
      case n.metric when 'priced' then n.count else 0 end, case n.metric when 'opted_out' then n.count else 0 end
    )::outbound.history from named as n
  )
  into v_taken, v_rows from taken;
  perform outbound.add_to_history(v_rows);
  return v_taken = p_limit;
end
$$;
revoke execute on function outbound.fold_history from public;

-- Adds rows to the history; several may be of the same hour and key. A step of fold_history and clean_up_history.
create function outbound.add_to_history(p_rows outbound.history[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  insert into outbound.history as h (
    company_id, hour, campaign_id, template_id, sender_id, channel, area, reason, accepted, sent, delivered, read,
    replied, failed, skipped, cancelled, priced, opted_out
  )
  select r.company_id, r.hour, r.campaign_id, r.template_id, r.sender_id, r.channel, r.area, r.reason, sum(r.accepted),
    sum(r.sent), sum(r.delivered), sum(r.read), sum(r.replied), sum(r.failed), sum(r.skipped), sum(r.cancelled),
    sum(r.priced), sum(r.opted_out)
  from unnest(p_rows) as r group by 1, 2, 3, 4, 5, 6, 7, 8
  on conflict on constraint history_pkey do update
  set accepted = h.accepted + excluded.accepted, sent = h.sent + excluded.sent,
    delivered = h.delivered + excluded.delivered, read = h.read + excluded.read,
    replied = h.replied + excluded.replied, failed = h.failed + excluded.failed,
    skipped = h.skipped + excluded.skipped, cancelled = h.cancelled + excluded.cancelled,
    priced = h.priced + excluded.priced, opted_out = h.opted_out + excluded.opted_out;
end
$$;
revoke execute on function outbound.add_to_history from public;

-- Returns the time before which the history has days instead of hours.
create function outbound.history_hours_from()
returns timestamptz
language sql stable security invoker set search_path = ''
return date_trunc('day', now(), 'UTC') - outbound.history_hours_kept();
revoke execute on function outbound.history_hours_from from public;
