-- Holding the campaigns of a template while it is not approved. The platform would refuse each of their messages, so they
-- wait as those of a paused campaign do (20261121001400_pause_campaigns.sql) and go on when it is approved again.
--
-- Changing a template's state only marks it (templates.unsettled); its campaigns follow in transactions of their own, a
-- few hundred at a time, since there may be very many. Until they have, and for a campaign that is just being accepted,
-- two others keep watch: a claim tells the template's state, so that a dispatcher hands back what it may not send, and
-- stop_requeued holds what is handed back. The template's row is locked first of all, before notifications and campaigns.

-- Holds what has not left of the given campaigns. In one go for all of them, so that no campaign's row is held while
-- waiting for a notification of another.
create function outbound.hold_campaigns(p_company_id uuid, p_campaign_ids uuid[], p_reason text)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  with waiting as (
    select n.company_id, n.id from outbound.notifications as n
    where n.company_id = p_company_id and n.campaign_id = any (p_campaign_ids)
      and n.status in ('scheduled', 'queued') and n.held_run_at is null
    order by n.id for update
  )
  update outbound.notifications as n set held_run_at = n.run_at, run_at = 'infinity'
  from waiting where n.company_id = waiting.company_id and n.id = waiting.id;

  perform from outbound.campaigns as g
  where g.company_id = p_company_id and g.id = any (p_campaign_ids) order by g.id for no key update;
  update outbound.campaigns as g set held_reason = p_reason
  where g.company_id = p_company_id and g.id = any (p_campaign_ids) and g.completed_at is null;

  -- As in pause_campaign: what came back between the two steps above; what somebody has locked counts as gone.
  with waiting as (
    select n.company_id, n.id from outbound.notifications as n
    where n.company_id = p_company_id and n.campaign_id = any (p_campaign_ids)
      and n.status in ('scheduled', 'queued') and n.held_run_at is null
    order by n.id for update skip locked
  )
  update outbound.notifications as n set held_run_at = n.run_at, run_at = 'infinity'
  from waiting where n.company_id = waiting.company_id and n.id = waiting.id;
end
$$;
revoke execute on function outbound.hold_campaigns from public;

-- Lets go the given campaigns; those that are paused as well stay held until they are resumed.
create function outbound.release_campaigns(p_company_id uuid, p_campaign_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
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
      with held as (
        select n.company_id, n.id from outbound.notifications as n
        where n.company_id = p_company_id and n.campaign_id = any (v_free)
          and n.status in ('scheduled', 'queued') and n.held_run_at is not null
        order by n.id for update
      )
      update outbound.notifications as n set run_at = n.held_run_at, held_run_at = null
      from held where n.company_id = held.company_id and n.id = held.id;

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

      perform outbound.release_strays(p_company_id, array(
        select g.id from outbound.campaigns as g
        where g.company_id = p_company_id and g.id = any (p_campaign_ids) and g.paused_at is null
      ));
      perform outbound.plan_sender_turns(array_agg(g.company_id), array_agg(g.sender_id), true)
      from outbound.campaigns as g where g.company_id = p_company_id and g.id = any (p_campaign_ids);
      return;
    exception when sqlstate 'OB001' then
      null;
    end;
  end loop;
end
$$;
revoke execute on function outbound.release_campaigns from public;

-- Holds or lets go up to p_limit campaigns of one template whose state changed, as the state asks now. Returns whether
-- there was anything to do: call it until it returns false. A template that somebody else is at is passed by.
create function outbound.settle_templates(p_limit int default 500)
returns boolean
language plpgsql security invoker set search_path = ''
as $$
declare
  v_template outbound.templates;
  v_campaigns uuid[];
begin
  select t.* into v_template from outbound.templates as t
  where t.unsettled order by t.company_id, t.id limit 1 for no key update skip locked;
  if not found then
    return false;
  end if;
  v_campaigns := array(
    select g.id from outbound.campaigns as g
    where g.company_id = v_template.company_id and g.template_id = v_template.id
      and (g.held_reason is not null) = (v_template.status = 'approved') and g.completed_at is null
    limit p_limit
  );
  if v_template.status = 'approved' then
    perform outbound.release_campaigns(v_template.company_id, v_campaigns);
  else
    perform outbound.hold_campaigns(v_template.company_id, v_campaigns, outbound.hold_reason(v_template));
  end if;
  if cardinality(v_campaigns) < p_limit then
    update outbound.templates as t set unsettled = false
    where t.company_id = v_template.company_id and t.id = v_template.id;
  end if;
  return true;
end
$$;
revoke execute on function outbound.settle_templates from public;
