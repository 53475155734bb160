-- Stores a template that the platform accepted, and the response to the request. p_template: {waba_id,
-- platform_template_id, name, language, category, status, rejected_reason, parameter_format, components}. If a sync or
-- another request has stored the same template first, its state is kept. version: what confirm_template needs.
create function outbound.finish_template_submission(
  p_company_id uuid, p_id uuid, p_template jsonb, p_idempotency jsonb
)
returns table (template_id uuid, version text, answer json)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_started timestamptz;
  v_template record;
begin
  select s.started_at into v_started from outbound.template_submissions as s
  where s.company_id = p_company_id and s.id = p_id;
  insert into outbound.templates as t (
    company_id, waba_id, platform_template_id, name, language, category, status, rejected_reason,
    parameter_format, components
  )
  select p_company_id, n.waba_id, n.platform_template_id, n.name, n.language, n.category, n.status,
    n.rejected_reason, n.parameter_format, n.components
  from jsonb_to_record(p_template) as n(
    waba_id text, platform_template_id text, name text, language text, category text, status text,
    rejected_reason text, parameter_format text, components jsonb
  )
  on conflict on constraint templates_name_key do update
    set platform_template_id = excluded.platform_template_id, category = excluded.category,
      status = excluded.status, rejected_reason = excluded.rejected_reason,
      parameter_format = excluded.parameter_format, components = excluded.components,
      created_at = now(), updated_at = now()
    where t.platform_template_id is distinct from excluded.platform_template_id;
  -- After the template, in the same order as a sync, or the two would deadlock.
  delete from outbound.template_submissions as s where s.company_id = p_company_id and s.id = p_id;
  select t.id, t.name, t.updated_at into v_template
  from jsonb_to_record(p_template) as n(waba_id text, name text, language text)
  join outbound.templates as t on t.company_id = p_company_id and t.waba_id = n.waba_id and t.name = n.name
    and t.language = n.language;
  template_id := v_template.id;
  version := v_template.updated_at::text;
  answer := outbound.template_answer(v_template.id, v_template.name, coalesce(v_started, now()));
  perform outbound.store_idempotent_response(p_company_id, nullif(p_idempotency, 'null'), answer);
  return next;
end
$$;
revoke execute on function outbound.finish_template_submission from public;
