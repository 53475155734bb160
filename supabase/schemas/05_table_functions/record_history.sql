-- Appends to history_changes what an update of notifications' facts changes: +1 in the hour of each state that a
-- notification reaches, −1 in the hour of one that is taken back. What both versions of a row say adds up to nothing,
-- and is not written. Old and new rows are not joined: the kept plan would compare each with every other
-- (report_notifications).
create function outbound.record_history()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.history_changes (company_id, at, area, metric, reason, campaign_ids, counts)
  select c.company_id, c.at, c.area, c.metric, c.reason, array_agg(c.campaign_id), array_agg(c.count)
  from (
    select f.company_id, f.campaign_id, date_bin('1 hour', coalesce(s.at, f.created_at), 'epoch') as at, f.area,
      s.metric, s.reason, sum(f.count)::int as count
    from (
      select 1 as count, n.company_id, n.campaign_id, n.area, n.status, n.created_at, n.sent_at, n.delivered_at,
        n.read_at, n.failed_at, n.skipped_at, n.cancelled_at, n.replied_at, n.error_code
      from new_rows as n where n.area is not null and num_nonnulls(n.status, n.replied_at) > 0
      union all
      select -1, o.company_id, o.campaign_id, o.area, o.status, o.created_at, o.sent_at, o.delivered_at,
        o.read_at, o.failed_at, o.skipped_at, o.cancelled_at, o.replied_at, o.error_code
      from old_rows as o where o.area is not null and num_nonnulls(o.status, o.replied_at) > 0
    ) as f
    cross join lateral (values
      ('sent', f.sent_at, '', f.status in ('sent', 'delivered', 'read')),
      ('delivered', f.delivered_at, '', f.status in ('delivered', 'read')),
      ('read', f.read_at, '', f.status = 'read'),
      ('failed', f.failed_at, coalesce(f.error_code, 'unknown'), f.status = 'failed'),
      ('skipped', f.skipped_at, coalesce(f.error_code, 'unknown'), f.status = 'skipped'),
      ('cancelled', f.cancelled_at, '', f.status = 'cancelled'),
      ('replied', f.replied_at, '', f.replied_at is not null)
    ) as s(metric, at, reason, is_so)
    where s.is_so
    group by 1, 2, 3, 4, 5, 6
    having sum(f.count) <> 0
  ) as c
  group by 1, 2, 3, 4, 5;
  return null;
end
$$;
revoke execute on function outbound.record_history from public;
