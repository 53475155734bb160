-- Returns whether a person has agreed to marketing on a channel: the latest thing recorded of any of the addresses
-- counts, and of two at the same time the withdrawal.
create function outbound.is_consent_given(p_company_id uuid, p_addresses text[], p_voice boolean)
returns boolean
language sql stable security invoker set search_path = ''
return coalesce((
  select latest.status = 'granted' from unnest(p_addresses) as a(address)
  cross join lateral (
    select c.status, c.consented_at from outbound.consents as c
    where c.company_id = p_company_id and c.address = a.address
      and c.channel in ('any', case when p_voice then 'voice' else 'whatsapp' end)
    order by c.consented_at desc, c.status = 'granted' limit 1
  ) as latest
  order by latest.consented_at desc, latest.status = 'granted' limit 1
), false);
revoke execute on function outbound.is_consent_given from public;
