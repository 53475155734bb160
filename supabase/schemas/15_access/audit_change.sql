-- Records who changed which fields of something: those of p_after that differ from p_before. Writes nothing where none
-- does.
create function outbound.audit_change(
  p_company_id uuid, p_actor text, p_action text, p_subject text, p_before jsonb, p_after jsonb, p_request_id text
)
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.audit_log (company_id, actor, action, subject, before, after, request_id)
  select p_company_id, p_actor, p_action, p_subject, changed.before, changed.after, p_request_id
  from (
    select jsonb_object_agg(n.key, p_before -> n.key) as before, jsonb_object_agg(n.key, n.value) as after
    from jsonb_each(p_after) as n where n.value is distinct from p_before -> n.key
  ) as changed
  where changed.after is not null
$$;
revoke execute on function outbound.audit_change from public;
