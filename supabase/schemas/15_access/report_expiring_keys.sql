-- Writes key.expiring for keys that end soon, for up to p_limit of those that are due, the oldest first, and plans their
-- next warning. Returns how many.
create function outbound.report_expiring_keys(p_limit int)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_key record;
  v_count int := 0;
begin
  for v_key in
    select k.company_id, k.id, k.name, k.expires_at from outbound.api_keys as k
    where k.warn_at <= now() order by k.warn_at limit p_limit for no key update skip locked
  loop
    update outbound.api_keys as k set warn_at = outbound.next_key_warning(v_key.expires_at)
    where k.company_id = v_key.company_id and k.id = v_key.id;
    if v_key.expires_at > now() then
      v_count := v_count + 1;
      perform outbound.write_event(v_key.company_id, 'key.expiring', now(), json_build_object(
        'company_id', v_key.company_id, 'key_id', v_key.id, 'name', v_key.name,
        'expires_at', outbound.iso_time(v_key.expires_at)
      ));
    end if;
  end loop;
  return v_count;
end
$$;
revoke execute on function outbound.report_expiring_keys from public;
