-- Returns the platforms that respond to none of the attempts of some sender: since when, to how many senders, and when
-- the next one is tried.
create function outbound.platform_outages()
returns table (channel text, since timestamptz, senders int, next_try_at timestamptz)
language sql stable security invoker set search_path = ''
as $$
  select s.channel, min(p.unreachable_since), count(*)::int, min(p.blocked_until)
  from outbound.sender_rate_state as p
  join outbound.senders as s on s.company_id = p.company_id and s.id = p.sender_id
  where p.unreachable_since is not null and outbound.outage_since(p) is not null and s.status = 'active'
  group by s.channel
$$;
revoke execute on function outbound.platform_outages from public;
