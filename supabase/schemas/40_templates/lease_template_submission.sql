-- Extends the lease of a submission; p_lease_s 0 ends it. Changes nothing once another request took it over.
create function outbound.lease_template_submission(p_company_id uuid, p_id uuid, p_lease_s int)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.template_submissions as s set lease_until = now() + make_interval(secs => p_lease_s)
  where s.company_id = p_company_id and s.id = p_id
$$;
revoke execute on function outbound.lease_template_submission from public;
