-- Disables a template after the platform refused a message because of the template itself, in an attempt that began at
-- p_at; not if it was approved since. The platform's own event, with its time, may still arrive, so this sets no
-- status_at. settle_templates then holds its campaigns.
--
-- The platform's times are whole seconds, so within one second it is unknown whether it refused or approved first. Then
-- the approval holds: if the refusal was the later one, the next message is refused too, and stops the template. The
-- other way around, a usable template would be held until the next sync.
create function outbound.stop_template(
  p_company_id uuid, p_template_id uuid, p_reason text, p_at timestamptz default clock_timestamp()
)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.templates as t
  set status = 'disabled', rejected_reason = p_reason, refused_at = date_trunc('second', p_at),
    reported_at = now(), updated_at = now()
  where t.company_id = p_company_id and t.id = p_template_id and t.status = 'approved'
    and t.status_at < date_trunc('second', p_at)
$$;
revoke execute on function outbound.stop_template from public;
