-- Returns the rate of each country for a category on a day, in p_currency: that of the country itself, else that of '*'.
-- A category that the card does not name has none, but for marketing_lite, which is marketing by another endpoint. No row
-- for a country without a rate. p_countries: by ISO 3166-1; empty for an unknown country, which has that of '*' too.
create function outbound.rates_of(p_countries text[], p_category text, p_currency text, p_day date)
returns table (country text, rate numeric)
language sql stable security invoker set search_path = ''
as $$
  select asked.country, found.rate
  from (select distinct unnest(p_countries) as country) as asked
  cross join lateral (
    select r.rate from outbound.rates as r
    where r.market in (asked.country, '*') and r.currency = p_currency and r.effective_from <= p_day
      and r.category in (p_category, case p_category when 'marketing_lite' then 'marketing' end)
    order by r.market = '*', r.category = p_category desc, r.effective_from desc limit 1
  ) as found
$$;
revoke execute on function outbound.rates_of from public;
