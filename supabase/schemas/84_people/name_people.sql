-- Keeps whom accepted requests have named, until a dispatcher makes contacts of them (take_named_people). p_people:
-- [{ord (of the request), company_id, number, user_id, person}, …]; p_accepted: the requests that were accepted. Called in
-- the statement that accepts them.
create function outbound.name_people(p_people json, p_accepted int[])
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.named_people (company_id, number, user_id, person, source)
  select n.company_id, n.number, n.user_id, n.person, 'send'
  from json_to_recordset(p_people) as n(ord int, company_id uuid, number text, user_id text, person jsonb)
  where n.ord = any (p_accepted)
$$;
revoke execute on function outbound.name_people from public;

-- Takes up to p_limit of them, the oldest first: the caller makes contacts of them in the same transaction. Those that
-- another dispatcher has taken are left to it.
create function outbound.take_named_people(p_limit int)
returns table (company_id uuid, number text, user_id text, person jsonb, source text)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  with taken as (
    delete from outbound.named_people as n where n.ctid = any (array(
      select o.ctid from outbound.named_people as o order by o.created_at, o.id limit p_limit for update skip locked
    ))
    returning n.*
  )
  select t.company_id, t.number, t.user_id, t.person, t.source from taken as t order by t.created_at, t.id;
end
$$;
revoke execute on function outbound.take_named_people from public;
