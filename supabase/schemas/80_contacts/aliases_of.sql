-- Returns every known alias of a number, with the number itself.
create function outbound.aliases_of(p_company_id uuid, p_number text)
returns text[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_platform_number constant text := coalesce((
    select s.platform_number from outbound.number_aliases as s where s.company_id = p_company_id and s.number = p_number
  ), p_number);
begin
  return array(
    select v_platform_number
    union
    select p_number
    union
    select s.number from outbound.number_aliases as s
    where s.company_id = p_company_id and s.platform_number = v_platform_number
  );
end
$$;
revoke execute on function outbound.aliases_of from public;
