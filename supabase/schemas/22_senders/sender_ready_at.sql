-- Returns when the sender itself may send: its bucket holds a message again, it has rested, it has a free line.
-- infinity while it is stopped, over budget, or all its lines are taken. A bucket fills for 25 ms, so that a fast sender is claimed
-- for a few messages at a time and not for each one. The queue does not matter here.
create function outbound.sender_ready_at(p_state outbound.sender_rate_state, p_sender outbound.senders)
returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  v_throttle double precision := case when p_state.throttled_at is null then 1
    else outbound.current_throttle(p_state) end;
  v_ready_at timestamptz := p_state.refilled_at;
begin
  if p_sender.status <> 'active' or p_sender.over_budget then
    return 'infinity'::timestamptz;
  end if;
  if p_sender.channel = 'voice' then
    if outbound.free_lines(p_state, p_sender.concurrency) = 0 then
      -- A transaction that ends a call plans the turn again. Time alone frees a line only when it lifts the throttle.
      v_ready_at := case when v_throttle < 1 then p_state.throttled_at + interval '30 seconds'
        * (1 + floor(extract(epoch from now() - p_state.throttled_at) / 30)) else 'infinity'::timestamptz end;
    end if;
  elsif p_state.tokens < 1 then
    v_ready_at := p_state.refilled_at
      + make_interval(secs => greatest(0.025, (1 - p_state.tokens) / (p_sender.rate_per_second * v_throttle)));
  end if;
  return greatest(v_ready_at, p_state.blocked_until);
end
$$;
revoke execute on function outbound.sender_ready_at from public;
