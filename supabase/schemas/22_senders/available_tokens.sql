-- Returns the share of its rate, or of its lines, that a sender may use: halved by the platform's refusals, doubling
-- again with every 30 s without one.
create function outbound.current_throttle(p_state outbound.sender_rate_state)
returns double precision
language sql stable security invoker set search_path = ''
return case when p_state.throttled_at is null then 1 else
  least(1, p_state.throttle * power(2, least(20, floor(extract(epoch from now() - p_state.throttled_at) / 30))))
end;
revoke execute on function outbound.current_throttle from public;

-- Returns the number of messages in a sender's bucket now. A bucket has room for a twentieth of a second's worth: in no
-- second more than 1.05 times the rate leaves, nor more than 1.1 times arrives when the network delay varies.
-- Volatile, as is the clock that it reads.
create function outbound.available_tokens(p_state outbound.sender_rate_state, p_rate int)
returns double precision
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  v_rate double precision := case when p_state.throttled_at is null then p_rate
    else p_rate * outbound.current_throttle(p_state) end;
begin
  return least(
    greatest(1, v_rate / 20),
    p_state.tokens + greatest(0, extract(epoch from clock_timestamp() - p_state.refilled_at)) * v_rate
  );
end
$$;
revoke execute on function outbound.available_tokens from public;
