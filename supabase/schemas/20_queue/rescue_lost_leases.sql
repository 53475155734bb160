-- sending → unconfirmed, when the worker's lease ran out: the worker may have sent it or not. At most p_limit, of the
-- leases that ended after p_leases_from. Returns how many. A step of tick.
create function outbound.rescue_lost_leases(p_limit int, p_window interval, p_leases_from timestamptz)
returns int
-- Without statistics a bitmap scan would read and sort all that is due instead of the p_limit longest due.
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_rescued int;
begin
  with lost as (
    select n.company_id, n.id from outbound.queue as n
    where n.status = 'sending' and n.lease_until >= p_leases_from and n.lease_until <= now()
    order by n.lease_until limit p_limit for update skip locked
  ),
  rescued as (
    update outbound.queue as n
    set status = 'unconfirmed', lease_until = now() + p_window, worker = null, error_code = null, error_reason = null
    from lost where n.company_id = lost.company_id and n.id = lost.id
    returning n.company_id, n.id, n.attempt, n.fence, n.claimed_at
  )
  insert into outbound.delivery_attempts as a (
    company_id, notification_id, attempt, fence, worker, started_at, outcome, reason
  )
  select r.company_id, r.id, r.attempt, r.fence, 'lost', r.claimed_at, 'unknown',
    'The dispatcher stopped before it recorded a result'
  from rescued as r
  on conflict on constraint delivery_attempts_pkey do nothing;
  get diagnostics v_rescued = row_count;
  return v_rescued;
end
$$;
revoke execute on function outbound.rescue_lost_leases from public;
