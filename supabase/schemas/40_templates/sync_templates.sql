-- Brings our copy of an account's templates in line with p_templates, the complete list that the platform gave:
-- [{platform_template_id, name, language, category, status, rejected_reason, quality, parameter_format, components},
-- …]. A template that the platform no longer lists becomes disabled. p_listed_at is when the platform began to list: a
-- template made since is left alone, as are the state, category and quality of one that was reported since. Returns
-- how many rows were written.
create function outbound.sync_templates(
  p_company_id uuid, p_waba_id text, p_templates jsonb, p_listed_at timestamptz default now()
)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_written int;
  v_gone int;
begin
  perform pg_advisory_xact_lock(outbound.template_lock());

  insert into outbound.templates as t (
    company_id, waba_id, platform_template_id, name, language, category, status, rejected_reason, quality,
    parameter_format, components
  )
  select distinct on (p.name, p.language) p_company_id, p_waba_id, p.platform_template_id, p.name, p.language,
    p.category, p.status, p.rejected_reason, p.quality, p.parameter_format, p.components
  from jsonb_to_recordset(p_templates) as p(
    platform_template_id text, name text, language text, category text, status text, rejected_reason text,
    quality text, parameter_format text, components jsonb
  )
  order by p.name, p.language
  on conflict on constraint templates_name_key do update
    set (platform_template_id, parameter_format, components, updated_at)
      = (excluded.platform_template_id, excluded.parameter_format, excluded.components, now()),
      (category, status, rejected_reason, quality)
      = (
        select l.category, l.status, l.rejected_reason, l.quality
        from outbound.merge_listing(t, excluded, p_listed_at) as l
      ),
      -- The platform's clock may differ from ours: an event from about the same time still counts.
      status_at = case when t.status <> excluded.status and t.reported_at <= p_listed_at
        then p_listed_at - interval '10 seconds' else t.status_at end
    where (t.platform_template_id, t.parameter_format, t.components)
      is distinct from (excluded.platform_template_id, excluded.parameter_format, excluded.components)
      or (t.category, t.status, t.rejected_reason, t.quality) is distinct from
        (
          select (l.category, l.status, l.rejected_reason, l.quality)
          from outbound.merge_listing(t, excluded, p_listed_at) as l
        );
  get diagnostics v_written = row_count;

  update outbound.templates as t
  set status = 'disabled', rejected_reason = 'No longer on the platform', updated_at = now(),
    status_at = p_listed_at - interval '10 seconds'
  where t.company_id = p_company_id and t.waba_id = p_waba_id and t.status <> 'disabled'
    and t.created_at <= p_listed_at and t.reported_at <= p_listed_at
    -- A hashed subplan, whatever the planner expects. An anti-join may compare each of 6,000 with every other.
    and (t.name, t.language) not in (
      select p.name, p.language from jsonb_to_recordset(p_templates) as p(name text, language text)
      where p.name is not null and p.language is not null
    );
  get diagnostics v_gone = row_count;
  return v_written + v_gone;
end
$$;
revoke execute on function outbound.sync_templates from public;
