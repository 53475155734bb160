-- Records that the platform keeps a company's marketing from a person, unless the person allowed it again after p_at: the
-- platform repeats its events for days.
create function outbound.suppress_by_platform(
  p_company_id uuid, p_number text, p_user_id text, p_at timestamptz, p_evidence jsonb
)
returns void
-- In SQL, which plans each call: a plan that was made while few were stored would go on reading all of the company's.
language sql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  select outbound.suppress_contacts(p_company_id, jsonb_build_array(jsonb_build_object(
    'number', p_number, 'user_id', p_user_id, 'channel', 'whatsapp', 'category', 'marketing', 'source', 'platform',
    'at', p_at, 'evidence', p_evidence
  )))
  where not exists (
    select from unnest(outbound.addresses_of(p_company_id, p_number, p_user_id)) as known(address)
    cross join lateral (
      select from outbound.suppressions as s
      where s.company_id = p_company_id and s.address = known.address
        and s.source = 'platform' and s.lifted_at is not null
        and (s.lifted_evidence ->> 'at')::timestamptz > p_at limit 1
    ) as later
  );
$$;
revoke execute on function outbound.suppress_by_platform from public;
