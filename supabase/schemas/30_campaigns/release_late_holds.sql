-- Releases notifications that were requeued and held while their campaign was being resumed. The caller has locked the
-- campaigns' rows. Returns how many. Raises OB001 if one is locked elsewhere, for example by a claim that is passing
-- it by: waiting for it would be a deadlock, so the caller undoes everything and begins again.
create function outbound.release_late_holds(p_company_id uuid, p_campaign_ids uuid[])
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_released int;
begin
  with locked as (
    select n.company_id, n.id from outbound.notifications as n
    where n.company_id = p_company_id and n.campaign_id = any (p_campaign_ids)
      and n.status in ('scheduled', 'queued') and n.held_run_at is not null
    order by n.id for update skip locked
  ),
  released as (
    update outbound.notifications as n set run_at = n.held_run_at, held_run_at = null
    from locked where n.company_id = locked.company_id and n.id = locked.id
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
revoke execute on function outbound.release_late_holds from public;
