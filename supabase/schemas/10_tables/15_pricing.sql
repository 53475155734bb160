-- The prices of messages, as far as they are known.

-- The operator's rate cards. A message costs the rate of its recipient's country that was last in effect when it is sent,
-- or that of '*' where the card does not name the country.
create table outbound.rates (
  -- A country by ISO 3166-1, or * for the rest of the world.
  market text not null,
  -- As the platform writes it in its events: marketing, utility, authentication, service …
  category text not null,
  -- By ISO 4217.
  currency text not null,
  effective_from date not null,
  -- Per delivered message.
  rate numeric(12, 6) not null,
  imported_at timestamptz not null default now(),
  constraint rates_pkey primary key (market, category, currency, effective_from),
  constraint rates_market_check check (market ~ '^([A-Z]{2}|\*)$'),
  constraint rates_category_check check (category ~ '^[a-z_]{1,40}$'),
  constraint rates_currency_check check (currency ~ '^[A-Z]{3}$'),
  constraint rates_rate_check check (rate >= 0)
);
alter table outbound.rates enable row level security;

-- How many delivered messages of a campaign the platform priced how. Each message counts once.
create table outbound.campaign_pricing (
  company_id uuid not null,
  campaign_id uuid not null,
  -- The recipient's, by ISO 3166-1; empty where the number does not show it.
  country text not null,
  category text not null,
  -- regular, free_customer_service, free_entry_point …
  type text not null,
  billable boolean not null,
  messages int not null,
  constraint campaign_pricing_pkey primary key (company_id, campaign_id, country, category, type, billable),
  constraint campaign_pricing_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
) with (fillfactor = 70);
alter table outbound.campaign_pricing enable row level security;
