-- Returns how many more calls a voice sender may have going on. A call occupies a line from its claim until it is
-- known to be over, or fail_endless_calls fails it. Only its state says so, so no line can get lost. Volatile, so
-- that it counts the calls as they are after the sender's row was locked, those of the claim before included.
create function outbound.free_lines(p_state outbound.sender_rate_state, p_concurrency int)
returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  v_going_on int;
begin
  select count(*) into v_going_on from outbound.ongoing_calls as k where k.sender_id = p_state.sender_id;
  return greatest(0, greatest(1, floor(p_concurrency * outbound.current_throttle(p_state)))::int - v_going_on);
end
$$;
revoke execute on function outbound.free_lines from public;
