-- Gives each address of a person what is known under the others: suppressions, consents, cooldowns, and the messages
-- that frequency caps count.
create function outbound.share_between_addresses(p_company_id uuid, p_addresses text[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  insert into outbound.suppressions (company_id, address, channel, category, source, at, evidence)
  select distinct on (every.address, s.channel, s.category, s.source)
    p_company_id, every.address, s.channel, s.category, s.source, s.at, s.evidence
  from unnest(p_addresses) as known(address)
  cross join lateral (
    select o.channel, o.category, o.source, o.at, o.evidence from outbound.suppressions as o
    where o.company_id = p_company_id and o.address = known.address and o.lifted_at is null
  ) as s
  cross join unnest(p_addresses) as every(address)
  order by every.address, s.channel, s.category, s.source, s.at desc
  on conflict (company_id, address, channel, category, source) where lifted_at is null do nothing;

  insert into outbound.consents (
    company_id, address, channel, category, status, method, detail, consented_at, source, created_at
  )
  select p_company_id, every.address, c.channel, c.category, c.status, c.method, c.detail, c.consented_at, c.source,
    c.created_at
  from unnest(p_addresses) as known(address)
  cross join lateral (
    select o.* from outbound.consents as o where o.company_id = p_company_id and o.address = known.address
  ) as c
  cross join unnest(p_addresses) as every(address)
  order by every.address
  on conflict (company_id, address, channel, category, status, consented_at) do nothing;

  insert into outbound.marketing_cooldowns as r (company_id, address, until)
  select p_company_id, every.address, max(m.until)
  from unnest(p_addresses) as known(address)
  cross join lateral (
    select o.until from outbound.marketing_cooldowns as o where o.company_id = p_company_id and o.address = known.address
  ) as m
  cross join unnest(p_addresses) as every(address)
  group by every.address order by every.address
  on conflict on constraint marketing_cooldowns_pkey do update set until = greatest(r.until, excluded.until);

  insert into outbound.marketing_sends (company_id, address, notification_id, channel, day, at)
  select p_company_id, every.address, s.notification_id, s.channel, s.day, s.at
  from unnest(p_addresses) as known(address)
  cross join lateral (
    select o.* from outbound.marketing_sends as o where o.company_id = p_company_id and o.address = known.address
  ) as s
  cross join unnest(p_addresses) as every(address)
  order by every.address
  on conflict on constraint marketing_sends_pkey do nothing;
end
$$;
revoke execute on function outbound.share_between_addresses from public;
