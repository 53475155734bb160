-- Leases up to p_limit due replies of agents to p_worker for p_lease, the longest due first. All dispatchers together
-- hold about p_limit_each of a company: an agent that does not respond delays those of no other company.
create function outbound.claim_agent_replies(p_worker text, p_limit int, p_limit_each int, p_lease interval)
returns table (
  company_id uuid, conversation_id uuid, from_sequence int, to_sequence int, attempt int, waited_s float8
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per reply.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
declare
  v_busy uuid[];
begin
  if not outbound.is_active_cell() then
    return;
  end if;
  v_busy := array(
    select a.company_id from outbound.agent_replies as a
    where a.worker is not null and a.run_at > now()
    group by a.company_id having count(*) >= p_limit_each
  );
  return query
  with candidate as materialized (
    select a.company_id, a.conversation_id, a.run_at from outbound.agent_replies as a
    where a.run_at <= now() and a.company_id <> all (v_busy)
    order by a.run_at limit 500
  ),
  ranked as (
    select c.*, row_number() over (partition by c.company_id order by c.run_at) as turn from candidate as c
  ),
  chosen as (
    select r.* from ranked as r
    where r.turn <= p_limit_each - (
      select count(*) from outbound.agent_replies as a
      where a.company_id = r.company_id and a.worker is not null and a.run_at > now()
    )
    order by r.run_at limit p_limit
  ),
  locked as (
    select a.* from chosen as c
    cross join lateral (
      select o.company_id, o.conversation_id from outbound.agent_replies as o
      where o.company_id = c.company_id and o.conversation_id = c.conversation_id and o.run_at <= now()
      for update skip locked
    ) as a
  )
  update outbound.agent_replies as a
  set worker = p_worker, attempt = a.attempt + 1, run_at = clock_timestamp() + p_lease
  from locked as l
  where a.company_id = l.company_id and a.conversation_id = l.conversation_id
  returning a.company_id, a.conversation_id, a.from_sequence, a.to_sequence, a.attempt,
    extract(epoch from clock_timestamp() - a.owed_at)::float8;
end
$$;
revoke execute on function outbound.claim_agent_replies from public;
