-- Returns the response to a request that created a template, with the contract's order of fields. Its status is always
-- the first one.
create function outbound.template_answer(p_template_id uuid, p_name text, p_submitted_at timestamptz)
returns json
language sql stable security invoker set search_path = ''
as $$
  select json_build_object('success', true, 'message', 'Template submitted for review', 'template',
    json_build_object('id', p_template_id, 'name', p_name, 'status', 'pending',
      'submitted_at', to_char(p_submitted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')))
$$;
revoke execute on function outbound.template_answer from public;
