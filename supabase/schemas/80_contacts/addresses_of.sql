-- Returns every known address of a person, in their order: those given, those that user_ids links to them, and every
-- alias of the numbers.
create function outbound.addresses_of(p_company_id uuid, p_number text, p_user_id text)
returns text[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_numbers text[];
begin
  select array_agg(distinct spelt.number) into v_numbers
  from (
    select p_number as number
    union all
    select u.number from outbound.user_ids as u where u.company_id = p_company_id and u.user_id = p_user_id
  ) as known
  cross join lateral unnest(outbound.aliases_of(p_company_id, known.number)) as spelt(number)
  where known.number is not null;
  return array(
    select address from (
      select unnest(v_numbers) as address
      union
      select p_user_id where p_user_id is not null
      union
      select u.user_id from unnest(v_numbers) as known(number)
      cross join lateral (
        select o.user_id from outbound.user_ids as o where o.company_id = p_company_id and o.number = known.number
        offset 0 -- one look-up per number, also by a plan that was made for an empty table
      ) as u
    ) as known
    order by address
  );
end
$$;
revoke execute on function outbound.addresses_of from public;
