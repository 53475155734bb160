-- Adds to campaign_pricing: p_prices is [{company_id, campaign_id, pricing: {country, category, type, billable},
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
end
$$;
revoke execute on function outbound.count_pricing from public;
