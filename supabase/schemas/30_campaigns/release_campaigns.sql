-- Releases the given campaigns of a template that is approved again. Those that are paused as well stay held until
-- they are resumed.
create function outbound.release_campaigns(p_company_id uuid, p_campaign_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_free uuid[];
begin
  loop
    begin
      v_free := array(
        select g.id from outbound.campaigns as g
        where g.company_id = p_company_id and g.id = any (p_campaign_ids) and g.paused_at is null
      );
      perform outbound.release_held(p_company_id, v_free);

      perform from outbound.campaigns as g
      where g.company_id = p_company_id and g.id = any (p_campaign_ids) order by g.id for no key update;
      if exists (
        select 1 from outbound.campaigns as g
        where g.company_id = p_company_id and g.id = any (v_free) and g.paused_at is not null
      ) then
        raise exception 'a campaign was paused meanwhile' using errcode = 'OB001';
      end if;
      update outbound.campaigns as g set held_reason = null
      where g.company_id = p_company_id and g.id = any (p_campaign_ids);

      perform outbound.release_late_holds(p_company_id, array(
        select g.id from outbound.campaigns as g
        where g.company_id = p_company_id and g.id = any (p_campaign_ids) and g.paused_at is null
      ));
      perform outbound.schedule_senders(array_agg(g.company_id), array_agg(g.sender_id), true)
      from outbound.campaigns as g where g.company_id = p_company_id and g.id = any (p_campaign_ids);
      return;
    exception when sqlstate 'OB001' then
      null;
    end;
  end loop;
end
$$;
revoke execute on function outbound.release_campaigns from public;
