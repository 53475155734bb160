-- Holds notifications that came back to the queue, or were added, while their campaigns were being held. The caller has
-- locked the campaigns' rows. Passes by notifications that are locked elsewhere: waiting for a claim, which waits for a
-- campaign's row, would be a deadlock. Returns how many it held.
create function outbound.hold_late_arrivals(p_company_id uuid, p_campaign_ids uuid[])
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_held int;
begin
  with waiting as (
    select q.company_id, q.id from outbound.queue as q
    where q.company_id = p_company_id and q.campaign_id = any (p_campaign_ids)
      and case when q.status = 'queued' and q.held_run_at is null then true end
    order by q.id for update skip locked
  )
  update outbound.queue as q set held_run_at = q.run_at, run_at = 'infinity'
  from waiting where q.company_id = waiting.company_id and q.id = waiting.id;
  get diagnostics v_held = row_count;
  return v_held;
end
$$;
revoke execute on function outbound.hold_late_arrivals from public;
