-- Writes template.status_changed, whatever the cause: an event of the platform, a sync, a refused message, an
-- operator.
create function outbound.report_template()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform outbound.write_event(new.company_id, 'template.status_changed', now(), json_build_object(
    'company_id', new.company_id, 'template_id', new.id, 'platform_template_id', new.platform_template_id,
    'name', new.name, 'language', new.language, 'category', new.category,
    'status', new.status, 'previous_status', old.status, 'reason', new.rejected_reason
  ));
  return null;
end
$$;
revoke execute on function outbound.report_template from public;
