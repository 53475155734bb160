-- Counts marketing messages that are about to leave against their companies' frequency caps. A message is over a cap
-- when its person was sent cap.max others of the cap's channel on the last cap.days days, today included; it is then
-- not counted. A message is counted once, however often it is tried, on the day of its last attempt. What may have been
-- received counts: messages that left or are leaving (sending, unconfirmed, sent, delivered, read), and those with an
-- attempt of unknown outcome, whatever became of them. One that failed or was refused for now does not.
-- p_sends: [{company_id, notification_id, number, user_id, channel, day, caps}, …], with the day in the person's zone,
-- and caps as is_over_cap takes them.
-- Returns one row per message: ord (from 1), and whether it is over a cap.
--
-- Exact at any number of dispatchers: all addresses of all its persons are locked first, in order, until the
-- transaction ends. Call it in a transaction of its own. Read committed, each query sees what was committed before it.
create function outbound.use_frequency_cap(p_sends jsonb)
returns table (ord int, is_over boolean)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_send record;
begin
  perform pg_advisory_xact_lock(known.lock) from (
    select distinct hashtextextended(s.company_id || address, 0) as lock
    from jsonb_to_recordset(p_sends) as s(company_id uuid, number text, user_id text)
    cross join unnest(outbound.addresses_of(s.company_id, s.number, s.user_id)) as address
    order by lock
  ) as known;

  for v_send in
    select s.*, outbound.addresses_of(s.company_id, s.number, s.user_id) as addresses
    from rows from (
      jsonb_to_recordset(p_sends) as (
        company_id uuid, notification_id uuid, number text, user_id text, channel text, day date, caps jsonb
      )
    ) with ordinality as s(company_id, notification_id, number, user_id, channel, day, caps, ord)
    order by s.ord
  loop
    ord := v_send.ord;
    is_over := outbound.is_over_cap(
      v_send.company_id, v_send.notification_id, v_send.addresses, v_send.channel, v_send.day, v_send.caps
    );
    if is_over then
      delete from outbound.marketing_sends as m
      where m.company_id = v_send.company_id and m.address = any (v_send.addresses)
        and m.notification_id = v_send.notification_id
        and not outbound.has_unknown_attempt(v_send.company_id, v_send.notification_id);
    else
      insert into outbound.marketing_sends (company_id, address, notification_id, channel, day, at)
      select v_send.company_id, address, v_send.notification_id, v_send.channel, v_send.day, now()
      from unnest(v_send.addresses) as address
      on conflict on constraint marketing_sends_pkey do update set day = excluded.day, at = excluded.at;
    end if;
    return next;
  end loop;
end
$$;
revoke execute on function outbound.use_frequency_cap from public;
