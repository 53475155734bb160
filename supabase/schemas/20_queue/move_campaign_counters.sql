-- Moves campaign counters by the sums in p_moves: [{company_id, campaign_id, pending, processing, sent, delivered,
-- read, failed, cancelled, skipped, replied}, …], all optional. Besides accepting (add_to_campaigns included) and
-- resends (continue_resend), the only function that touches them.
create function outbound.move_campaign_counters(p_moves jsonb)
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per campaign.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  with moved as materialized (
    select m.company_id, m.campaign_id,
      coalesce(sum(m.pending), 0)::int as pending, coalesce(sum(m.processing), 0)::int as processing,
      coalesce(sum(m.sent), 0)::int as sent, coalesce(sum(m.delivered), 0)::int as delivered,
      coalesce(sum(m.read), 0)::int as read, coalesce(sum(m.failed), 0)::int as failed,
      coalesce(sum(m.cancelled), 0)::int as cancelled, coalesce(sum(m.skipped), 0)::int as skipped,
      coalesce(sum(m.replied), 0)::int as replied
    from jsonb_to_recordset(p_moves) as m(
      company_id uuid, campaign_id uuid, pending int, processing int, sent int, delivered int, read int,
      failed int, cancelled int, skipped int, replied int
    )
    group by m.company_id, m.campaign_id
    -- The update locks them in this order, because it looks up one after the other.
    order by m.campaign_id
  )
  update outbound.campaigns as g
  set pending = g.pending + moved.pending, processing = g.processing + moved.processing,
    sent = g.sent + moved.sent, delivered = g.delivered + moved.delivered, read = g.read + moved.read,
    failed = g.failed + moved.failed, cancelled = g.cancelled + moved.cancelled,
    skipped = g.skipped + moved.skipped, replied = g.replied + moved.replied,
    -- Only a claim makes more of them being processed.
    started_at = coalesce(g.started_at, case when moved.processing > 0 then now() end),
    completed_at = case
      when g.pending + moved.pending + g.processing + moved.processing = 0 and g.open_until is null
        then coalesce(g.completed_at, now())
    end
  from moved where g.company_id = moved.company_id and g.id = moved.campaign_id;
end
$$;
revoke execute on function outbound.move_campaign_counters from public;
