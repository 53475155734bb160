-- Returns the first p_limit entries of a contact's timeline before (p_at, p_id), newest first; null: from the newest on.
-- kind, and what its id names: notification (at: when it was accepted), message, chat (a conversation on the website),
-- opt_out (a suppression), consent, change (a row of the audit). Each kind is read by an index in its order, up to a page
-- of each: what lies behind costs nothing.
create function outbound.contact_timeline(
  p_company_id uuid, p_contact_id uuid, p_at timestamptz, p_id uuid, p_limit int
)
returns table (at timestamptz, id uuid, kind text)
language plpgsql stable security invoker set search_path = ''
-- A page: each kind by its index in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
declare
  v_at constant timestamptz := coalesce(p_at, 'infinity');
  v_id constant uuid := coalesce(p_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  -- The ids of notifications begin with their milliseconds: no later one is before (p_at, p_id).
  v_before constant uuid := case when p_at is null then v_id
    else outbound.first_id_at(date_trunc('milliseconds', p_at) + interval '1 millisecond') end;
  v_addresses constant text[] := outbound.addresses_of_contact(p_company_id, p_contact_id);
begin
  return query
  select entry.at, entry.id, entry.kind from (
    select found.* from unnest(v_addresses) as known(address)
    cross join lateral (
      (
        select outbound.time_of_id(n.id) as at, n.id, 'notification' as kind from outbound.notification_facts as n
        where n.company_id = p_company_id and n.number = known.address and n.id < v_before
          and (outbound.time_of_id(n.id), n.id) < (v_at, v_id)
        order by n.id desc limit p_limit
      )
      union all
      (
        select outbound.time_of_id(n.id), n.id, 'notification' from outbound.notification_facts as n
        where n.company_id = p_company_id and n.user_id = known.address and n.id < v_before
          and (outbound.time_of_id(n.id), n.id) < (v_at, v_id)
        order by n.id desc limit p_limit
      )
      union all
      (
        select m.at, m.id, 'message' from outbound.contact_messages as m
        where m.company_id = p_company_id and m.number = known.address and (m.at, m.id) < (v_at, v_id)
        order by m.at desc fetch first p_limit rows with ties
      )
      union all
      (
        select m.at, m.id, 'message' from outbound.contact_messages as m
        where m.company_id = p_company_id and m.user_id = known.address and (m.at, m.id) < (v_at, v_id)
        order by m.at desc fetch first p_limit rows with ties
      )
      union all
      (
        select s.created_at, s.id, 'opt_out' from outbound.suppressions as s
        where s.company_id = p_company_id and s.address = known.address and (s.created_at, s.id) < (v_at, v_id)
        order by s.created_at desc fetch first p_limit rows with ties
      )
      union all
      (
        select c.consented_at, c.id, 'consent' from outbound.consents as c
        where c.company_id = p_company_id and c.address = known.address and (c.consented_at, c.id) < (v_at, v_id)
        order by c.consented_at desc fetch first p_limit rows with ties
      )
    ) as found
    -- A message to a number and a user id at once is found under both.
    union
    (
      select v.created_at, v.id, 'chat' from outbound.conversations as v
      where v.company_id = p_company_id and v.contact_id = p_contact_id and (v.created_at, v.id) < (v_at, v_id)
      order by v.created_at desc fetch first p_limit rows with ties
    )
    union
    (
      select l.at, l.id, 'change' from outbound.audit_log as l
      where l.company_id = p_company_id and l.subject = p_contact_id::text and (l.at, l.id) < (v_at, v_id)
      order by l.at desc fetch first p_limit rows with ties
    )
  ) as entry
  order by entry.at desc, entry.id desc limit p_limit;
end
$$;
revoke execute on function outbound.contact_timeline from public;

-- Returns the numbers and user ids of a contact, with every alias and linked user id.
create function outbound.addresses_of_contact(p_company_id uuid, p_contact_id uuid)
returns text[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    select distinct every.address from (
      select a.kind, a.address from outbound.contact_addresses as a
      where a.company_id = p_company_id and a.contact_id = p_contact_id and a.kind in ('number', 'user_id')
      offset 0 -- each is looked up by itself, also by a plan that was made for an empty table
    ) as a
    cross join lateral unnest(outbound.addresses_of(
      p_company_id, case when a.kind = 'number' then a.address end, case when a.kind = 'user_id' then a.address end
    )) as every(address)
    order by every.address
  );
end
$$;
revoke execute on function outbound.addresses_of_contact from public;

-- Returns when an id of ours was made, which begins with its milliseconds.
create function outbound.time_of_id(p_id uuid)
returns timestamptz
language sql immutable parallel safe security invoker set search_path = ''
return to_timestamp(('x' || substr(replace(p_id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0);
revoke execute on function outbound.time_of_id from public;
