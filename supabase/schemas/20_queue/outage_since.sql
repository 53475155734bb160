-- Returns since when the platform has not responded to a sender; null while it responds. An outage has begun once the
-- breaker is open, so that one lost connection is none. It is over as well when nothing has been tried for two minutes:
-- the sender has nothing left to send.
create function outbound.outage_since(p_state outbound.sender_rate_state)
returns timestamptz
language sql stable security invoker set search_path = ''
as $$
  select case when p_state.failures >= outbound.breaker_threshold()
    and p_state.blocked_until > now() - interval '2 minutes' then p_state.unreachable_since end
$$;
revoke execute on function outbound.outage_since from public;
