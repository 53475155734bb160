-- Locks a company's notifications to the given addresses of a person. ids: those; null if others were made meanwhile.
-- retry_after_s: after how long to lock them again, because a message is being sent, or a call is going on; null if
-- none is. A step of erase_person.
create function outbound.lock_notifications_to(
  p_company_id uuid, p_addresses text[], out ids uuid[], out retry_after_s int
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  ids := array(
    select n.id from outbound.notification_facts as n
    where n.company_id = p_company_id and n.number = any (p_addresses)
    union
    select n.id from outbound.notification_facts as n
    where n.company_id = p_company_id and n.user_id = any (p_addresses)
  );
  perform outbound.lock_notifications(array_fill(p_company_id, array[cardinality(ids)]), ids);
  select max(case when n.voice then 30 else 5 end) into retry_after_s
  from outbound.notifications as n
  where n.company_id = p_company_id and n.id = any (ids)
    and (n.status = 'sending' or n.voice and n.status = any (outbound.ongoing_call_states()));
  -- A resend, which locks no key, made one of these while they were being locked.
  if exists (
    select from unnest(p_addresses) as a(address)
    cross join lateral (
      select from outbound.notification_facts as n
      where n.company_id = p_company_id and n.number = a.address and n.id <> all (ids) limit 1
    ) as made
  ) or exists (
    select from unnest(p_addresses) as a(address)
    cross join lateral (
      select from outbound.notification_facts as n
      where n.company_id = p_company_id and n.user_id = a.address and n.id <> all (ids) limit 1
    ) as made
  ) then
    ids := null;
  end if;
end
$$;
revoke execute on function outbound.lock_notifications_to from public;
