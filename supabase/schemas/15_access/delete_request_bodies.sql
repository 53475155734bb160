-- Deletes the bodies of the requests of a company's keys, which may name a person who is erased. A body that is on its way
-- to the table is not stored any more, nor is one of a request that ends within ten seconds: it may have begun before, and
-- clocks differ. They are few: trim_request_bodies sees to it.
create function outbound.delete_request_bodies(p_company_id uuid)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  update outbound.recorded_bodies as r set since = clock_timestamp() + interval '10 seconds' where r.company_id = p_company_id;
  delete from outbound.key_request_bodies as b where b.company_id = p_company_id;
end
$$;
revoke execute on function outbound.delete_request_bodies from public;

-- Keeps the last 1000 bodies of a company.
create function outbound.trim_request_bodies(p_company_id uuid)
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
