-- Marks campaigns that an update changes (mark_campaigns), and writes campaign.completed for those that it completes.
-- Works as report_notifications does. A counter that moves after completion reports nothing.
create function outbound.report_campaigns()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  v_now constant bigint := pg_current_xact_id()::text::bigint;
  v_listening uuid[];
  v_companies uuid[];
  v_ids uuid[];
begin
  select array_agg(g.company_id), array_agg(g.id) into v_companies, v_ids from new_rows as g
  where g.changed_xid not between v_now - 1000 and v_now or g.completed_at is not null and g.held_reason is not null;
  if v_ids is not null then
    perform outbound.mark_campaigns(v_companies, v_ids);
  end if;

  select array_agg(w.company_id) into v_listening
  from (select distinct g.company_id from new_rows as g where g.completed_at is not null) as moved
  join outbound.endpoints as w on w.company_id = moved.company_id and w.is_active;
  if v_listening is null then
    return null;
  end if;
  select array_agg(changed.company_id), array_agg(changed.id) into v_companies, v_ids
  from (
    select r.company_id, r.id
    from (
      select o.company_id, o.id, o.completed_at is null as was_open, false as is_done from old_rows as o
      where o.company_id = any (v_listening)
      union all
      select g.company_id, g.id, false, g.completed_at is not null from new_rows as g
      where g.company_id = any (v_listening)
    ) as r
    group by r.company_id, r.id
    having bool_or(r.was_open) and bool_or(r.is_done)
  ) as changed;
  if v_ids is not null then
    perform outbound.write_campaign_events(v_companies, v_ids);
  end if;
  return null;
end
$$;
revoke execute on function outbound.report_campaigns from public;

-- Writes campaign.completed for a campaign that is complete from the start, because all of its contacts were refused.
create function outbound.report_empty_campaign()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform outbound.write_campaign_events(array[new.company_id], array[new.id]);
  return null;
end
$$;
revoke execute on function outbound.report_empty_campaign from public;

-- Marks campaigns with this transaction, as mark_change does, and releases those that are over: nothing holds them.
-- Not by a trigger of each row: it would lock the row first, which is written to the log, and most updates leave the mark.
create function outbound.mark_campaigns(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per campaign.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  update outbound.campaigns as g
  set changed_xid = pg_current_xact_id()::text::bigint,
    held_reason = case when g.completed_at is null then g.held_reason end
  from unnest(p_companies, p_ids) as marked(company_id, id)
  where g.company_id = marked.company_id and g.id = marked.id;
end
$$;
revoke execute on function outbound.mark_campaigns from public;
