-- Lifts what the platform suppressed before p_at. Where there was nothing to lift, stores a lifted row, by which
-- suppress_by_platform recognises what was said before p_at and arrives later. p_evidence: {at, …}.
create function outbound.allow_by_platform(
  p_company_id uuid, p_number text, p_user_id text, p_at timestamptz, p_evidence jsonb
)
returns void
-- In SQL, which plans each call: a plan that was made while few were stored would go on reading all of the company's.
language sql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  select outbound.lift_suppressions(
    p_company_id, p_number, p_user_id, 'whatsapp', 'marketing', '{platform}', p_at, 'platform', p_evidence);
  insert into outbound.suppressions (
    company_id, address, channel, category, source, at, lifted_at, lifted_by, lifted_evidence
  )
  select p_company_id, known.address, 'whatsapp', 'marketing', 'platform', p_at, now(), 'platform', p_evidence
  from unnest(outbound.addresses_of(p_company_id, p_number, p_user_id)) as known(address)
  left join lateral (
    select true as is_known from outbound.suppressions as s
    where s.company_id = p_company_id and s.address = known.address and s.source = 'platform'
      and (s.lifted_at is null or (s.lifted_evidence ->> 'at')::timestamptz >= p_at) limit 1
  ) as later on true
  where later.is_known is null;
$$;
revoke execute on function outbound.allow_by_platform from public;
