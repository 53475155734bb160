-- Returns endpoints whose time in webhook_schedule has come, the longest due first: p_max at most that work, and
-- p_max_failing that fail. Failing ones, however many are due, delay no others.
create function outbound.due_endpoints(p_max int, p_max_failing int)
returns table (company_id uuid, endpoint_id uuid)
language plpgsql stable rows 10 security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_due_from constant timestamptz := outbound.due_from('webhooks');
  v_failing_from constant timestamptz := outbound.due_from('failing_webhooks');
begin
  return query
  (
    select s.company_id, s.endpoint_id from outbound.webhook_schedule as s
    where not s.is_failing and s.due_at >= v_due_from and s.due_at <= now() order by s.due_at limit p_max
  )
  union all
  (
    select s.company_id, s.endpoint_id from outbound.webhook_schedule as s
    where s.is_failing and s.due_at >= v_failing_from and s.due_at <= now() order by s.due_at limit p_max_failing
  );
end
$$;
revoke execute on function outbound.due_endpoints from public;
