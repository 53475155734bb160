-- Returns why the campaigns of a template that cannot be used are held, in words for people.
create function outbound.hold_reason(p_template outbound.templates)
returns text
language sql immutable security invoker set search_path = ''
as $$
  select format('The template %s is %s, not approved', p_template.name, p_template.status)
    || coalesce(': ' || p_template.rejected_reason, '')
$$;
revoke execute on function outbound.hold_reason from public;
