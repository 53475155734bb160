-- Lifts a person's suppressions within the given channel and category (any and all contain the others) whose source is
-- in p_sources and that were recorded for a time before p_at; each by p_by with p_evidence. Under every known address.
-- p_ids: only these, unless it is null. Writes contact.opted_in if any was lifted.
-- Returns how many were lifted, and the sources by which something of that channel and category is still suppressed.
create function outbound.lift_suppressions(
  p_company_id uuid, p_number text, p_user_id text, p_channel text, p_category text, p_sources text[],
  p_at timestamptz, p_by text, p_evidence jsonb, p_ids uuid[] default null, out lifted int, out kept text[]
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per address.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_addresses constant text[] := outbound.addresses_of(p_company_id, p_number, p_user_id);
begin
  with current as (
    select s.company_id, s.id
    from unnest(v_addresses) as known(address)
    cross join lateral (
      select o.company_id, o.id from outbound.suppressions as o
      where o.company_id = p_company_id and o.address = known.address and o.lifted_at is null
        and p_channel in ('any', o.channel) and p_category in ('all', o.category)
        and o.source = any (p_sources) and o.at < p_at and (p_ids is null or o.id = any (p_ids))
      order by o.channel, o.category, o.source for update
    ) as s
  )
  update outbound.suppressions as s set lifted_at = now(), lifted_by = p_by, lifted_evidence = p_evidence
  from current where s.company_id = current.company_id and s.id = current.id;
  get diagnostics lifted = row_count;
  select coalesce(array_agg(distinct s.source order by s.source), '{}') into kept
  from unnest(v_addresses) as known(address)
  cross join lateral (
    select o.source from outbound.suppressions as o
    where o.company_id = p_company_id and o.address = known.address and o.lifted_at is null
      and (o.channel in ('any', p_channel) or p_channel = 'any')
    order by o.channel, o.category, o.source
  ) as s;
  if lifted > 0 then
    perform outbound.write_event(p_company_id, 'contact.opted_in', p_at, json_build_object(
      'company_id', p_company_id, 'number', p_number, 'user_id', p_user_id, 'channel', p_channel,
      'category', p_category, 'source', p_by, 'at', outbound.iso_time(p_at), 'still_suppressed_by', kept
    ));
  end if;
end
$$;
revoke execute on function outbound.lift_suppressions from public;
