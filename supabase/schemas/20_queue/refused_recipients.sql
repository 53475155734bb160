-- Returns, of the requests of a batch (accept_notifications describes them), the recipients who may not be written to,
-- [{id, code}, …], at the ord of the request: opted_out, no_consent, or warn_no_consent, of whom the response has to
-- warn.
-- p_sources: the sources of which recipients may be refused, as check_requests knows them: source, company_id,
-- channel, is_marketing (the company's rules about marketing apply), and policy: require, warn, or none.
-- Called only for companies that know of any, or ask for consent.
create function outbound.refused_recipients(p_requests json, p_notifications json, p_sources json)
returns json[]
language plpgsql stable security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v record;
  v_refused json[];
begin
  for v in
    select n.ord, json_agg(json_build_object('id', n.id, 'code', rule.code)) as recipients
    from (
      select g.*, s.company_id, s.channel, s.is_marketing, s.policy
      from json_to_recordset(p_sources) as s(
        source int, company_id uuid, channel text, is_marketing boolean, policy text
      )
      join json_to_recordset(p_requests) as r(ord int, source int) on r.source = s.source
      join json_to_recordset(p_notifications) as g(ord int, id uuid, number text, user_id text, hashes json)
        on g.ord = r.ord
    ) as n
    cross join lateral (
      select case
        -- Lateral, address by address: without statistics `any` becomes a scan of all the company's people.
        when exists (
          select from (values (n.number), (n.user_id)) as a(address)
          cross join lateral (
            select from outbound.suppressions as s
            where s.company_id = n.company_id and s.address = a.address and s.lifted_at is null
              and s.channel in ('any', n.channel) and (s.category = 'all' or n.is_marketing)
            limit 1
          ) as suppression
        ) then 'opted_out'
        when exists (
          select from json_array_elements_text(n.hashes) as h(address_hash)
          cross join lateral (
            select from outbound.erased_contacts as e
            where e.company_id = n.company_id and e.address_hash = h.address_hash limit 1
          ) as erased
        -- The same word: a company must not find out who was erased by trying all numbers.
        ) then 'opted_out'
        when n.is_marketing and n.policy in ('require', 'warn')
          and not outbound.is_consent_given(n.company_id, array[n.number, n.user_id], n.channel = 'voice')
          then case n.policy when 'require' then 'no_consent' else 'warn_no_consent' end
      end as code
    ) as rule
    where rule.code is not null
    group by n.ord
  loop
    v_refused[v.ord] := v.recipients;
  end loop;
  return v_refused;
end
$$;
revoke execute on function outbound.refused_recipients from public;
