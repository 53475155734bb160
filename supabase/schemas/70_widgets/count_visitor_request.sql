-- Counts a request against each subject. A refused request does not count further, so that a caller that keeps trying
-- is let in when the window ends. wait_s: seconds to wait, 0 when it may go on. reached: the limit that was reached.
create function outbound.count_visitor_request(
  p_subjects text[], p_limits int[], p_window interval, out wait_s int, out reached int
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_row record;
begin
  wait_s := 0;
  for v_row in
    insert into outbound.visitor_requests as r (subject, window_start, requests)
    select s.subject, now(), 1 from unnest(p_subjects, p_limits) as s(subject, most) order by s.subject
    on conflict (subject) do update set
      requests = case when outbound.is_window_over(r.window_start, p_window) then 1
        else least(r.requests, p_limits[array_position(p_subjects, r.subject)]) + 1 end,
      window_start = case when outbound.is_window_over(r.window_start, p_window) then now() else r.window_start end
    returning r.requests, outbound.seconds_until(r.window_start + p_window) as ends_s,
      p_limits[array_position(p_subjects, r.subject)] as most
  loop
    if v_row.requests > v_row.most and v_row.ends_s > wait_s then
      wait_s := v_row.ends_s;
      reached := v_row.most;
    end if;
  end loop;
end
$$;
revoke execute on function outbound.count_visitor_request from public;
