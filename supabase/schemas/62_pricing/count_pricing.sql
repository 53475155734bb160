-- Adds to campaign_pricing, and to the history what the platform charges for: p_prices is [{company_id, campaign_id, pricing: {country, category, type, billable},
-- messages}, …]. In the order of the campaigns, and of one campaign's rows, so that two at once cannot deadlock.
create function outbound.count_pricing(p_prices jsonb)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.campaign_pricing as c (
    company_id, campaign_id, country, category, type, billable, messages
  )
  select p.company_id, p.campaign_id, f.country, f.category, f.type, f.billable, sum(p.messages)
  from jsonb_to_recordset(p_prices) as p(company_id uuid, campaign_id uuid, pricing jsonb, messages int)
  cross join lateral jsonb_to_record(p.pricing) as f(country text, category text, type text, billable boolean)
  group by 1, 2, 3, 4, 5, 6
  order by 2, 3, 4, 5, 6
  on conflict on constraint campaign_pricing_pkey do update set messages = c.messages + excluded.messages;

  insert into outbound.history_changes (company_id, at, area, metric, reason, campaign_ids, counts)
  select p.company_id, now(), f.country, 'priced', f.category, array_agg(p.campaign_id), array_agg(p.messages)
  from jsonb_to_recordset(p_prices) as p(company_id uuid, campaign_id uuid, pricing jsonb, messages int)
  cross join lateral jsonb_to_record(p.pricing) as f(country text, category text, billable boolean)
  where f.billable group by 1, 3, 5;
end
$$;
revoke execute on function outbound.count_pricing from public;
