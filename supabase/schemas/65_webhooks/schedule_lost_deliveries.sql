-- Has claims look at the endpoints with deliveries whose worker was lost: its lease, which ended after p_leases_from,
-- ran out before it recorded a result. A step of tick.
create function outbound.schedule_lost_deliveries(p_leases_from timestamptz)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_companies uuid[];
  v_endpoints uuid[];
begin
  select array_agg(lost.company_id), array_agg(lost.endpoint_id) into v_companies, v_endpoints from (
    select d.company_id, d.endpoint_id from outbound.webhook_deliveries as d
    where d.status = 'pending' and d.worker is not null and d.run_at >= p_leases_from and d.run_at <= now()
    order by d.run_at limit 10000
  ) as lost;
  if v_companies is null then
    return;
  end if;
  -- No claim and no finish runs meanwhile: they would lock the same rows in another order (finish_deliveries).
  perform pg_advisory_xact_lock(hashtextextended('outbound.claim_deliveries', 0));
  insert into outbound.webhook_schedule as s (company_id, endpoint_id, due_at)
  select distinct lost.company_id, lost.endpoint_id, now() from unnest(v_companies, v_endpoints) as lost(company_id, endpoint_id)
  order by lost.company_id, lost.endpoint_id
  on conflict on constraint webhook_schedule_pkey do update set due_at = excluded.due_at
    where s.due_at > excluded.due_at;
end
$$;
revoke execute on function outbound.schedule_lost_deliveries from public;
