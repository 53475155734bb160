set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.companies add column live_company_id uuid;

alter table outbound.companies add constraint companies_live_company_fkey FOREIGN KEY (live_company_id) REFERENCES outbound.companies(id) ON DELETE CASCADE;

alter table outbound.companies add constraint companies_live_company_key UNIQUE (live_company_id);

reset check_function_bodies;
