-- Deletes submissions that no process works on, once all templates of the account were listed since p_listed_at and
-- written: either the platform has the template, and so do we, or it never got it. A submission with an idempotency
-- key stays for that key's day.
create function outbound.settle_template_submissions(p_company_id uuid, p_waba_id text, p_listed_at timestamptz)
returns void
language sql security invoker set search_path = ''
as $$
  delete from outbound.template_submissions as s
  where s.company_id = p_company_id and s.waba_id = p_waba_id and s.lease_until <= p_listed_at
    and (s.idempotency_key is null or s.started_at < p_listed_at - interval '24 hours')
$$;
revoke execute on function outbound.settle_template_submissions from public;
