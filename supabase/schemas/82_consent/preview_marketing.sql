-- Returns what would become of marketing to people if it left now; nothing is counted.
-- p_recipients: [{number, user_id, day, caps}, …], with the day in the person's zone, and caps as is_over_cap takes them;
-- p_caps: those of recipients without (the last release).
-- Returns one row per recipient: ord (from 1), is_over (over one of the caps) and cooldown_until (until when marketing
-- waits because the platform spares the person; null: it does not wait).
create function outbound.preview_marketing(p_company_id uuid, p_channel text, p_recipients jsonb, p_caps jsonb)
returns table (ord int, is_over boolean, cooldown_until timestamptz)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  select r.ord::int,
    outbound.is_over_cap(
      p_company_id, null, outbound.addresses_of(p_company_id, r.number, r.user_id), p_channel, r.day,
      coalesce(r.caps, p_caps)
    ),
    case when p_channel = 'whatsapp' and exists (
      select from outbound.contact_rules as c where c.company_id = p_company_id and c.marketing_cooldown
    ) then (
      select max(rest.until) from (values (r.number), (r.user_id)) as a(address)
      cross join lateral (
        select m.until from outbound.marketing_cooldowns as m
        where m.company_id = p_company_id and m.address = a.address and m.until > now() limit 1
      ) as rest
    ) end
  from rows from (
    jsonb_to_recordset(p_recipients) as (number text, user_id text, day date, caps jsonb)
  ) with ordinality as r(number, user_id, day, caps, ord)
  order by r.ord;
end
$$;
revoke execute on function outbound.preview_marketing from public;
