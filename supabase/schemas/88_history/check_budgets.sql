-- Compares what companies have spent this month with their budgets: those of which nothing is known for a minute, or
-- that of p_company_id. Lets their senders wait, or leave again: when the limit is raised, or the month is over. Returns
-- how many it checked.
create function outbound.check_budgets(p_company_id uuid default null, p_limit int default 100)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_month constant timestamptz := date_trunc('month', now(), 'UTC');
  v_budget outbound.budgets;
  v_spent numeric;
  v_is_new boolean;
  v_is_warned boolean;
  v_is_reached boolean;
  v_count int := 0;
begin
  for v_budget in
    select b.* from outbound.budgets as b
    where b.checked_at < case when p_company_id is null then now() - interval '1 minute' else 'infinity' end
      and (p_company_id is null or b.company_id = p_company_id)
    order by b.checked_at limit p_limit for no key update skip locked
  loop
    v_count := v_count + 1;
    v_is_new := v_budget.month <> (v_month at time zone 'UTC')::date;
    v_spent := outbound.cost_since(v_budget.company_id, v_month, v_budget.currency);
    v_is_warned := coalesce(v_spent >= v_budget.warn_amount, false);
    v_is_reached := coalesce(v_spent >= v_budget.limit_amount, false);
    update outbound.budgets as b
    set month = (v_month at time zone 'UTC')::date, spent = v_spent, checked_at = now(),
      warned_at = case when v_is_warned then coalesce(case when not v_is_new then b.warned_at end, now()) end,
      reached_at = case when v_is_reached then coalesce(case when not v_is_new then b.reached_at end, now()) end
    where b.company_id = v_budget.company_id;
    if v_is_warned and (v_is_new or v_budget.warned_at is null) then
      perform outbound.write_audit(v_budget.company_id, 'platform', 'budget.warned', null, null,
        jsonb_build_object('spent', v_spent, 'currency', v_budget.currency), null);
    end if;
    if v_is_reached and (v_is_new or v_budget.reached_at is null) then
      perform outbound.write_audit(v_budget.company_id, 'platform', 'budget.reached', null, null,
        jsonb_build_object('spent', v_spent, 'currency', v_budget.currency), null);
    end if;
    perform outbound.hold_senders_over_budget(v_budget.company_id, v_is_reached);
  end loop;
  return v_count;
end
$$;
revoke execute on function outbound.check_budgets from public;

-- Marks the numbers of a company that send messages as over budget, or not: its calls have no known cost. Those that
-- are marked so already stay as they are.
create function outbound.hold_senders_over_budget(p_company_id uuid, p_is_over boolean)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  perform from outbound.senders as s
  where s.company_id = p_company_id and s.channel = 'whatsapp' and (s.over_budget is true) <> p_is_over
  order by s.id for no key update;
  update outbound.senders as s set over_budget = nullif(p_is_over, false)
  where s.company_id = p_company_id and s.channel = 'whatsapp' and (s.over_budget is true) <> p_is_over;
end
$$;
revoke execute on function outbound.hold_senders_over_budget from public;

-- Returns what a company's messages cost since p_from, by the rates in p_currency of the days on which they were priced.
create function outbound.cost_since(p_company_id uuid, p_from timestamptz, p_currency text)
returns numeric
language sql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  with priced as materialized (
    select h.area as country, h.reason as category, (h.hour at time zone 'UTC')::date as day, sum(h.priced) as messages
    from outbound.history as h
    where h.company_id = p_company_id and h.hour >= p_from and h.priced <> 0 group by 1, 2, 3
  )
  select coalesce(sum(p.messages * r.rate), 0)
  from (
    select c.category, c.day, array_agg(c.country) as countries from priced as c group by 1, 2
  ) as asked
  cross join lateral outbound.rates_of(asked.countries, asked.category, p_currency, asked.day) as r
  join priced as p on p.category = asked.category and p.day = asked.day and p.country = r.country
$$;
revoke execute on function outbound.cost_since from public;
