-- Begins to give a campaign that has not started another time, with the zone in which it is meant; move_notifications
-- moves what waits. Where recipients have their own time of day, p_to only says the day, and each keeps its hour. From
-- here on nothing leaves until the move is over. Writes the audit of p_actor.
-- outcome: begun; unchanged (it has this time already); moving (another move is not over: finish it first); open (more
-- requests are expected, or a resend is making it); started (schedule_state). status: its status (campaign_status).
create function outbound.move_campaign(
  p_company_id uuid, p_campaign_id uuid, p_to timestamptz, p_timezone text, p_actor text, p_request_id text,
  out outcome text, out status text
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v outbound.campaigns;
  v_timing jsonb;
  v_day date := (p_to at time zone coalesce(p_timezone, 'UTC'))::date;
  v_shift interval;
  v_first timestamptz;
  v_last uuid;
begin
  select g.* into v from outbound.campaigns as g
  where g.company_id = p_company_id and g.id = p_campaign_id for no key update;
  select b.timing into v_timing from outbound.bulk_campaigns as b
  where b.company_id = p_company_id and b.campaign_id = p_campaign_id;
  status := outbound.campaign_status(v);
  outcome := case
    when exists (
      select from outbound.campaign_moves as m where m.company_id = p_company_id and m.campaign_id = p_campaign_id
    ) then 'moving'
    else outbound.schedule_state(v)
  end;
  if outcome <> 'scheduled' then
    return;
  end if;
  -- Whole days: the hour is the recipients' own.
  v_shift := case when v_timing ? 'recipient_time' then make_interval(hours => 24 * (v_day - coalesce(
      (v_timing ->> 'day')::date, (v.scheduled_time at time zone coalesce(v.timezone, 'UTC'))::date)))
    else p_to - v.scheduled_time end;
  if v_shift = interval '0' and p_timezone is not distinct from v.timezone then
    outcome := 'unchanged';
    return;
  end if;
  outcome := 'begun';
  v_first := v.scheduled_time + v_shift;
  if v_timing ? 'recipient_time' then
    v_first := v_first
      + make_interval(hours => 24 * greatest(0, ceil(extract(epoch from now() - v_first) / 86400)::int));
  end if;
  select q.id into v_last from outbound.queue as q
  where q.company_id = p_company_id and q.campaign_id = p_campaign_id order by q.id desc limit 1;
  update outbound.campaigns as g set scheduled_time = v_first, timezone = p_timezone, stopping_at = now()
  where g.company_id = p_company_id and g.id = p_campaign_id;
  update outbound.bulk_campaigns as b set timing = b.timing || jsonb_build_object('day', v_day)
  where b.company_id = p_company_id and b.campaign_id = p_campaign_id and b.timing ? 'recipient_time';
  insert into outbound.campaign_moves (company_id, campaign_id, shift_s, upto_id)
  values (p_company_id, p_campaign_id, extract(epoch from v_shift), v_last);
  perform outbound.audit_change(
    p_company_id, p_actor, 'campaign.moved', p_campaign_id::text,
    jsonb_build_object('scheduled_time', outbound.iso_time(v.scheduled_time), 'timezone', v.timezone),
    jsonb_build_object('scheduled_time', outbound.iso_time(v_first), 'timezone', p_timezone),
    p_request_id);
end
$$;
revoke execute on function outbound.move_campaign from public;

-- Moves the next notifications of a campaign whose move is not over, in the order of their ids. Held ones stay held;
-- what may wait as long as before, it may from its new time on. A recipient's hour that has passed on the new day
-- counts on the next one; a time for all that has come meanwhile is kept. Returns how many it moved, and whether the move is over; then call it no more.
create function outbound.move_notifications(
  p_company_id uuid, p_campaign_id uuid, p_limit int default 5000, out moved int, out is_over boolean
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per message.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_move outbound.campaign_moves;
  v_now outbound.campaign_moves;
  v_ids uuid[];
  v_is_own_hour boolean := exists (
    select from outbound.bulk_campaigns as b
    where b.company_id = p_company_id and b.campaign_id = p_campaign_id and b.timing ? 'recipient_time'
  );
begin
  loop
    begin
      select m.* into v_move
      from outbound.campaign_moves as m where m.company_id = p_company_id and m.campaign_id = p_campaign_id;
      moved := 0;
      is_over := not found;
      if is_over then
        return;
      end if;
      v_ids := array(
        select q.id from outbound.queue as q
        where q.company_id = p_company_id and q.campaign_id = p_campaign_id and q.id > v_move.after_id
          and q.id <= v_move.upto_id and case when q.status = 'queued' then true end
        order by q.id limit p_limit for update
      );
      moved := cardinality(v_ids);
      is_over := moved < p_limit;

      perform from outbound.campaigns as g
      where g.company_id = p_company_id and g.id = p_campaign_id for no key update;
      select m.* into v_now
      from outbound.campaign_moves as m where m.company_id = p_company_id and m.campaign_id = p_campaign_id;
      -- Another process has moved these meanwhile.
      if v_now is distinct from v_move then
        raise exception 'the campaign was moved meanwhile' using errcode = 'OB001';
      end if;
      update outbound.queue as q
      set run_at = case when q.held_run_at is null then own.due_at else q.run_at end,
        held_run_at = case when q.held_run_at is not null then own.due_at end,
        expires_at = q.expires_at + (own.due_at - coalesce(q.held_run_at, q.run_at)), is_scheduled = true
      from (
        select w.id, case when v_is_own_hour
          then w.at + make_interval(hours => 24 * greatest(0, ceil(extract(epoch from now() - w.at) / 86400)::int))
          else w.at end as due_at
        from (
          select o.id, coalesce(o.held_run_at, o.run_at) + make_interval(secs => v_move.shift_s) as at
          from unnest(v_ids) as given(id)
          join outbound.queue as o on o.company_id = p_company_id and o.id = given.id
        ) as w
      ) as own
      where q.company_id = p_company_id and q.id = own.id;
      update outbound.campaigns as g
      -- A cancellation or a pause that is under way as well clears this when it ends.
      set stopping_at = case
          when not is_over then now() when num_nonnulls(g.cancelled_at, g.paused_at) > 0 then g.stopping_at
        end
      where g.company_id = p_company_id and g.id = p_campaign_id;
      if is_over then
        delete from outbound.campaign_moves as m where m.company_id = p_company_id and m.campaign_id = p_campaign_id;
      else
        update outbound.campaign_moves as m set after_id = v_ids[moved]
        where m.company_id = p_company_id and m.campaign_id = p_campaign_id;
      end if;
      perform outbound.schedule_senders(array[g.company_id], array[g.sender_id], true)
      from outbound.campaigns as g where is_over and g.company_id = p_company_id and g.id = p_campaign_id;
      return;
    exception when sqlstate 'OB001' then
      null;
    end;
  end loop;
end
$$;
revoke execute on function outbound.move_notifications from public;
