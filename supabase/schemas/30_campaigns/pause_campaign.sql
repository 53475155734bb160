-- Holds what has not left, in steps as cancel_campaign does: at most p_limit notifications per step, after p_after.
-- From the first step on nothing more leaves until the campaign is resumed. A campaign that is over stays so; the
-- second step leaves a campaign alone that was resumed after the first. Returns how many this step held and, with the
-- last one, how many may still leave because a dispatcher has them. The first step writes the audit of p_actor, if it
-- changes anything.
--
-- A held notification keeps its status, so counters do not move. Its time is kept in held_run_at and run_at becomes
-- infinity, where the index ranges of claims and ticks never get. Its expiry stays: what is paused for too long fails
-- as `expired`. A campaign can be held for two independent reasons: an operator's pause (paused_at) and a template
-- that is not approved (held_reason). Notifications are released when the last reason is gone.
create function outbound.pause_campaign(
  p_company_id uuid, p_campaign_id uuid, p_after uuid default null, p_limit int default 5000,
  p_actor text default null, p_request_id text default null
)
returns table (paused int, in_flight int, last_id uuid)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_ids uuid[];
  v_resumed boolean;
  v_is_new boolean;
  v_left int;
begin
  select array_agg(locked.id order by locked.id) into v_ids
  from (
    select q.id from outbound.queue as q
    where q.company_id = p_company_id and q.campaign_id = p_campaign_id and (p_after is null or q.id > p_after)
      and case when q.status = 'queued' and q.held_run_at is null then true end
    order by q.id limit p_limit for update
  ) as locked;
  paused := coalesce(cardinality(v_ids), 0);
  last_id := case when paused = p_limit then v_ids[p_limit] end;

  select p_after is not null and g.paused_at is null, g.paused_at is null and g.completed_at is null
  into v_resumed, v_is_new
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id for no key update;
  if v_resumed then
    paused := 0;
    last_id := null;
  else
    update outbound.queue as q set held_run_at = q.run_at, run_at = 'infinity'
    where q.company_id = p_company_id and q.id = any (v_ids);
  end if;
  update outbound.campaigns as g
  set paused_at = case when not v_resumed and g.completed_at is null
      then coalesce(g.paused_at, now()) else g.paused_at end,
    -- A cancellation or a move that is under way as well clears this when it ends.
    stopping_at = case
      when last_id is not null then now()
      when g.cancelled_at is not null or exists (
        select from outbound.campaign_moves as m where m.company_id = g.company_id and m.campaign_id = g.id
      ) then g.stopping_at
    end
  where g.company_id = p_company_id and g.id = p_campaign_id;
  if p_actor is not null and p_after is null and (v_is_new or paused > 0) then
    perform outbound.write_audit(p_company_id, p_actor, 'campaign.paused', p_campaign_id::text, null, null, p_request_id);
  end if;
  if last_id is not null then
    return next;
    return;
  end if;

  -- Notifications that came back to the queue, or were added, between the two statements above. Now that the campaign's
  -- row is locked, no more do. One that is locked elsewhere is most likely being claimed by a transaction that waits for
  -- that row: waiting for it would be a deadlock, so it counts as gone. If it stays after all, the dispatchers hold it
  -- in a while (stopping_at), and claims pass it by until then.
  if not v_resumed then
    paused := paused + outbound.hold_late_arrivals(p_company_id, array[p_campaign_id]);
  end if;

  select count(*)::int into v_left from outbound.queue as q
  where q.company_id = p_company_id and q.campaign_id = p_campaign_id
    and case when q.status = 'queued' and q.held_run_at is null then true end;
  update outbound.campaigns as g set stopping_at = now()
  where g.company_id = p_company_id and g.id = p_campaign_id and v_left > 0 and not v_resumed;
  select g.processing + v_left into in_flight
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
  perform outbound.schedule_senders(array[g.company_id], array[g.sender_id], false)
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
  return next;
end
$$;
revoke execute on function outbound.pause_campaign from public;
