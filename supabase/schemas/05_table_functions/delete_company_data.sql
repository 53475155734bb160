-- Deletes the campaigns, notifications and attempts of a deleted company. They have no foreign keys:
-- accept_notifications writes a campaign together with its notifications, of a company whose key it has locked, and
-- checking that again for each row took a third of its time. The schedule of its files has none either.
create function outbound.delete_company_data()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  delete from outbound.delivery_attempts as a where a.company_id = old.id;
  delete from outbound.queue as q where q.company_id = old.id;
  delete from outbound.history_changes as c where c.company_id = old.id;
  delete from outbound.notification_facts as n where n.company_id = old.id;
  delete from outbound.bulk_campaigns as b where b.company_id = old.id;
  delete from outbound.campaigns as g where g.company_id = old.id;
  delete from outbound.received_media_schedule as r where r.company_id = old.id;
  return null;
end
$$;
revoke execute on function outbound.delete_company_data from public;
