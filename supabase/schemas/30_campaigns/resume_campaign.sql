-- Ends a pause and releases what is held, unless its template holds it as well. Overdue ones may leave at once.
-- Returns how many were released, and how many a dispatcher has. Writes the audit of p_actor, if anything changes.
create function outbound.resume_campaign(
  p_company_id uuid, p_campaign_id uuid, p_actor text default null, p_request_id text default null
)
returns table (resumed int, in_flight int)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_free boolean;
  v_stopped boolean;
  v_paused boolean;
begin
  loop
    begin
      select g.held_reason is null into v_free
      from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
      resumed := 0;
      if v_free then
        resumed := outbound.release_held(p_company_id, array[p_campaign_id]);
      end if;

      select g.processing, g.held_reason is not null, g.paused_at is not null into in_flight, v_stopped, v_paused
      from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id for no key update;
      -- Its template was stopped between the two statements above.
      if v_free and v_stopped then
        raise exception 'its template was stopped meanwhile' using errcode = 'OB001';
      end if;
      update outbound.campaigns as g
      set paused_at = null,
        stopping_at = case when g.cancelled_at is not null or exists (
          select from outbound.campaign_moves as m where m.company_id = g.company_id and m.campaign_id = g.id
        ) then g.stopping_at end
      where g.company_id = p_company_id and g.id = p_campaign_id and g.paused_at is not null;

      if not v_stopped then
        resumed := resumed + outbound.release_late_holds(p_company_id, array[p_campaign_id]);
        perform outbound.schedule_senders(array[g.company_id], array[g.sender_id], true)
        from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_campaign_id;
      end if;
      if p_actor is not null and (v_paused or resumed > 0) then
        perform outbound.write_audit(
          p_company_id, p_actor, 'campaign.resumed', p_campaign_id::text, null, null, p_request_id);
      end if;
      return next;
      return;
    exception when sqlstate 'OB001' then
      null;
    end;
  end loop;
end
$$;
revoke execute on function outbound.resume_campaign from public;
