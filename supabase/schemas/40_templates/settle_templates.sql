-- Holds or releases the campaigns of one template whose state changed, as its state requires now; looks at p_limit.
-- Returns whether there was anything to do: call it until it returns false. Passes by a template that another
-- transaction has locked.
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
  if v_template.status = 'approved' then
    v_campaigns := array(
      select g.id from outbound.campaigns as g
      where g.company_id = v_template.company_id and g.template_id = v_template.id and g.held_reason is not null
      limit p_limit
    );
    perform outbound.release_campaigns(v_template.company_id, v_campaigns);
  else
    v_campaigns := outbound.next_waiting_campaigns(v_template.company_id, v_template.settled_to, p_limit);
    perform outbound.hold_campaigns(v_template.company_id, array(
      select g.id from outbound.campaigns as g
      where g.company_id = v_template.company_id and g.id = any (v_campaigns) and g.template_id = v_template.id
        and g.held_reason is null
    ), outbound.hold_reason(v_template));
  end if;
  update outbound.templates as t
  set unsettled = cardinality(v_campaigns) = p_limit,
    settled_to = case when cardinality(v_campaigns) = p_limit and t.status <> 'approved' then v_campaigns[p_limit] end
  where t.company_id = v_template.company_id and t.id = v_template.id;
  return true;
end
$$;
revoke execute on function outbound.settle_templates from public;

-- Returns the first p_limit campaigns of a company of which something is queued, held or not, by id, after p_after.
-- Jumps from one campaign to the next in the indexes of what waits.
create function outbound.next_waiting_campaigns(p_company_id uuid, p_after uuid, p_limit int)
returns uuid[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    with recursive waiting as (
      select coalesce(p_after, '00000000-0000-0000-0000-000000000000') as id
      union all
      select least(free.id, held.id) from waiting
      left join lateral (
        select q.campaign_id as id from outbound.queue as q
        where q.company_id = p_company_id and q.status = 'queued' and q.held_run_at is null
          and q.campaign_id > waiting.id
        order by q.company_id, q.campaign_id limit 1
      ) as free on true
      left join lateral (
        select q.campaign_id as id from outbound.queue as q
        where q.company_id = p_company_id and q.status = 'queued' and q.held_run_at is not null
          and q.campaign_id > waiting.id
        order by q.company_id, q.campaign_id limit 1
      ) as held on true
      where num_nonnulls(free.id, held.id) > 0
    )
    select w.id from waiting as w offset 1 limit p_limit
  );
end
$$;
revoke execute on function outbound.next_waiting_campaigns from public;
