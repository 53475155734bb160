-- Applies up to p_limit stored events in the order they happened, matched by account, name and language (written en-US
-- or en_US), or by id. An event from before the last known change of the same kind is out of date, and so is an
-- approval from before a refused message; any other state explains that refusal. An event about an unknown template,
-- or about a template's parts, requests a sync of the account. Returns how many events were applied; 0 also when
-- another transaction applies them.
create function outbound.apply_template_events(p_limit int default 1000)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_event outbound.template_events;
  v_templates outbound.templates[];
  v_count int := 0;
begin
  if not pg_try_advisory_xact_lock(outbound.template_lock()) then
    return 0;
  end if;
  for v_event in
    select e.* from outbound.template_events as e
    where e.applied_at is null order by e.occurred_at, e.id limit p_limit
  loop
    v_templates := array(
      select o from outbound.templates as o
      where o.waba_id = v_event.waba_id and o.name = v_event.name
        and replace(o.language, '-', '_') = replace(v_event.language, '-', '_')
      order by o.company_id, o.id for no key update
    );
    -- A separate query, because it reads all templates of the account.
    if cardinality(v_templates) = 0 then
      v_templates := array(
        select o from outbound.templates as o
        where o.waba_id = v_event.waba_id and o.platform_template_id = v_event.platform_template_id
        order by o.company_id, o.id for no key update
      );
    end if;
    update outbound.templates as t
    set status = n.status, rejected_reason = n.reason, category = n.category, quality = n.quality,
      status_at = case when n.says_status then v_event.occurred_at else t.status_at end,
      category_at = case when n.says_category then v_event.occurred_at else t.category_at end,
      quality_at = case when n.says_quality then v_event.occurred_at else t.quality_at end,
      reported_at = now(),
      updated_at = case when (t.status, t.rejected_reason, t.category, t.quality)
        is distinct from (n.status, n.reason, n.category, n.quality) then now() else t.updated_at end
    from unnest(v_templates) as o
    cross join lateral (
      select o.status_at <= v_event.occurred_at and v_event.kind = 'status'
          and (v_event.status <> 'approved' or o.refused_at <= v_event.occurred_at) as says_status,
        o.category_at <= v_event.occurred_at and v_event.category is not null as says_category,
        o.quality_at <= v_event.occurred_at and v_event.kind = 'quality' as says_quality
    ) as says
    cross join lateral (
      select says.*,
        case when says.says_status then v_event.status else o.status end as status,
        case when says.says_status
          then case when v_event.status <> 'approved' then nullif(v_event.reason, 'NONE') end
          else o.rejected_reason end as reason,
        case when says.says_category then v_event.category else o.category end as category,
        case when says.says_quality then v_event.quality else o.quality end as quality
    ) as n
    where t.company_id = o.company_id and t.id = o.id;
    if v_event.kind = 'components' or cardinality(v_templates) = 0 then
      with locked as (
        select s.company_id, s.id from outbound.senders as s
        where s.waba_id = v_event.waba_id and not s.template_sync_requested order by s.id for no key update
      )
      update outbound.senders as s set template_sync_requested = true
      from locked where s.company_id = locked.company_id and s.id = locked.id;
    end if;
    update outbound.template_events as e set applied_at = now() where e.id = v_event.id;
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;
revoke execute on function outbound.apply_template_events from public;
