-- Moves people of every company that holds the number, or has a sender of the account where no number is named.
-- p_moves: [{waba_id, phone_number_id, from, to, at}, …].
create function outbound.move_contacts(p_moves json)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_moves jsonb;
  v_move record;
begin
  select jsonb_agg(to_jsonb(moved)) into v_moves from (
    select distinct s.company_id, m."from", m."to", least(m.at, now()) as at
    from json_to_recordset(p_moves) as m(
      waba_id text, phone_number_id text, "from" text, "to" text, at timestamptz
    )
    cross join lateral (
      select s.company_id from outbound.senders as s
      where s.channel = 'whatsapp' and s.platform_id = m.phone_number_id
      union
      select s.company_id from outbound.senders as s
      where m.phone_number_id is null and s.channel = 'whatsapp' and s.waba_id = m.waba_id
    ) as s
    where m."from" <> m."to"
  ) as moved;

  -- Notifications before contacts, all of them at once and by id, as everywhere.
  perform outbound.lock_queue(array_agg(n.company_id), array_agg(n.id))
  from jsonb_to_recordset(v_moves) as m(company_id uuid, "from" text, at timestamptz)
  cross join lateral (
    select o.* from unnest(outbound.aliases_of(m.company_id, m."from")) as spelt(number)
    join outbound.notification_facts as o on o.company_id = m.company_id and o.number = spelt.number
    union all
    select o.* from outbound.notification_facts as o where o.company_id = m.company_id and o.user_id = m."from"
  ) as n
  where not n.voice and n.status is null and n.created_at < m.at + interval '1 second';

  for v_move in
    select m.* from jsonb_to_recordset(v_moves) as m(company_id uuid, "from" text, "to" text, at timestamptz)
    -- In the order of all their addresses, as everywhere, so that two transactions hardly ever wait for each other.
    order by m.company_id, outbound.addresses_of(
      m.company_id, case when m."from" not like '%.%' then m."from" end, case when m."from" like '%.%' then m."from" end
    ), m.at, m."from"
  loop
    perform outbound.move_contact(v_move.company_id, v_move."from", v_move."to", v_move.at);
  end loop;
end
$$;
revoke execute on function outbound.move_contacts from public;
