-- Returns whether a marketing message to the person with these addresses is over one of p_caps, [{channel, max, days,
-- since}, …]: the person may have received cap.max others of the cap's channel on the last cap.days days before p_day, that
-- day included. since: when the first of these days began in the zone of p_day. A person's number and user id may name zones
-- with different dates: a message counts by the date that it had in its own zone, and by the one that it has in this zone.
-- p_notification_id: the message itself, which does not count; null for one that is not stored.
create function outbound.is_over_cap(
  p_company_id uuid, p_notification_id uuid, p_addresses text[], p_channel text, p_day date, p_caps jsonb
)
returns boolean
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return exists (
    select from jsonb_to_recordset(p_caps) as cap(channel text, max int, days int, since timestamptz)
    where cap.channel in ('any', p_channel) and cap.max <= (
      select count(distinct m.notification_id) from unnest(p_addresses) as known(address)
      -- One look-up per address and one per message, whatever the statistics say. The offset keeps the condition on
      -- the day out of the first one: the index of days would read the messages of all people.
      cross join lateral (
        select o.company_id, o.notification_id, o.channel, o.day, o.at from outbound.marketing_sends as o
        where o.company_id = p_company_id and o.address = known.address offset 0
      ) as m
      cross join lateral (
        select from outbound.notifications as n
        where n.company_id = m.company_id and n.id = m.notification_id
          and (
            n.status in ('sending', 'unconfirmed', 'sent', 'delivered', 'read') or n.error_code = 'outcome_unknown'
            or outbound.has_unknown_attempt(n.company_id, n.id)
          ) limit 1
      ) as leaving
      where m.notification_id is distinct from p_notification_id
        and (m.day > p_day - cap.days and m.day <= p_day + 1 or m.at >= cap.since)
        and (cap.channel = 'any' or m.channel = cap.channel)
    )
  );
end
$$;
revoke execute on function outbound.is_over_cap from public;
