-- Keeps the thread of a person and a sender: a message of either side is its last one, and opens it again. One of the
-- person notifies the member who has the thread.
create function outbound.touch_thread()
returns trigger
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_address text;
  v_thread record;
begin
  -- One look-up per address. The thread may have begun under another one of the person.
  select t.address into v_address
  from unnest(outbound.addresses_of(new.company_id, new.number, new.user_id)) with ordinality as known(address, ord)
  cross join lateral (
    select o.address from outbound.contact_threads as o
    where o.sender_id = new.sender_id and o.address = known.address
      -- Written so that no index on the company matches it: it would read all of the company's threads.
      and case when o.company_id = new.company_id then true end
    offset 0 -- a join, planned while there were few threads, would read all of the sender's
  ) as t
  order by known.ord limit 1;
  insert into outbound.contact_threads as t (
    company_id, sender_id, address, last_message_id, last_message_at, last_direction, last_inbound_at
  )
  values (
    new.company_id, new.sender_id, coalesce(v_address, new.user_id, new.number), new.id, new.at, new.direction,
    case new.direction when 'in' then new.at end
  )
  on conflict on constraint contact_threads_address_key do update
    set status = 'open',
      last_inbound_at = greatest(t.last_inbound_at, excluded.last_inbound_at),
      -- The platform's messages may come in any order.
      (last_message_id, last_message_at, last_direction) = (
        select case when is_later then new.id else t.last_message_id end,
          greatest(t.last_message_at, new.at),
          case when is_later then new.direction else t.last_direction end
        from (select new.at >= t.last_message_at as is_later) as message
      )
  returning t.id, t.assigned_to into v_thread;
  if new.direction = 'in' and v_thread.assigned_to is not null and new.at > now() - interval '10 minutes' then
    perform outbound.notify_members(new.company_id, 'whatsapp', v_thread.id, v_thread.assigned_to);
  end if;
  return null;
end
$$;
revoke execute on function outbound.touch_thread from public;
