-- Records which user ids belong to which numbers, as the platform's receipts show them.
-- p_links: [{company_id, id, user_id, number, at}, …]; id: that of the notification or of the reply that the receipt is
-- about. Passes over those of no message of ours, and of one whose recipient was erased. One statement for all, because
-- each person's first message brings a link; only few people have anything to share between their addresses.
create function outbound.link_user_ids(p_links json)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_person record;
begin
  for v_person in
    with link as (
      select l.company_id, l.user_id, (array_agg(l.number order by l.at desc))[1] as number,
        max(least(l.at, now())) as at
      from json_to_recordset(p_links) as l(company_id uuid, id uuid, user_id text, number text, at timestamptz)
      where exists (
        select from outbound.notification_facts as n
        where n.company_id = l.company_id and n.id = l.id and num_nonnulls(n.number, n.user_id) > 0
      ) or exists (
        select from outbound.contact_messages as m
        where m.company_id = l.company_id and m.id = l.id and num_nonnulls(m.number, m.user_id) > 0
      )
      group by l.company_id, l.user_id
    ),
    written as (
      insert into outbound.user_ids as u (company_id, user_id, number, linked_at)
      select l.company_id, l.user_id, l.number, l.at from link as l order by l.company_id, l.user_id
      on conflict on constraint user_ids_pkey do update
        set number = excluded.number, linked_at = excluded.linked_at, seen_at = now()
        where u.number is distinct from excluded.number and u.linked_at <= excluded.linked_at
      returning u.company_id, u.user_id, u.number
    )
    select w.company_id, w.user_id, w.number from written as w
    where exists (
      select from (values (w.user_id), (w.number)) as known(address)
      where exists (
        select from outbound.suppressions as s where s.company_id = w.company_id and s.address = known.address
      ) or exists (
        select from outbound.consents as c where c.company_id = w.company_id and c.address = known.address
      ) or exists (
        select from outbound.marketing_cooldowns as r where r.company_id = w.company_id and r.address = known.address
      ) or exists (
        select from outbound.marketing_sends as m where m.company_id = w.company_id and m.address = known.address
      )
    ) or exists (
      select from outbound.user_ids as o
      where o.company_id = w.company_id and o.number = w.number and o.user_id <> w.user_id
    )
    order by w.company_id, w.number, w.user_id
  loop
    perform outbound.share_between_addresses(
      v_person.company_id, outbound.addresses_of(v_person.company_id, v_person.number, v_person.user_id));
  end loop;
end
$$;
revoke execute on function outbound.link_user_ids from public;
