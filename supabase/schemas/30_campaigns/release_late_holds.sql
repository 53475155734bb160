-- Releases notifications that were requeued and held while their campaign was being resumed. The caller has locked the
-- campaigns' rows. Returns how many. Raises OB001 if one is locked elsewhere, for example by a claim that is passing
-- it by: waiting for it would be a deadlock, so the caller undoes everything and begins again.
create function outbound.release_late_holds(p_company_id uuid, p_campaign_ids uuid[])
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_released int;
begin
  with locked as (
    select q.company_id, q.id from outbound.queue as q
    where q.company_id = p_company_id and q.campaign_id = any (p_campaign_ids)
      and case when q.status = 'queued' and q.held_run_at is not null then true end
    order by q.id for update skip locked
  )
  update outbound.queue as q set run_at = q.held_run_at, held_run_at = null
  from locked where q.company_id = locked.company_id and q.id = locked.id;
  get diagnostics v_released = row_count;
  if exists (
    select from outbound.queue as q
    where q.company_id = p_company_id and q.campaign_id = any (p_campaign_ids)
      and case when q.status = 'queued' and q.held_run_at is not null then true end
  ) then
    raise exception 'a held notification is locked' using errcode = 'OB001';
  end if;
  return v_released;
end
$$;
revoke execute on function outbound.release_late_holds from public;
