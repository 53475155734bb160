-- Returns, of each request (p_ords), the recipients who may not be written to, [{id, code}, …]: opted_out, no_consent, or
-- warn_no_consent, of whom the response has to warn. The arrays have an element for each recipient: its company, request
-- and id, its addresses, the hashes of them where the company has erased people, the channel, whether the company's rules
-- about marketing apply, and its policy: require, warn, or none.
create function outbound.refused_recipients(
  p_companies uuid[], p_ords int[], p_ids uuid[], p_numbers text[], p_user_ids text[], p_hashes json[], p_channels text[],
  p_is_marketing boolean[], p_policies text[]
)
returns table (ord int, recipients json)
language plpgsql stable security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  select n.ord, json_agg(json_build_object('id', n.id, 'code', rule.code))
  from unnest(
    p_companies, p_ords, p_ids, p_numbers, p_user_ids, p_hashes, p_channels, p_is_marketing, p_policies
  ) as n(company_id, ord, id, number, user_id, hashes, channel, is_marketing, policy)
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
  group by n.ord;
end
$$;
revoke execute on function outbound.refused_recipients from public;
