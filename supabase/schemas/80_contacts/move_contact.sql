-- A person is reached under p_to instead of p_from from now on: a new number, or a new user id. Suppressions, consents
-- and rests count for both, because the old address may come back late in the platform's events. What waits in the
-- queue on WhatsApp goes to the new address; calls do not, because the platform knows nothing of phone lines.
create function outbound.move_contact(p_company_id uuid, p_from text, p_to text)
returns void
language plpgsql security invoker set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
begin
  if p_from = p_to then
    return;
  end if;
  -- Notifications before contacts, and by id, as everywhere.
  with locked as (
    select n.company_id, n.id from outbound.notifications as n
    where n.company_id = p_company_id and n.number = p_from and not n.voice
      and n.queue_status in ('scheduled', 'queued')
    order by n.id for no key update
  )
  update outbound.notifications as n set number = p_to
  from locked where n.company_id = locked.company_id and n.id = locked.id;
  with locked as (
    select n.company_id, n.id from outbound.notifications as n
    where n.company_id = p_company_id and n.user_id = p_from and not n.voice
      and n.queue_status in ('scheduled', 'queued')
    order by n.id for no key update
  )
  update outbound.notifications as n set user_id = p_to
  from locked where n.company_id = locked.company_id and n.id = locked.id;

  if p_to like '%.%' then
    insert into outbound.user_ids as u (company_id, user_id, number, username)
    select p_company_id, p_to, o.number, o.username from (select p_from as user_id) as former
    left join outbound.user_ids as o on o.company_id = p_company_id and o.user_id = former.user_id
    on conflict on constraint user_ids_pkey do update
      set number = coalesce(u.number, excluded.number), username = coalesce(u.username, excluded.username),
        seen_at = now();
  else
    update outbound.user_ids as u set number = p_to, seen_at = now()
    where u.company_id = p_company_id and u.number = p_from;
  end if;
  perform outbound.copy_contact(p_company_id, p_from, p_to);

  update outbound.contact_messages as m
  set number = case when m.number = p_from then p_to else m.number end,
    user_id = case when m.user_id = p_from then p_to else m.user_id end
  where m.company_id = p_company_id and m.status = 'queued' and (m.number = p_from or m.user_id = p_from);
end
$$;
revoke execute on function outbound.move_contact from public;

-- Moves people of every company that holds the number, or has a sender of the account where no number is named.
-- p_moves: [{account_id, phone_number_id, from, to, at}, …].
create function outbound.move_contacts(p_moves json)
returns void
language plpgsql security invoker set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  v_move record;
begin
  for v_move in
    select distinct s.company_id, m."from", m."to", m.at
    from json_to_recordset(p_moves) as m(
      account_id text, phone_number_id text, "from" text, "to" text, at timestamptz
    )
    cross join lateral (
      select s.company_id from outbound.senders as s
      where s.channel = 'whatsapp' and s.provider_id = m.phone_number_id
      union
      select s.company_id from outbound.senders as s
      where m.phone_number_id is null and s.channel = 'whatsapp' and s.waba_id = m.account_id
    ) as s
    order by s.company_id, m.at, m."from"
  loop
    perform outbound.move_contact(v_move.company_id, v_move."from", v_move."to");
  end loop;
end
$$;
revoke execute on function outbound.move_contacts from public;

-- Records which user ids belong to which numbers, as the platform's receipts show them.
-- p_links: [{company_id, user_id, number}, …]. Those of a company that is not ours are passed over.
create function outbound.link_user_ids(p_links json)
returns void
language plpgsql security invoker set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  v_link record;
begin
  for v_link in
    select distinct l.company_id, l.user_id, l.number
    from json_to_recordset(p_links) as l(company_id uuid, user_id text, number text)
    join outbound.companies as c on c.id = l.company_id
    order by l.company_id, l.number, l.user_id
  loop
    perform outbound.link_user_id(v_link.company_id, v_link.user_id, v_link.number, null);
  end loop;
end
$$;
revoke execute on function outbound.link_user_ids from public;
