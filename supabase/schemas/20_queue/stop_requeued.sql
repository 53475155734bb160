-- Cancels or holds notifications that came back to the queue (refused for now, handed back, to be sent again after an
-- unknown outcome) if their campaign was cancelled or paused meanwhile, or its template is not approved. Its callers
-- have the campaigns' rows locked by moving their counters. So a pause or a cancellation is either over, and seen
-- here, or waits for them and then finds what they put back.
create function outbound.stop_requeued(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per message. A plan that starts at the campaigns would read a whole campaign for each of them.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_companies uuid[];
  v_campaigns uuid[];
  v_ids uuid[];
  v_held uuid[];
  v_cancelled uuid[];
  v_moves jsonb;
begin
  select array_agg(used.company_id), array_agg(used.campaign_id) into v_companies, v_campaigns
  from (
    select distinct n.company_id, n.campaign_id
    from unnest(p_companies, p_ids) as requeued(company_id, id)
    cross join lateral (
      select w.company_id, w.campaign_id from outbound.queue as w
      where w.company_id = requeued.company_id and w.id = requeued.id limit 1
    ) as n
  ) as used;

  -- A campaign that was accepted, or a message that was claimed, while its template was stopped. Locking the template
  -- keeps another transaction from approving it and releasing its campaigns meanwhile. Waiting for such a transaction
  -- would be a deadlock, and is not needed: the message comes back here if it still cannot leave.
  with stopped as (
    select g.company_id, g.id, t.reason
    from unnest(v_companies, v_campaigns) as used(company_id, campaign_id)
    cross join lateral (
      select w.company_id, w.id, w.template_id from outbound.campaigns as w
      where w.company_id = used.company_id and w.id = used.campaign_id
        and w.template_id is not null and w.held_reason is null limit 1
    ) as g
    cross join lateral (
      select outbound.hold_reason(u) as reason from outbound.templates as u
      where u.company_id = g.company_id and u.id = g.template_id and u.status <> 'approved'
      for share skip locked
    ) as t
  )
  update outbound.campaigns as g set held_reason = stopped.reason
  from stopped where g.company_id = stopped.company_id and g.id = stopped.id;

  select array_agg(g.id) filter (where g.cancelled_at is null),
    array_agg(g.id) filter (where g.cancelled_at is not null)
  into v_held, v_cancelled
  from unnest(v_companies, v_campaigns) as used(company_id, campaign_id)
  cross join lateral (
    select w.id, w.cancelled_at from outbound.campaigns as w
    where w.company_id = used.company_id and w.id = used.campaign_id
      and num_nonnulls(w.cancelled_at, w.paused_at, w.held_reason) > 0 limit 1
  ) as g;

  if v_held is not null then
    update outbound.queue as q set held_run_at = q.run_at, run_at = 'infinity'
    from unnest(p_companies, p_ids) as requeued(company_id, id)
    where q.company_id = requeued.company_id and q.id = requeued.id and q.campaign_id = any (v_held)
      and case when q.status = 'queued' then true end and q.held_run_at is null;
  end if;

  if v_cancelled is not null then
    select array_agg(q.company_id), array_agg(q.id), jsonb_agg(jsonb_build_object(
        'company_id', q.company_id, 'campaign_id', q.campaign_id, 'pending', -1, 'cancelled', 1))
    into v_companies, v_ids, v_moves
    from unnest(p_companies, p_ids) as requeued(company_id, id)
    join outbound.queue as q on q.company_id = requeued.company_id and q.id = requeued.id
    where q.campaign_id = any (v_cancelled) and case when q.status = 'queued' then true end;
    if v_moves is not null then
      perform outbound.cancel_queued(v_companies, v_ids);
      perform outbound.move_campaign_counters(v_moves);
    end if;
  end if;
end
$$;
revoke execute on function outbound.stop_requeued from public;
