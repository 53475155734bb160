-- Makes the test company of a live company if there is none, and refreshes it. p_daily_quota: how many notifications its
-- keys together may queue per UTC day. Returns it, and whether it is new; no row where the company is itself a test company,
-- or is gone.
create function outbound.open_test_company(p_live_company_id uuid, p_daily_quota int)
returns table (company_id uuid, name text, daily_quota int, is_new boolean)
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.companies (name, api_access, daily_quota_ceiling, live_company_id)
  select left(c.name, 193) || ' (test)', c.api_access, p_daily_quota, c.id
  from outbound.companies as c where c.id = p_live_company_id and c.live_company_id is null
  on conflict on constraint companies_live_company_key do nothing;
  is_new := found;
  perform outbound.refresh_test_company(p_live_company_id);
  return query select c.id, c.name, c.daily_quota_ceiling, is_new
  from outbound.companies as c where c.live_company_id = p_live_company_id;
end
$$;
revoke execute on function outbound.open_test_company from public;
