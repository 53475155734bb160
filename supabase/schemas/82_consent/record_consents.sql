-- Records consents and withdrawals, under every known address of each person. A withdrawal also suppresses, unless a
-- grant of a later time is known; a grant lifts what the person, the company's systems or an import suppressed before
-- the time at which it was given; one in a message (keyword, button) lifts only the person's own. What the platform or
-- an operator suppressed stays. A grant of a later time also ends the suppression of an erased person.
-- p_consents: [{number, user_id, channel, category, status, method, detail, consented_at, source, hashes}, …]; hashes:
-- as in erased_contacts, of number and user_id; none if no person was ever erased.
-- Returns one row per consent: ord (from 1); added: false for one that was recorded already; kept: the sources by which
-- the person is still suppressed.
create function outbound.record_consents(p_company_id uuid, p_consents jsonb)
returns table (ord int, added boolean, kept text[])
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per address.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_consent record;
begin
  for v_consent in
    select c.*, outbound.addresses_of(p_company_id, c.number, c.user_id) as addresses
    from rows from (
      jsonb_to_recordset(p_consents) as (
        number text, user_id text, channel text, category text, status text, method text, detail text,
        consented_at timestamptz, source text, hashes text[]
      )
    ) with ordinality as c(
      number, user_id, channel, category, status, method, detail, consented_at, source, hashes, ord
    )
    order by addresses, ord
  loop
    insert into outbound.consents (
      company_id, address, channel, category, status, method, detail, consented_at, source
    )
    select p_company_id, known.address, v_consent.channel, v_consent.category, v_consent.status, v_consent.method,
      v_consent.detail, v_consent.consented_at, v_consent.source
    from unnest(v_consent.addresses) as known(address)
    on conflict (company_id, address, channel, category, status, consented_at) do nothing;
    ord := v_consent.ord;
    added := found;
    kept := '{}';
    if v_consent.status = 'granted' then
      select l.kept into kept from outbound.lift_suppressions(
        p_company_id, v_consent.number, v_consent.user_id, v_consent.channel, v_consent.category,
        case when v_consent.source in ('keyword', 'button') then '{keyword,button}'::text[]
          else '{keyword,button,api,import}' end, v_consent.consented_at, v_consent.source,
        jsonb_build_object('method', v_consent.method, 'detail', v_consent.detail)
      ) as l;
      delete from outbound.erased_contacts as e
      where e.company_id = p_company_id and e.address_hash = any (v_consent.hashes)
        and e.erased_at < v_consent.consented_at;
    elsif not exists (
      select from outbound.consents as o
      where o.company_id = p_company_id and o.address = any (v_consent.addresses)
        and o.channel = v_consent.channel and o.category = v_consent.category
        and o.status = 'granted' and o.consented_at > v_consent.consented_at
    ) then
      perform outbound.suppress_contacts(p_company_id, jsonb_build_array(jsonb_build_object(
        'number', v_consent.number, 'user_id', v_consent.user_id, 'channel', v_consent.channel,
        'category', v_consent.category, 'source', v_consent.source, 'at', v_consent.consented_at,
        'evidence', jsonb_build_object('method', v_consent.method, 'detail', v_consent.detail)
      )));
    end if;
    return next;
  end loop;
end
$$;
revoke execute on function outbound.record_consents from public;
