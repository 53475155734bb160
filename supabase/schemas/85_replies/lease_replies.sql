-- Leases up to p_limit replies of the given senders that are due; claim_replies says which, and what it returns. A step
-- of claim_replies, which has locked the schedule of these senders.
create function outbound.lease_replies(
  p_worker text, p_limit int, p_lease interval, p_companies uuid[], p_senders uuid[]
)
returns table (
  company_id uuid, id uuid, fence int, attempt smallint, number text, user_id text, kind text, text text, content jsonb,
  context_message_id text, sender_id uuid, platform_id text, token_sealed text, trace text
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
#variable_conflict use_column
declare
  v_per_sender constant int := 16;
begin
  return query
  with first as materialized (
    select s.company_id, m.id, s.platform_id, s.token_sealed
    from unnest(p_companies, p_senders) as due(company_id, sender_id)
    cross join lateral (
      select o.company_id, o.id, o.platform_id, o.token_sealed from outbound.senders as o
      where o.company_id = due.company_id and o.id = due.sender_id and outbound.may_reply(o) limit 1
    ) as s
    cross join lateral (
      select w.id, w.run_at, row_number() over (order by w.run_at) as position
      from (
        select q.id, q.run_at from outbound.contact_messages as q
        where q.company_id = s.company_id and q.sender_id = s.id and q.status = 'queued'
          and q.run_at <= now() and q.expires_at > now()
        order by q.run_at limit v_per_sender
      ) as w
    ) as m
    order by m.position, m.run_at limit p_limit
  ),
  -- By the primary key: a condition on the state here would lead to the small index, and to all that wait.
  locked as materialized (
    select q.*, f.platform_id, f.token_sealed
    from first as f
    cross join lateral (
      select q.company_id, q.id, q.status, q.run_at from outbound.contact_messages as q
      where q.company_id = f.company_id and q.id = f.id for update skip locked
    ) as q
  ),
  due as materialized (
    select l.* from locked as l where l.status = 'queued' and l.run_at <= now()
  )
  update outbound.contact_messages as m
  set status = 'sending', attempt = m.attempt + 1, fence = m.fence + 1, worker = p_worker,
    lease_until = clock_timestamp() + p_lease
  from due where m.company_id = due.company_id and m.id = due.id
  returning m.company_id, m.id, m.fence, m.attempt, m.number, m.user_id, m.kind, m.text, m.content,
    m.context_message_id, m.sender_id, due.platform_id, due.token_sealed, m.trace;
end
$$;
revoke execute on function outbound.lease_replies from public;
