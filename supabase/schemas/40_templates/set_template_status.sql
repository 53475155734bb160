-- Sets the state of our copy of a template for an operator, until the platform reports the next one.
create function outbound.set_template_status(p_company_id uuid, p_template_id uuid, p_status text)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.templates as t
  set status = p_status, status_at = now(), reported_at = now(), updated_at = now(),
    rejected_reason = case when p_status in ('rejected', 'disabled') then t.rejected_reason end
  where t.company_id = p_company_id and t.id = p_template_id
$$;
revoke execute on function outbound.set_template_status from public;
