set local lock_timeout = '2s';
set check_function_bodies = off;

-- Keys that were made before they had a warning.
update outbound.api_keys as k set warn_at = outbound.next_key_warning(k.expires_at)
where k.is_active and k.expires_at > now() and k.warn_at is null;

-- Keeps the last 1000 bodies of a company.
create or replace function outbound.trim_request_bodies(p_company_id uuid)
returns void
language sql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  delete from outbound.key_request_bodies as b where b.ctid = any (array(
    select o.ctid from outbound.key_request_bodies as o where o.company_id = p_company_id
    order by o.created_at desc offset 1000 for update skip locked
  ))
$$;

revoke execute on function outbound.trim_request_bodies from public;

reset check_function_bodies;
