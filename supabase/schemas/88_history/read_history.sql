-- Returns a company's history from p_from to p_to, exclusive: one row per step and key, and one for each category,
-- country and day of what was priced, in the order of their steps; at most p_limit.
-- p_by: company, campaign, template, sender, country, reason or channel, which the key names; null is all campaigns of
-- one message, calls, and opt-outs where they are of no such thing. By reason, only what failed or was skipped.
-- p_step: hour or day, as p_timezone has it. A day that the history keeps as a whole, in UTC, counts as the same date.
-- p_campaign_id, p_template_id, p_sender_id: only theirs; null for all.
create function outbound.read_history(
  p_company_id uuid, p_by text, p_from timestamptz, p_to timestamptz, p_step text, p_timezone text, p_campaign_id uuid,
  p_template_id uuid, p_sender_id uuid, p_limit int
)
returns table (
  start timestamptz, key text, name text, category text, country text, day text, accepted int, sent int, delivered int,
  read int, replied int, failed int, skipped int, cancelled int, opted_out int, priced int
)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_none constant uuid := '00000000-0000-0000-0000-000000000000'::uuid;
  v_hours_from constant timestamptz := outbound.history_hours_from();
  -- The range for days that are kept as a whole.
  v_day_from constant timestamptz := date_trunc('day', p_from, p_timezone) at time zone p_timezone at time zone 'UTC';
  v_day_to constant timestamptz := date_trunc('day', p_to + interval '1 day - 1 microsecond', p_timezone)
    at time zone p_timezone at time zone 'UTC';
begin
  return query
  with found as materialized (
    select h.* from outbound.history as h
    where p_campaign_id is null and h.company_id = p_company_id
      and h.hour >= least(p_from, v_day_from) and h.hour < greatest(p_to, v_day_to)
    union all
    select h.* from outbound.history as h
    where p_campaign_id is not null and h.company_id = p_company_id and h.campaign_id = p_campaign_id
      and h.hour >= least(p_from, v_day_from) and h.hour < greatest(p_to, v_day_to)
  ),
  grouped as materialized (
    select b.start, b.key, p.category, p.country, p.day, sum(h.accepted)::int as accepted, sum(h.sent)::int as sent,
      sum(h.delivered)::int as delivered, sum(h.read)::int as read, sum(h.replied)::int as replied,
      sum(h.failed)::int as failed, sum(h.skipped)::int as skipped, sum(h.cancelled)::int as cancelled,
      sum(h.opted_out)::int as opted_out, sum(h.priced)::int as priced
    from found as h
    cross join lateral (
      select case
          when h.hour < v_hours_from then date_trunc('day', h.hour at time zone 'UTC') at time zone p_timezone
          else date_trunc(p_step, h.hour, p_timezone)
        end as start,
        case p_by
          when 'company' then p_company_id::text when 'campaign' then nullif(h.campaign_id, v_none)::text
          when 'template' then nullif(h.template_id, v_none)::text when 'sender' then nullif(h.sender_id, v_none)::text
          when 'country' then h.area when 'channel' then h.channel else h.reason
        end as key
    ) as b
    left join lateral (
      select h.reason as category, h.area as country, (h.hour at time zone 'UTC')::date::text as day where h.priced <> 0
    ) as p on true
    where (p_template_id is null or h.template_id = p_template_id)
      and (p_sender_id is null or h.sender_id = p_sender_id)
      and (p_by <> 'reason' or h.failed <> 0 or h.skipped <> 0)
      and case when h.hour < v_hours_from then h.hour >= v_day_from and h.hour < v_day_to
        else h.hour >= p_from and h.hour < p_to end
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5 limit p_limit
  )
  select g.start, g.key, coalesce(c.name, t.name, s.name, o.name), g.category, g.country, g.day, g.accepted, g.sent,
    g.delivered, g.read, g.replied, g.failed, g.skipped, g.cancelled, g.opted_out, g.priced
  from grouped as g
  left join lateral (
    select a.name from outbound.campaigns as a
    where p_by = 'campaign' and a.company_id = p_company_id and a.id = g.key::uuid limit 1
  ) as c on true
  left join lateral (
    select a.name || ' (' || a.language || ')' as name from outbound.templates as a
    where p_by = 'template' and a.company_id = p_company_id and a.id = g.key::uuid limit 1
  ) as t on true
  left join lateral (
    select a.number as name from outbound.senders as a
    where p_by = 'sender' and a.company_id = p_company_id and a.id = g.key::uuid limit 1
  ) as s on true
  left join lateral (
    select a.name from outbound.companies as a where p_by = 'company' and a.id = p_company_id limit 1
  ) as o on true
  order by g.start, g.key, g.category, g.country, g.day;
end
$$;
revoke execute on function outbound.read_history from public;

-- Returns until when every change is part of the history that read_history returns.
create function outbound.history_until()
returns timestamptz
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return coalesce((
    select c.written_at from outbound.history_changes as c where c.written_at >= outbound.due_from('history')
    order by c.written_at limit 1
  ), now());
end
$$;
revoke execute on function outbound.history_until from public;
