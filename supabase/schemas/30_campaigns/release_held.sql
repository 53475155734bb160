-- Releases what is held of the given campaigns; waits for notifications that are locked elsewhere. Returns how many. What is
-- held while this runs is for release_late_holds.
create function outbound.release_held(p_company_id uuid, p_campaign_ids uuid[])
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
    order by q.id for update
  )
  update outbound.queue as q set run_at = q.held_run_at, held_run_at = null
  from locked where q.company_id = locked.company_id and q.id = locked.id;
  get diagnostics v_released = row_count;
  return v_released;
end
$$;
revoke execute on function outbound.release_held from public;
