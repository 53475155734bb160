-- Returns since when the platform has not responded to a sender; null while it responds. An outage has begun once the
-- breaker is open, so that one lost connection is none. It is over as well when nothing has been tried for
-- outage_ends_after(): refilled_at is when it last was, and the claim that tries next begins the count anew.
create function outbound.outage_since(p_state outbound.sender_rate_state)
returns timestamptz
language sql stable security invoker set search_path = ''
as $$
  select case when p_state.failures >= outbound.breaker_threshold()
    and p_state.refilled_at > now() - outbound.outage_ends_after() then p_state.unreachable_since end
$$;
revoke execute on function outbound.outage_since from public;
