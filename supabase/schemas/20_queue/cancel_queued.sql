-- Cancels those of the given notifications that are queued; the caller has locked them, and moves the counters. What
-- the platform said of the last attempt stays. Returns how many.
create function outbound.cancel_queued(p_companies uuid[], p_ids uuid[])
returns int
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per message.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_count int;
begin
  with gone as (
    delete from outbound.queue as q using unnest(p_companies, p_ids) as given(company_id, id)
    where q.company_id = given.company_id and q.id = given.id and case when q.status = 'queued' then true end
    returning q.company_id, q.id, q.attempt, q.fence, q.claimed_at, q.error_code, q.error_reason
  )
  update outbound.notification_facts as f
  set status = 'cancelled', cancelled_at = now(), attempt = gone.attempt, fence = gone.fence, claimed_at = gone.claimed_at,
    error_code = outbound.lasting_text(gone.error_code, gone.error_code),
    error_reason = outbound.lasting_text(gone.error_code, gone.error_reason)
  from gone where f.company_id = gone.company_id and f.id = gone.id;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
revoke execute on function outbound.cancel_queued from public;
