-- Counts the requests p_stored of a batch, and their notifications, for the keys that they came with. p_companies to
-- p_sizes: as check_requests returns them. A step of accept_notifications, which has locked the keys.
create function outbound.count_usage(
  p_stored int[], p_companies uuid[], p_api_keys uuid[], p_are_metered boolean[], p_sizes int[]
)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  update outbound.usage as u
  set requests = u.requests + g.requests, day_requests = u.day_requests + g.requests,
    notifications = u.notifications + g.notifications
  from (
    select p_companies[s.ord] as company_id, p_api_keys[s.ord] as api_key_id,
      count(*) filter (where p_are_metered[s.ord])::int as requests, sum(p_sizes[s.ord])::int as notifications
    from unnest(p_stored) as s(ord) group by 1, 2
  ) as g
  where u.company_id = g.company_id and u.api_key_id = g.api_key_id and u.day = (now() at time zone 'UTC')::date;
end
$$;
revoke execute on function outbound.count_usage from public;
