set local lock_timeout = '2s';
set check_function_bodies = off;

-- Keeps how many contacts have each tag of their company (contact_tags). What changes tags has locked the people of the
-- company (lock_people), so no two transactions count its tags at once.
create or replace function outbound.count_tags()
returns trigger
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per tag.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_old_companies uuid[];
  v_old_tags text[];
  v_companies uuid[];
  v_tags text[];
begin
  if tg_op <> 'INSERT' then
    select array_agg(o.company_id), array_agg(tag) into v_old_companies, v_old_tags
    from old_rows as o cross join unnest(o.tags) as tag;
  end if;
  if tg_op <> 'DELETE' then
    select array_agg(n.company_id), array_agg(tag) into v_companies, v_tags
    from new_rows as n cross join unnest(n.tags) as tag;
  end if;
  -- Nearly all updates.
  if v_old_tags is not distinct from v_tags and v_old_companies is not distinct from v_companies then
    return null;
  end if;
  with changes as materialized (
    select c.company_id, c.tag, sum(c.change)::int as change
    from (
      select o.company_id, o.tag, -1 as change from unnest(v_old_companies, v_old_tags) as o(company_id, tag)
      union all
      select n.company_id, n.tag, 1 from unnest(v_companies, v_tags) as n(company_id, tag)
    ) as c
    group by c.company_id, c.tag
    having sum(c.change) <> 0
  ),
  added as (
    insert into outbound.contact_tags as t (company_id, tag, contacts)
    select c.company_id, c.tag, c.change from changes as c where c.change > 0
    on conflict on constraint contact_tags_pkey do update set contacts = t.contacts + excluded.contacts
  ),
  removed as (
    update outbound.contact_tags as t set contacts = t.contacts + c.change from changes as c
    where c.change < 0 and t.company_id = c.company_id and t.tag = c.tag and t.contacts + c.change > 0
  )
  delete from outbound.contact_tags as t using changes as c
  where c.change < 0 and t.company_id = c.company_id and t.tag = c.tag and t.contacts + c.change <= 0;
  return null;
end
$$;

revoke execute on function outbound.count_tags from public;

create index campaign_uploads_unfinished_idx on outbound.campaign_uploads (created_at) where completed_at is null;

reset check_function_bodies;
