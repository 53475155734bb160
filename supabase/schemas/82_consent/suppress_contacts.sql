-- Records that people do not want to be written to, under every known address of each. Writes contact.opted_out for
-- each that was not suppressed in this way already.
-- p_contacts: [{number, user_id, channel, category, source, at, evidence}, …], as in the table; number or user_id, or
-- both.
-- Returns one row per contact: ord (from 1), and whether it was added; false when it was suppressed in this way already.
create function outbound.suppress_contacts(p_company_id uuid, p_contacts jsonb)
returns table (ord int, added boolean)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_contact record;
  v_rows int;
begin
  -- In the order of the addresses, so that two transactions never wait for each other.
  for v_contact in
    select c.*, outbound.addresses_of(p_company_id, c.number, c.user_id) as addresses
    from rows from (
      jsonb_to_recordset(p_contacts) as (
        number text, user_id text, channel text, category text, source text, at timestamptz, evidence jsonb
      )
    ) with ordinality as c(number, user_id, channel, category, source, at, evidence, ord)
    order by addresses, ord
  loop
    insert into outbound.suppressions (company_id, address, channel, category, source, at, evidence)
    select p_company_id, address, v_contact.channel, v_contact.category, v_contact.source, v_contact.at,
      v_contact.evidence
    from unnest(v_contact.addresses) as address
    on conflict (company_id, address, channel, category, source) where lifted_at is null do nothing;
    get diagnostics v_rows = row_count;
    ord := v_contact.ord;
    added := v_rows > 0;
    -- Said again later: only evidence of a time after that lifts it.
    if v_rows < cardinality(v_contact.addresses) then
      insert into outbound.suppressions as s (company_id, address, channel, category, source, at, evidence)
      select p_company_id, address, v_contact.channel, v_contact.category, v_contact.source, v_contact.at,
        v_contact.evidence
      from unnest(v_contact.addresses) as address
      on conflict (company_id, address, channel, category, source) where lifted_at is null do update
        set at = excluded.at, evidence = coalesce(excluded.evidence, s.evidence) where s.at < excluded.at;
    end if;
    if added then
      insert into outbound.history_changes (company_id, at, area, metric, reason, campaign_ids)
      values (p_company_id, v_contact.at, coalesce(outbound.area_of(v_contact.number), left(v_contact.user_id, 2), ''),
        'opted_out', v_contact.channel, '{00000000-0000-0000-0000-000000000000}');
      perform outbound.write_event(p_company_id, 'contact.opted_out', v_contact.at, json_build_object(
        'company_id', p_company_id, 'number', v_contact.number, 'user_id', v_contact.user_id,
        'channel', v_contact.channel, 'category', v_contact.category, 'source', v_contact.source,
        'at', outbound.iso_time(v_contact.at)
      ));
    end if;
    return next;
  end loop;
end
$$;
revoke execute on function outbound.suppress_contacts from public;
