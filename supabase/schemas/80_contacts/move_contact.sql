-- A person is reached under p_to instead of p_from since p_at: a new number, or a new user id. What is known of the
-- person counts under both, and the contact has both, because the old address may come back late in the platform's events. What waited in the
-- queue on WhatsApp at that time goes to the new address; calls do not, because the platform knows nothing of phone
-- lines. What was accepted later stays: the old number may be another person's by then, and the platform repeats its
-- events for days. move_contacts has locked the notifications.
create function outbound.move_contact(p_company_id uuid, p_from text, p_to text, p_at timestamptz)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_aliases constant text[] := outbound.aliases_of(p_company_id, p_from);
begin
  update outbound.notification_facts as n set number = p_to
  where n.company_id = p_company_id and n.number = any (v_aliases) and not n.voice and n.status is null
    and n.created_at < p_at + interval '1 second' and outbound.is_queued(n.company_id, n.id);
  update outbound.notification_facts as n set user_id = p_to
  where n.company_id = p_company_id and n.user_id = p_from and not n.voice and n.status is null
    and n.created_at < p_at + interval '1 second' and outbound.is_queued(n.company_id, n.id);

  if p_to like '%.%' then
    insert into outbound.user_ids as u (company_id, user_id, number, username, linked_at)
    select p_company_id, p_to, o.number, o.username, case when o.number is null then '-infinity' else p_at end
    from (select p_from as user_id) as former
    left join outbound.user_ids as o on o.company_id = p_company_id and o.user_id = former.user_id
    on conflict on constraint user_ids_pkey do update
      set number = coalesce(u.number, excluded.number), username = coalesce(u.username, excluded.username),
        seen_at = now();
  else
    update outbound.user_ids as u set number = p_to, seen_at = now(), linked_at = p_at
    where u.company_id = p_company_id and u.number = p_from and u.linked_at <= p_at;
  end if;
  perform outbound.share_between_addresses(p_company_id, array(
    select distinct known.address
    from (values (p_from), (p_to)) as given(given)
    cross join lateral unnest(outbound.addresses_of(
      p_company_id, case when given.given not like '%.%' then given.given end,
      case when given.given like '%.%' then given.given end
    )) as known(address)
    order by known.address
  ));

  update outbound.contact_messages as m
  set number = case when m.number = p_from then p_to else m.number end,
    user_id = case when m.user_id = p_from then p_to else m.user_id end
  where m.company_id = p_company_id and case when m.status = 'queued' then true end
    and m.created_at < p_at + interval '1 second' and (m.number = p_from or m.user_id = p_from);

  perform outbound.lock_people(p_company_id);
  insert into outbound.contact_addresses (company_id, kind, address, contact_id)
  select p_company_id, case when p_to like '%.%' then 'user_id' else 'number' end, p_to, a.contact_id
  from outbound.contact_addresses as a
  where a.company_id = p_company_id and a.address = p_from
    and a.kind = case when p_from like '%.%' then 'user_id' else 'number' end
  on conflict on constraint contact_addresses_pkey do nothing;
end
$$;
revoke execute on function outbound.move_contact from public;

-- Whether a notification may still be claimed.
create function outbound.is_queued(p_company_id uuid, p_id uuid)
returns boolean
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return exists (
    select from outbound.queue as q
    where q.company_id = p_company_id and q.id = p_id and case when q.status = 'queued' then true end
  );
end
$$;
revoke execute on function outbound.is_queued from public;
