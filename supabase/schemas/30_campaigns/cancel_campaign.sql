-- Cancels what has not left yet, and keeps what is being sent from being retried. Handles at most p_limit
-- notifications per step, after the one whose id is p_after, so that no step keeps the sender's other campaigns
-- waiting: where last_id is not null, call again with it as p_after, in a transaction of its own. From the first step
-- on nothing more leaves, and no request adds to it. Returns how many this step cancelled and, with the last one, how
-- many a dispatcher still has. The first step writes the audit of p_actor, if it changes anything. What it cancels
-- before its time goes back to the quota (refund_quota).
create function outbound.cancel_campaign(
  p_company_id uuid, p_campaign_id uuid, p_after uuid default null, p_limit int default 5000,
  p_actor text default null, p_request_id text default null
)
returns table (cancelled int, in_flight int, last_id uuid)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_ids uuid[];
  v_is_new boolean;
  v_refunds boolean;
  v_late int;
begin
  v_refunds := outbound.lock_quota(p_company_id, p_campaign_id);
  select array_agg(locked.id order by locked.id) into v_ids
  from (
    select q.id from outbound.queue as q
    where q.company_id = p_company_id and q.campaign_id = p_campaign_id and (p_after is null or q.id > p_after)
      and case when q.status = 'queued' then true end
    order by q.id limit p_limit for update
  ) as locked;
  last_id := case when cardinality(v_ids) = p_limit then v_ids[p_limit] end;
  if v_refunds then
    perform outbound.refund_quota(p_company_id, p_campaign_id, v_ids);
  end if;
  cancelled := outbound.cancel_queued(array_fill(p_company_id, array[coalesce(cardinality(v_ids), 0)]), v_ids);
  select g.cancelled_at is null into v_is_new
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id for no key update;
  update outbound.campaigns as g
  set cancelled_at = coalesce(g.cancelled_at, now()), stopping_at = case when last_id is not null then now() end,
    open_until = null,
    completed_at = case when g.pending + g.processing = 0 then coalesce(g.completed_at, now()) end
  where g.company_id = p_company_id and g.id = p_campaign_id;
  if p_actor is not null and p_after is null and (v_is_new or cancelled > 0) then
    perform outbound.write_audit(
      p_company_id, p_actor, 'campaign.cancelled', p_campaign_id::text, null, null, p_request_id);
  end if;
  if cancelled > 0 then
    perform outbound.move_campaign_counters(jsonb_build_array(jsonb_build_object(
      'company_id', p_company_id, 'campaign_id', p_campaign_id, 'pending', -cancelled, 'cancelled', cancelled)));
  end if;
  if last_id is not null then
    return next;
    return;
  end if;

  -- Notifications that went back to the queue, or were added, before the campaign's row was locked above. Later ones
  -- need that row, which we have locked, and will see that it is cancelled. A row that is locked elsewhere is most
  -- likely being claimed by a transaction that waits for that row; if it is not, the dispatchers cancel it in a while
  -- (stopping_at), and claims pass it by until then.
  v_ids := array(
    select q.id from outbound.queue as q
    where q.company_id = p_company_id and q.campaign_id = p_campaign_id and case when q.status = 'queued' then true end
    for update skip locked
  );
  if v_refunds then
    perform outbound.refund_quota(p_company_id, p_campaign_id, v_ids);
  end if;
  v_late := outbound.cancel_queued(array_fill(p_company_id, array[cardinality(v_ids)]), v_ids);
  if v_late > 0 then
    perform outbound.move_campaign_counters(jsonb_build_array(jsonb_build_object(
      'company_id', p_company_id, 'campaign_id', p_campaign_id, 'pending', -v_late, 'cancelled', v_late)));
    cancelled := cancelled + v_late;
  end if;
  update outbound.campaigns as g set stopping_at = now()
  where g.company_id = p_company_id and g.id = p_campaign_id and g.pending > 0;
  select g.processing + g.pending into in_flight from outbound.campaigns as g
  where g.company_id = p_company_id and g.id = p_campaign_id;
  perform outbound.schedule_senders(array[g.company_id], array[g.sender_id], false)
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
  return next;
end
$$;
revoke execute on function outbound.cancel_campaign from public;
