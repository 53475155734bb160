-- Applies what the platform reports of a template that was just created, unless it was changed since p_version: the
-- platform may review it, and report that, before it is stored here. p_template as in finish_template_submission.
create function outbound.confirm_template(
  p_company_id uuid, p_template_id uuid, p_version text, p_template jsonb
)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.templates as t
  set category = n.category, status = n.status, rejected_reason = n.rejected_reason,
    parameter_format = n.parameter_format, components = n.components, updated_at = now(),
    -- The platform's clock may differ from ours: an event from about the same time still counts.
    status_at = case when t.status <> n.status then now() - interval '10 seconds' else t.status_at end
  from jsonb_to_record(p_template) as n(
    category text, status text, rejected_reason text, parameter_format text, components jsonb
  )
  where t.company_id = p_company_id and t.id = p_template_id and t.updated_at = p_version::timestamptz
    and (t.category, t.status, t.rejected_reason, t.parameter_format, t.components)
      is distinct from (n.category, n.status, n.rejected_reason, n.parameter_format, n.components)
$$;
revoke execute on function outbound.confirm_template from public;
