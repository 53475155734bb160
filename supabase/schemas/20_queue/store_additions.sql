-- Adds the accepted requests of a batch to their campaigns (accept_notifications describes requests; p_outcomes and
-- p_companies have an element for each, at its ord). Returns the requests that were stored, by ord, and the campaigns
-- that are held. Called only if a request adds to a campaign.
create function outbound.store_additions(
  p_requests json, p_outcomes text[], p_companies uuid[], out stored int[], out held uuid[]
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  select a.ords, array(
    select g.id from outbound.add_to_campaigns(a.companies, a.ids, a.sizes, a.rejected, a.more) as g where g.is_held
  )
  into stored, held
  from (
    select array_agg(r.ord order by r.ord) as ords, array_agg(p_companies[r.ord] order by r.ord) as companies,
      array_agg(r.id order by r.ord) as ids, array_agg(r.size order by r.ord) as sizes,
      array_agg(r.rejected order by r.ord) as rejected, array_agg(r.more order by r.ord) as more
    from json_to_recordset(p_requests) as r(
      ord int, size int, id uuid, rejected int, is_addition boolean, more boolean
    )
    where p_outcomes[r.ord] = 'accepted' and r.is_addition
  ) as a;
  -- At their recipients' time of day: a later request may have the first of them.
  if strpos(p_requests::text, '"recipient_time"') > 0 then
    update outbound.campaigns as g set scheduled_time = added.first_at
    from (
      select p_companies[r.ord] as company_id, r.id, min(r.scheduled_time) as first_at
      from json_to_recordset(p_requests) as r(ord int, id uuid, scheduled_time timestamptz, timing jsonb)
      where r.ord = any (stored) and r.timing ? 'recipient_time' group by 1, 2
    ) as added
    where g.company_id = added.company_id and g.id = added.id and g.scheduled_time > added.first_at;
  end if;
end
$$;
revoke execute on function outbound.store_additions from public;

-- Locks the campaigns that requests of these companies add to, in the order of their ids.
create function outbound.lock_campaigns(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  perform from (select c.id from unnest(p_ids) as c(id) order by c.id) as named
  cross join lateral (
    select from outbound.campaigns as g where g.company_id = any (p_companies) and g.id = named.id for no key update
  ) as g;
end
$$;
revoke execute on function outbound.lock_campaigns from public;
