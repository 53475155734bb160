-- Pausing and resuming campaigns. A notification that is held keeps its status, so the counters know nothing of it;
-- its time is put aside and it becomes due at infinity, where the index ranges of the claim and the tick never get.
-- Its expiry stays: what is paused for too long fails as `expired`. A campaign is held for two reasons that know nothing
-- of each other, an operator's pause (paused_at) and a template that is not approved (held_reason): what waits is let go
-- when the last of them is gone.

-- What is held can end, cancelled or expired or settled by an event, but not leave. A claim that chose the row just
-- before it was held passes it by.
create function outbound.let_go()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if new.status = 'sending' then
    return null;
  end if;
  if new.status not in ('scheduled', 'queued') then
    new.run_at := old.held_run_at;
    new.held_run_at := null;
  end if;
  return new;
end
$$;
revoke execute on function outbound.let_go from public;
create trigger notifications_let_go before update of status on outbound.notifications
  for each row when (old.held_run_at is not null and new.status <> old.status)
  execute function outbound.let_go();

-- Holds what has not left, as cancel_campaign cancels it: at most p_limit notifications per step, after p_after. From the
-- first step on nothing more leaves until the campaign is resumed. A campaign that is over stays so; one that is resumed
-- between two steps is left alone by the second. Returns how many this step held and, with the last one, how many may
-- still go out because a dispatcher has them.
create function outbound.pause_campaign(
  p_company_id uuid, p_campaign_id uuid, p_after uuid default null, p_limit int default 5000
)
returns table (paused int, in_flight int, last_id uuid)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_ids uuid[];
  v_resumed boolean;
  v_strays int := 0;
begin
  select array_agg(locked.id order by locked.id) into v_ids
  from (
    select n.id from outbound.notifications as n
    where n.company_id = p_company_id and n.campaign_id = p_campaign_id and (p_after is null or n.id > p_after)
      and n.status in ('scheduled', 'queued') and n.held_run_at is null
    order by n.id limit p_limit for update
  ) as locked;
  paused := coalesce(cardinality(v_ids), 0);
  last_id := case when paused = p_limit then v_ids[p_limit] end;

  select p_after is not null and g.paused_at is null into v_resumed
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id for no key update;
  if v_resumed then
    paused := 0;
    last_id := null;
  else
    update outbound.notifications as n set held_run_at = n.run_at, run_at = 'infinity'
    where n.company_id = p_company_id and n.id = any (v_ids);
  end if;
  update outbound.campaigns as g
  set paused_at = case when not v_resumed and g.pending + g.processing > 0 then coalesce(g.paused_at, now()) else g.paused_at end,
    -- A cancellation that is under way as well ends by itself.
    stopping_at = case when last_id is not null then now() when g.cancelled_at is not null then g.stopping_at end
  where g.company_id = p_company_id and g.id = p_campaign_id;
  if last_id is not null then
    return next;
    return;
  end if;

  -- What came back to the queue between the two steps above. With the campaign's row ours nothing more does. Who has one
  -- of these locked is most likely a claim that waits for that row; to wait for it in turn would be a deadlock, so what
  -- it has counts as gone.
  if not v_resumed then
    with waiting as (
      select n.company_id, n.id from outbound.notifications as n
      where n.company_id = p_company_id and n.campaign_id = p_campaign_id
        and n.status in ('scheduled', 'queued') and n.held_run_at is null
      order by n.id for update skip locked
    ),
    held as (
      update outbound.notifications as n set held_run_at = n.run_at, run_at = 'infinity'
      from waiting where n.company_id = waiting.company_id and n.id = waiting.id
      returning 1
    )
    select count(*)::int into v_strays from held;
    paused := paused + v_strays;
  end if;

  select g.processing + (
    select count(*) from outbound.notifications as n
    where n.company_id = p_company_id and n.campaign_id = p_campaign_id
      and n.status in ('scheduled', 'queued') and n.held_run_at is null
  )::int into in_flight
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
  perform outbound.plan_sender_turns(array[g.company_id], array[g.sender_id], false)
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
  return next;
end
$$;
revoke execute on function outbound.pause_campaign from public;

-- Lets go what of these campaigns came back and was held while they were being let go; whoever calls has locked their
-- rows. Returns how many. Raises OB001 when anything is left: somebody else has it locked, such as a claim that is
-- passing it by. To wait for it with the campaign's row in hand, which it may need, would be a deadlock; so the caller
-- undoes all it did and waits without.
create function outbound.release_strays(p_company_id uuid, p_campaign_ids uuid[])
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_released int;
begin
  with held as (
    select n.company_id, n.id from outbound.notifications as n
    where n.company_id = p_company_id and n.campaign_id = any (p_campaign_ids)
      and n.status in ('scheduled', 'queued') and n.held_run_at is not null
    order by n.id for update skip locked
  ),
  released as (
    update outbound.notifications as n set run_at = n.held_run_at, held_run_at = null
    from held where n.company_id = held.company_id and n.id = held.id
    returning 1
  )
  select count(*)::int into v_released from released;
  if exists (
    select 1 from outbound.notifications as n
    where n.company_id = p_company_id and n.campaign_id = any (p_campaign_ids)
      and n.status in ('scheduled', 'queued') and n.held_run_at is not null
  ) then
    raise exception 'a held notification is locked' using errcode = 'OB001';
  end if;
  return v_released;
end
$$;
revoke execute on function outbound.release_strays from public;

-- Ends a pause and gives what is held its time back, unless its template holds it as well: what is overdue may leave at
-- once. Returns how many were let go, and how many a dispatcher has.
create function outbound.resume_campaign(p_company_id uuid, p_campaign_id uuid)
returns table (resumed int, in_flight int)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_free boolean;
  v_stopped boolean;
begin
  loop
    begin
      select g.held_reason is null into v_free
      from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
      resumed := 0;
      if v_free then
        with held as (
          select n.company_id, n.id from outbound.notifications as n
          where n.company_id = p_company_id and n.campaign_id = p_campaign_id
            and n.status in ('scheduled', 'queued') and n.held_run_at is not null
          order by n.id for update
        ),
        released as (
          update outbound.notifications as n set run_at = n.held_run_at, held_run_at = null
          from held where n.company_id = held.company_id and n.id = held.id
          returning 1
        )
        select count(*)::int into resumed from released;
      end if;

      select g.processing, g.held_reason is not null into in_flight, v_stopped
      from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id for no key update;
      -- Its template was stopped between the two steps above.
      if v_free and v_stopped then
        raise exception 'its template was stopped meanwhile' using errcode = 'OB001';
      end if;
      update outbound.campaigns as g
      set paused_at = null, stopping_at = case when g.cancelled_at is not null then g.stopping_at end
      where g.company_id = p_company_id and g.id = p_campaign_id and g.paused_at is not null;

      if not v_stopped then
        resumed := resumed + outbound.release_strays(p_company_id, array[p_campaign_id]);
        perform outbound.plan_sender_turns(array[g.company_id], array[g.sender_id], true)
        from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
      end if;
      return next;
      return;
    exception when sqlstate 'OB001' then
      null;
    end;
  end loop;
end
$$;
revoke execute on function outbound.resume_campaign from public;
