-- Holds or releases up to p_limit campaigns of one template whose state changed, as its state requires now. Returns
-- whether there was anything to do: call it until it returns false. Passes by a template that another transaction has
-- locked.
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
