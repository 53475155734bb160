-- Returns the first p_limit contacts of a page that meet the filters, out of the 2,000 that follow p_after (the last
-- contact of the page before), newest first; and whether none are left behind those. A filter that many contacts meet
-- has its page here; findRare (contact_list.ts) reads what few meet by its own index.
-- p_text: a part of a name or an address, folded; p_part: of a number, as digits. Null: no filter.
create function outbound.walk_contacts(
  p_company_id uuid, p_text text, p_part text, p_tag text, p_list_id uuid, p_after uuid, p_limit int,
  out ids uuid[], out is_last boolean
)
language plpgsql stable security invoker set search_path = ''
-- A page: by the company's index in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
declare
  v_at timestamptz := 'infinity'::timestamptz;
  v_walked int;
begin
  if p_after is not null then
    v_at := (select c.first_seen_at from outbound.contacts as c where c.company_id = p_company_id and c.id = p_after);
  end if;
  with walked as materialized (
    select c.id, c.name, c.tags from outbound.contacts as c
    where c.company_id = p_company_id
      and (c.first_seen_at, c.id) < (v_at, coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
    order by c.first_seen_at desc, c.id desc limit 2000
  )
  select array(
    -- In the order of the walk.
    select w.id from walked as w
    where (p_tag is null or p_tag = any (w.tags))
      and (p_list_id is null or exists (
        select from outbound.contact_list_members as m
        where m.company_id = p_company_id and m.list_id = p_list_id and m.contact_id = w.id
      ))
      and (p_text is null or position(p_text in outbound.fold_text(w.name)) > 0 or exists (
        select from outbound.contact_addresses as a
        where a.company_id = p_company_id and a.contact_id = w.id
          and (position(p_text in outbound.fold_text(a.address)) > 0 or position(p_part in a.address) > 0)
      ))
    limit p_limit
  ), (select count(*) from walked)
  into ids, v_walked;
  is_last := v_walked < 2000;
end
$$;
revoke execute on function outbound.walk_contacts from public;
