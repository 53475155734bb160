-- Deletes the record of a submission that the platform certainly did not accept.
create function outbound.drop_template_submission(p_company_id uuid, p_id uuid)
returns void
language sql security invoker set search_path = ''
as $$
  delete from outbound.template_submissions as s where s.company_id = p_company_id and s.id = p_id
$$;
revoke execute on function outbound.drop_template_submission from public;
