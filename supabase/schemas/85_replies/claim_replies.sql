-- Leases up to p_limit replies that are due to p_worker for p_lease: each becomes `sending`, its attempt and its fence
-- count up. Takes the first of each sender, then the second of each …, so that one company's many replies delay no other
-- company's. Nothing of the senders p_except, of stopped ones, and of those that the platform found too fast within the
-- last three seconds. Looks only at senders whose time in reply_schedule has come, and says when it looks at them again: at
-- stopped ones once they are active again (plan_changed_senders).
-- Passes by rows that another claim has locked.
create function outbound.claim_replies(p_worker text, p_limit int, p_lease interval, p_except uuid[] default '{}')
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
  v_companies uuid[];
  v_senders uuid[];
begin
  -- In a statement of its own: what was queued before its sender's row was released is seen by the next one.
  select array_agg(s.company_id), array_agg(s.sender_id) into v_companies, v_senders
  from (
    select s.company_id, s.sender_id from outbound.reply_schedule as s
    where s.due_at <= now() and s.sender_id <> all (p_except)
    order by s.due_at limit 64 for update skip locked
  ) as s;
  if v_senders is null then
    return;
  end if;

  return query
  with first as materialized (
    select s.company_id, m.id, s.platform_id, s.token_sealed
    from unnest(v_companies, v_senders) as due(company_id, sender_id)
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

  with next as materialized (
    select w.company_id, w.sender_id, m.run_at, s.is_active, s.is_ready
    from unnest(v_companies, v_senders) as w(company_id, sender_id)
    left join lateral (
      select q.run_at from outbound.contact_messages as q
      where q.company_id = w.company_id and q.sender_id = w.sender_id and q.status = 'queued'
      order by q.run_at limit 1
    ) as m on true
    left join lateral (
      select o.status = 'active' as is_active, outbound.may_reply(o) as is_ready from outbound.senders as o
      where o.company_id = w.company_id and o.id = w.sender_id limit 1
    ) as s on true
  ),
  idle as (
    delete from outbound.reply_schedule as s using next
    where s.company_id = next.company_id and s.sender_id = next.sender_id and next.run_at is null
  )
  update outbound.reply_schedule as s
  set due_at = case when next.is_active then
      greatest(next.run_at, now() + case when next.is_ready then interval '0' else interval '3 seconds' end)
    else 'infinity' end
  from next
  where s.company_id = next.company_id and s.sender_id = next.sender_id and next.run_at is not null;
end
$$;
revoke execute on function outbound.claim_replies from public;

-- Whether a sender's replies may leave: it is active, and the platform did not find it too fast within the last three
-- seconds.
create function outbound.may_reply(p_sender outbound.senders)
returns boolean
language sql stable security invoker set search_path = ''
return p_sender.status = 'active' and not exists (
  select from outbound.sender_rate_state as p
  where p.company_id = p_sender.company_id and p.sender_id = p_sender.id
    and p.throttled_at > now() - interval '3 seconds'
);
revoke execute on function outbound.may_reply from public;
