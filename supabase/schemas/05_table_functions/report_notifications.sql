-- Writes the events of notifications that an update of their facts moves. A statement trigger, so that no function that
-- moves notifications has to write events. Its cost for a company without a webhook could not be measured (claim and
-- finish of 10,000 rows).
--
-- Old and new rows are paired by grouping, not by a join: the plan is made for the first statement's few rows and
-- kept, and would then compare each of ten thousand rows with every other.
create function outbound.report_notifications()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  v_listening uuid[];
  v_companies uuid[];
  v_ids uuid[];
  v_was text[];
begin
  select array_agg(w.company_id) into v_listening
  from (
    select distinct n.company_id from new_rows as n where n.status in ('sent', 'delivered', 'read', 'failed', 'skipped')
  ) as moved
  join outbound.endpoints as w on w.company_id = moved.company_id and w.is_active;
  if v_listening is null then
    return null;
  end if;
  select array_agg(changed.company_id), array_agg(changed.id), array_agg(changed.was)
  into v_companies, v_ids, v_was
  from (
    select r.company_id, r.id, max(r.was) as was
    from (
      select o.company_id, o.id, coalesce(o.status, 'queued') as was, null as becomes from old_rows as o
      where o.company_id = any (v_listening)
      union all
      select n.company_id, n.id, null, n.status from new_rows as n where n.company_id = any (v_listening)
    ) as r
    group by r.company_id, r.id
    having max(r.was) <> max(r.becomes) and max(r.becomes) in ('sent', 'delivered', 'read', 'failed', 'skipped')
  ) as changed;
  if v_ids is not null then
    perform outbound.write_notification_events(v_companies, v_ids, v_was);
  end if;
  return null;
end
$$;
revoke execute on function outbound.report_notifications from public;
