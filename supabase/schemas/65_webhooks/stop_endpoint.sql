-- Switches an endpoint off. Its pending deliveries fail; a replay of what failed brings them back. A delivery that is
-- locked is being finished, and is passed by.
create function outbound.stop_endpoint(p_company_id uuid, p_endpoint_id uuid, p_reason text)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  with waiting as (
    select d.event_id, d.attempt from outbound.webhook_deliveries as d
    where d.company_id = p_company_id and d.endpoint_id = p_endpoint_id and d.status = 'pending'
      and (d.worker is null or d.run_at <= now())
    for update skip locked
  )
  update outbound.webhook_deliveries as d
  set status = 'failed', worker = null, finished_at = now(), error = coalesce(p_reason, 'The webhook was switched off')
  from waiting
  where d.company_id = p_company_id and d.event_id = waiting.event_id and d.attempt = waiting.attempt;
  if p_endpoint_id = '00000000-0000-0000-0000-000000000000' then
    update outbound.webhooks as w set is_active = false, stopped_reason = p_reason, updated_at = now()
    where w.company_id = p_company_id;
  else
    update outbound.webhook_endpoints as w set is_active = false, stopped_reason = p_reason, updated_at = now()
    where w.company_id = p_company_id and w.id = p_endpoint_id;
  end if;
end
$$;
revoke execute on function outbound.stop_endpoint from public;
