-- Compares the counters of a campaign with what its notifications really are. They are equal, or there is a fault.
-- inconsistent: how many of its notifications have facts that contradict their state, and one more if the campaign
-- itself is complete and is not, or the other way round; none, or there is a fault. Notifications that were archived
-- count as when they were deleted.
create function outbound.verify_campaign(p_company_id uuid, p_campaign_id uuid)
returns table (counter text, stored int, actual int)
language sql stable security invoker set search_path = ''
as $$
  select c.counter, c.stored, c.actual::int
  from outbound.campaigns as g
  cross join lateral (
    select
      count(*) as total,
      count(*) filter (where n.status in ('scheduled', 'queued')) as pending,
      count(*) filter (where n.status in ('sending', 'unconfirmed')) as processing,
      count(*) filter (where n.status in ('sent', 'delivered', 'read')) as sent,
      count(*) filter (where n.status in ('delivered', 'read')) as delivered,
      count(*) filter (where n.status = 'read') as read,
      count(*) filter (where n.status = 'failed') as failed,
      count(*) filter (where n.status = 'cancelled') as cancelled,
      count(*) filter (where n.status = 'skipped') as skipped,
      count(*) filter (where n.replied_at is not null) as replied,
      count(*) filter (where (
        n.status in ('scheduled', 'queued', 'sending', 'unconfirmed', 'sent', 'delivered', 'read', 'failed',
          'cancelled', 'skipped')
        -- A notification that may still leave needs somewhere to go.
        and (num_nonnulls(n.number, n.user_id) > 0 or n.status not in ('scheduled', 'queued', 'sending', 'unconfirmed'))
        and (n.status = 'sending') = (n.worker is not null)
        and (n.status not in ('sent', 'delivered', 'read') or n.sent_at is not null)
        and (n.status not in ('delivered', 'read') or n.delivered_at is not null)
        and (n.status = 'read') = (n.read_at is not null)
        and (n.status = 'failed') = (n.failed_at is not null) and (n.status <> 'failed' or n.error_reason is not null)
        and (n.status = 'skipped') = (n.skipped_at is not null) and (n.status <> 'skipped' or n.error_code is not null)
        and (n.held_for_quality is null or n.status = 'sent')
      ) is not true) as inconsistent
    from outbound.notifications as n where n.company_id = g.company_id and n.campaign_id = g.id
  ) as a
  cross join lateral (
    select coalesce(sum(o.total), 0) as total, coalesce(sum(o.sent), 0) as sent,
      coalesce(sum(o.delivered), 0) as delivered, coalesce(sum(o.read), 0) as read,
      coalesce(sum(o.failed), 0) as failed, coalesce(sum(o.cancelled), 0) as cancelled,
      coalesce(sum(o.skipped), 0) as skipped, coalesce(sum(o.replied), 0) as replied
    from outbound.archived_campaigns as o where o.company_id = g.company_id and o.campaign_id = g.id
  ) as o
  cross join lateral (values
    ('total', g.total, a.total + o.total), ('pending', g.pending, a.pending),
    ('processing', g.processing, a.processing), ('sent', g.sent, a.sent + o.sent),
    ('delivered', g.delivered, a.delivered + o.delivered), ('read', g.read, a.read + o.read),
    ('failed', g.failed, a.failed + o.failed), ('cancelled', g.cancelled, a.cancelled + o.cancelled),
    ('skipped', g.skipped, a.skipped + o.skipped), ('replied', g.replied, a.replied + o.replied),
    ('inconsistent', 0, a.inconsistent + (
      (g.pending + g.processing = 0 and g.open_until is null) <> (g.completed_at is not null)
    )::int + (
      -- A notification that has left the queue for good may not be in it.
      select count(*) from outbound.queue as q
      join outbound.notification_facts as f on f.company_id = q.company_id and f.id = q.id
      where q.company_id = g.company_id and q.campaign_id = g.id and f.status is not null
    ))
  ) as c(counter, stored, actual)
  where g.company_id = p_company_id and g.id = p_campaign_id
$$;
revoke execute on function outbound.verify_campaign from public;
