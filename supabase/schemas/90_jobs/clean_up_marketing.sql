-- Deletes what rules for marketing to a person remember: cooldowns that are over, and sends that no frequency cap
-- counts any more. A step of clean_up.
create function outbound.clean_up_marketing(p_limit int)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_marketing_cooldowns int;
  v_marketing_sends int;
begin
  delete from outbound.marketing_cooldowns as r where r.ctid = any (array(
    select o.ctid from outbound.marketing_cooldowns as o where o.until < now()
    order by o.until limit p_limit for update skip locked));
  get diagnostics v_marketing_cooldowns = row_count;

  -- A frequency cap looks back 30 days, in the zone of the person.
  delete from outbound.marketing_sends as s where s.ctid = any (array(
    select o.ctid from outbound.marketing_sends as o where o.day < (now() at time zone 'UTC')::date - 35
    order by o.day limit p_limit for update skip locked));
  get diagnostics v_marketing_sends = row_count;

  return jsonb_build_object('marketing_cooldowns', v_marketing_cooldowns, 'marketing_sends', v_marketing_sends);
end
$$;
revoke execute on function outbound.clean_up_marketing from public;
