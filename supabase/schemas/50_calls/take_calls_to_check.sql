-- Hands out up to p_limit calls whose end was not reported, each to one caller: after p_after, then after two, four …
-- fifteen times as long. Calls that may never have been made are handed out every 15 seconds at most, again and again.
-- Calls that are over leave the list here.
create function outbound.take_calls_to_check(p_limit int, p_after interval)
returns table (company_id uuid, id uuid, fence int, conversation_id text, sender_id uuid, token_sealed text)
-- Without statistics all calls ever made would be read for the few that are to be checked.
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_companies uuid[];
  v_ids uuid[];
begin
  select array_agg(due.company_id), array_agg(due.notification_id) into v_companies, v_ids
  from (
    select k.company_id, k.notification_id
    from outbound.calls as k
    cross join lateral (
      select w.status from outbound.notifications as w
      where w.company_id = k.company_id and w.id = k.notification_id
    ) as n
    where k.check_at <= now() - least(p_after, interval '15 seconds')
      and n.status <> 'sending' and (n.status <> 'sent' or k.check_at <= now() - p_after)
    order by k.check_at limit p_limit for update of k skip locked
  ) as due;

  return query
  with going_on as (
    select n.company_id, n.id, n.fence, n.status, n.platform_message_id, n.sender_id, s.token_sealed
    from unnest(v_companies, v_ids) as due(company_id, id)
    cross join lateral (
      select w.* from outbound.notifications as w where w.company_id = due.company_id and w.id = due.id
    ) as n
    join outbound.senders as s on s.company_id = n.company_id and s.id = n.sender_id
  ),
  taken as (
    update outbound.calls as k
    set checks = k.checks + 1,
      check_at = case g.status when 'unconfirmed' then now()
        when 'sent' then now() + p_after * (least(power(2, least(k.checks, 10)), 15) - 1) end
    from going_on as g
    where k.company_id = g.company_id and k.notification_id = g.id
  )
  select g.company_id, g.id, g.fence, g.platform_message_id, g.sender_id, g.token_sealed
  from going_on as g where g.status in ('unconfirmed', 'sent');
end
$$;
revoke execute on function outbound.take_calls_to_check from public;
