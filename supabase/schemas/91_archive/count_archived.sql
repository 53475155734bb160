-- Counts a company's notifications for the campaigns of an archive file: p_sign 1 before they are deleted from the
-- database, -1 after they were put back. The caller has locked or just inserted them.
create function outbound.count_archived(p_company_id uuid, p_file_id uuid, p_ids uuid[], p_sign int)
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per notification.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  update outbound.archived_campaigns as c
  set total = c.total + d.total * p_sign, sent = c.sent + d.sent * p_sign,
    delivered = c.delivered + d.delivered * p_sign, read = c.read + d.read * p_sign,
    failed = c.failed + d.failed * p_sign, cancelled = c.cancelled + d.cancelled * p_sign,
    skipped = c.skipped + d.skipped * p_sign, replied = c.replied + d.replied * p_sign
  from (
    select n.campaign_id, count(*) as total, count(*) filter (where n.status in ('sent', 'delivered', 'read')) as sent,
      count(*) filter (where n.status in ('delivered', 'read')) as delivered,
      count(*) filter (where n.status = 'read') as read, count(*) filter (where n.status = 'failed') as failed,
      count(*) filter (where n.status = 'cancelled') as cancelled,
      count(*) filter (where n.status = 'skipped') as skipped, count(n.replied_at) as replied
    from outbound.notification_facts as n where n.company_id = p_company_id and n.id = any (p_ids)
    group by n.campaign_id
  ) as d
  where c.company_id = p_company_id and c.campaign_id = d.campaign_id and c.file_id = p_file_id;
end
$$;
revoke execute on function outbound.count_archived from public;
