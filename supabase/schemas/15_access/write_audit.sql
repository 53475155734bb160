-- Records who changed what. p_subject is never a person's address.
create function outbound.write_audit(
  p_company_id uuid, p_actor text, p_action text, p_subject text, p_before jsonb, p_after jsonb, p_request_id text
)
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.audit_log (company_id, actor, action, subject, before, after, request_id)
  values (p_company_id, p_actor, p_action, p_subject, p_before, p_after, p_request_id)
$$;
revoke execute on function outbound.write_audit from public;
