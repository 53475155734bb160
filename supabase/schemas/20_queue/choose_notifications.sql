-- Chooses up to p_limit notifications for a claim, in rounds: where all that the senders of a round have due is locked,
-- has expired or is being stopped, the next senders are looked at. Puts off calls that repeat a number too early.
-- ids is null when nothing can be claimed. seen: the senders of the last round. idle: those of rounds that found
-- nothing.
create function outbound.choose_notifications(
  p_limit int, p_except uuid[],
  out companies uuid[], out ids uuid[], out has_calls boolean, out seen_companies uuid[], out seen_senders uuid[],
  out idle_companies uuid[], out idle_senders uuid[]
)
language plpgsql security invoker set search_path = ''
as $$
declare
  -- Enough to fill the claim without keeping all others from a claim that runs at the same time.
  v_max_senders constant int := least(64, greatest(16, p_limit / 16));
begin
  idle_companies := '{}'::uuid[];
  idle_senders := '{}'::uuid[];
  for v_round in 1..10 loop
    select p.* into seen_companies, seen_senders, companies, ids, has_calls
    from outbound.pick_due_notifications(p_limit, v_max_senders, p_except, idle_senders) as p;
    if has_calls then
      select d.companies, d.ids into companies, ids from outbound.defer_repeat_calls(companies, ids) as d;
    end if;
    exit when ids is not null or seen_senders is null;
    -- Calls that were only deferred leave room for others of the same sender.
    if has_calls is not true then
      idle_companies := idle_companies || seen_companies;
      idle_senders := idle_senders || seen_senders;
    end if;
  end loop;
end
$$;
revoke execute on function outbound.choose_notifications from public;
