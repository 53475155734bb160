-- Returns what a message to each of the contacts p_ids may use, in their order: the fields of the contact, and one number
-- and one user id, the ones that are known longest. is_gone: the contact was erased or merged. is_opted_out: the person
-- does not want such messages, by any address; p_channel: whatsapp or voice.
create function outbound.audience_rows(p_company_id uuid, p_ids uuid[], p_channel text, p_is_marketing boolean)
returns table (
  contact_id uuid, is_gone boolean, is_opted_out boolean, name text, language text, timezone text, country text,
  attributes jsonb, number text, user_id text, email text
)
language plpgsql stable security invoker set search_path = ''
-- A batch: one look-up per key.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  return query
    select given.id, c.id is null, coalesce(known.is_opted_out, false), c.name, c.language, c.timezone, c.country,
      c.attributes, known.number, known.user_id, known.email
    from unnest(p_ids) with ordinality as given(id, position)
    left join lateral (
      select o.* from outbound.contacts as o where o.company_id = p_company_id and o.id = given.id limit 1
    ) as c on true
    left join lateral (
      select min(a.address) filter (where a.kind = 'number' and a.position = 1) as number,
        min(a.address) filter (where a.kind = 'user_id' and a.position = 1) as user_id,
        min(a.address) filter (where a.kind = 'email' and a.position = 1) as email,
        bool_or(a.kind in ('number', 'user_id') and exists (
          select from outbound.suppressions as s
          where s.company_id = p_company_id and s.address = a.address and s.lifted_at is null
            and s.channel in ('any', p_channel) and (s.category = 'all' or p_is_marketing)
        )) as is_opted_out
      from (
        select o.kind, o.address, row_number() over (partition by o.kind order by o.created_at, o.address) as position
        from outbound.contact_addresses as o where o.company_id = p_company_id and o.contact_id = given.id
      ) as a
    ) as known on true
    order by given.position;
end
$$;
revoke execute on function outbound.audience_rows from public;
