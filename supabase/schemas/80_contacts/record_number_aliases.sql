-- Records the numbers that the platform writes in another way than the company. What is known under one alias is then
-- known under all. p_aliases: [{company_id, number, platform_number}, …].
create function outbound.record_number_aliases(p_aliases json)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_alias record;
begin
  for v_alias in
    insert into outbound.number_aliases as s (company_id, number, platform_number)
    select distinct on (o.company_id, o.number) o.company_id, o.number, o.platform_number
    from json_to_recordset(p_aliases) as o(company_id uuid, number text, platform_number text)
    order by o.company_id, o.number
    on conflict on constraint number_aliases_pkey do update set platform_number = excluded.platform_number
      where s.platform_number <> excluded.platform_number
    returning s.company_id, s.number
  loop
    perform outbound.share_between_addresses(
      v_alias.company_id, outbound.addresses_of(v_alias.company_id, v_alias.number, null));
  end loop;
end
$$;
revoke execute on function outbound.record_number_aliases from public;
