-- Locks the use of a campaign's key on the days on which its notifications were accepted, for refund_quota. A caller
-- that locks notifications calls it first: use comes with the key in the lock order. Returns whether any of the
-- campaign was accepted for a later time.
create function outbound.lock_quota(p_company_id uuid, p_campaign_id uuid)
returns boolean
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v record;
begin
  select g.api_key_id, (g.created_at at time zone 'UTC')::date as first_day,
    (last.created_at at time zone 'UTC')::date as last_day
  into v
  from outbound.campaigns as g
  cross join lateral (
    select f.created_at from outbound.notification_facts as f
    where f.campaign_id = g.id order by f.campaign_id desc, f.id desc limit 1
  ) as last
  where g.company_id = p_company_id and g.id = p_campaign_id
    and (g.scheduled_time is not null or exists (
      select from outbound.bulk_campaigns as b
      where b.company_id = g.company_id and b.campaign_id = g.id and b.timing is not null
    ));
  if not found then
    return false;
  end if;
  perform from outbound.usage as u
  where u.company_id = p_company_id and u.api_key_id = v.api_key_id and u.day between v.first_day and v.last_day
  order by u.day for no key update;
  return true;
end
$$;
revoke execute on function outbound.lock_quota from public;

-- Gives notifications of a campaign that are about to be cancelled back to the quota of its key: those that were
-- accepted for a later time and were never claimed, to the day on which they were accepted. The caller has locked
-- them, and has called lock_quota; a day that it did not lock, because more was added meanwhile, gets nothing back if
-- it is in use.
create function outbound.refund_quota(p_company_id uuid, p_campaign_id uuid, p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per message.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  with unused as (
    select (f.created_at at time zone 'UTC')::date as day, count(*)::int as notifications
    from unnest(p_ids) as given(id)
    join outbound.queue as q on q.company_id = p_company_id and q.id = given.id
    join outbound.notification_facts as f on f.company_id = q.company_id and f.id = q.id
    where q.is_scheduled and q.fence = 0 group by 1
  ),
  locked as (
    select u.company_id, u.api_key_id, u.day, unused.notifications
    from unused
    cross join lateral (
      select g.api_key_id from outbound.campaigns as g
      where g.company_id = p_company_id and g.id = p_campaign_id limit 1
    ) as g
    join outbound.usage as u on u.company_id = p_company_id and u.api_key_id = g.api_key_id and u.day = unused.day
    for no key update of u skip locked
  )
  update outbound.usage as u set notifications = greatest(0, u.notifications - locked.notifications)
  from locked
  where u.company_id = locked.company_id and u.api_key_id = locked.api_key_id and u.day = locked.day;
end
$$;
revoke execute on function outbound.refund_quota from public;
