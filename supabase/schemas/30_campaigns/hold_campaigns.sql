-- Holds what has not left of the given campaigns, because their template is not approved: the platform would refuse
-- each message. Handles all campaigns in one statement, so that no campaign's row is locked while waiting for a
-- notification of another.
--
-- Changing a template's state only marks it (templates.unsettled). settle_templates holds or releases its campaigns
-- later, in transactions of their own, a few hundred at a time, because there may be very many. Until then, and for a
-- campaign that is being accepted at the same time, two others keep messages back: a claim returns the template's
-- state, so a dispatcher hands back what it may not send, and stop_requeued holds what is handed back.
create function outbound.hold_campaigns(p_company_id uuid, p_campaign_ids uuid[], p_reason text)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  with waiting as (
    select q.company_id, q.id from outbound.queue as q
    where q.company_id = p_company_id and q.campaign_id = any (p_campaign_ids)
      and case when q.status = 'queued' and q.held_run_at is null then true end
    order by q.id for update
  )
  update outbound.queue as q set held_run_at = q.run_at, run_at = 'infinity'
  from waiting where q.company_id = waiting.company_id and q.id = waiting.id;

  perform from outbound.campaigns as g
  where g.company_id = p_company_id and g.id = any (p_campaign_ids) order by g.id for no key update;
  update outbound.campaigns as g set held_reason = p_reason
  where g.company_id = p_company_id and g.id = any (p_campaign_ids) and g.completed_at is null;

  -- As in pause_campaign: one that is locked elsewhere counts as gone.
  perform outbound.hold_late_arrivals(p_company_id, p_campaign_ids);
end
$$;
revoke execute on function outbound.hold_campaigns from public;
